/** Server-sent events of one address, one by one. */
export class EventStream {
  readonly #reader: ReadableStreamDefaultReader<string>;
  #text = '';

  private constructor(reader: ReadableStreamDefaultReader<string>) {
    this.#reader = reader;
  }

  static async open(url: string): Promise<EventStream> {
    const { body } = await fetch(url);
    if (!body) throw new Error(`${url} streams nothing`);
    return new EventStream(body.pipeThrough(new TextDecoderStream()).getReader());
  }

  /** The data of the next event of this name; those of other names before it are passed over. */
  async next(name: string): Promise<unknown> {
    const event = new RegExp(`event: ${name}\n(?:id: .*\n)?data: (.*)\n\n`);
    for (;;) {
      const found = event.exec(this.#text);
      if (found) {
        this.#text = this.#text.slice(found.index + found[0].length);
        return JSON.parse(found[1] ?? '');
      }
      const chunk = await this.#reader.read();
      if (chunk.done) throw new Error(`no ${name} came`);
      this.#text += chunk.value;
    }
  }

  async close(): Promise<void> {
    await this.#reader.cancel();
  }
}
