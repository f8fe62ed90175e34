import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { listenLocally } from './listen-locally.ts';

/** How long the steps of one request take, in milliseconds. */
interface Delays {
  /** Until the request has its effect, or what it reads is read. */
  readonly effectMs: number;
  /** From then until it is answered. */
  readonly answerMs: number;
}

/**
 * What a write gets from the store: its answer, or none or a 500 although the store may carry it out later (`carryOut`).
 */
type Fate = 'answered' | 'reset' | 'error' | 'silence';

/**
 * A store of objects in memory, strongly consistent, whose every request may take its effect and be answered late: what
 * was read before a write may be answered after it.
 */
export class SlowStore {
  url = '';
  readonly #server: Server;
  readonly #objects = new Map<string, string>();
  #uploads = 0;
  readonly #delays: () => Delays;
  readonly #fateOf: (request: IncomingMessage) => Fate;
  /** Writes that have failed and were not carried out yet. */
  readonly #late: (() => void)[] = [];

  private constructor(delays: () => Delays, fateOf: (request: IncomingMessage) => Fate) {
    this.#delays = delays;
    this.#fateOf = fateOf;
    this.#server = createServer((request, response) => void this.#serve(request, response));
  }

  static async start(
    delays: () => Delays,
    fateOf: (request: IncomingMessage) => Fate = () => 'answered',
  ): Promise<SlowStore> {
    const store = new SlowStore(delays, fateOf);
    store.url = await listenLocally(store.#server);
    return store;
  }

  /** What is stored under `path`. */
  contentOf(path: string): string | undefined {
    return this.#objects.get(path);
  }

  /** Carries out the first of the writes that have failed, if there is one. */
  carryOut(): void {
    this.#late.shift()?.();
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise(resolve => this.#server.close(resolve));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { effectMs, answerMs } = this.#delays();
    if (effectMs > 0) await wait(effectMs);
    const fate = request.method === 'PUT' || request.method === 'DELETE' ? this.#fateOf(request) : 'answered';
    if (fate !== 'answered') {
      this.#late.push(() => this.#effect(request, Buffer.concat(chunks).toString()));
      if (fate === 'reset') response.destroy();
      else if (fate === 'error') response.writeHead(500, { 'content-length': 0 }).end();
      return;
    }
    const answer = this.#effect(request, Buffer.concat(chunks).toString());
    if (answerMs > 0) await wait(answerMs);
    response
      .writeHead(answer.status, answer.headers)
      .end(request.method === 'HEAD' ? undefined : answer.body);
  }

  #effect({ method, url = '', headers }: IncomingMessage, body: string) {
    const upload = /^(.*)\?(?:partNumber=1&)?uploadId=(.*)$/.exec(url);
    if (upload) return this.#effectOfUpload(method, upload[1] ?? '', upload[2] ?? '', body);
    if (url.endsWith('?uploads')) {
      const id = String(++this.#uploads);
      return {
        status: 200,
        headers: {},
        body: `<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`,
      };
    }
    const source = headers['x-amz-copy-source'];
    if (typeof source === 'string') {
      const copied = this.#objects.get(`/${source}`) ?? '';
      this.#objects.set(url, copied);
      return {
        status: 200,
        headers: {},
        body: `<CopyObjectResult><ETag>${tagOf(copied)}</ETag></CopyObjectResult>`,
      };
    }
    if (method === 'PUT') {
      this.#objects.set(url, body);
      return { status: 200, headers: { etag: tagOf(body), 'content-length': 0 }, body: '' };
    }
    if (url.endsWith('?delete')) {
      const keys = [...body.matchAll(/<Key>(.*?)<\/Key>/g)].map(([, key = '']) => key);
      for (const key of keys) this.#objects.delete(url.replace('?delete', `/${key}`));
      const results = keys.map(key => `<Deleted><Key>${key}</Key></Deleted>`).join('');
      return { status: 200, headers: {}, body: `<DeleteResult>${results}</DeleteResult>` };
    }
    if (method === 'DELETE') {
      this.#objects.delete(url);
      return { status: 204, headers: {}, body: '' };
    }
    const content = this.#objects.get(url);
    if (content === undefined)
      return {
        status: 404,
        headers: {},
        body: '<Error><Code>NoSuchKey</Code><Message>No.</Message></Error>',
      };
    const ifMatch = headers['if-match'];
    if (ifMatch !== undefined && ifMatch !== tagOf(content)) return { status: 412, headers: {}, body: '' };
    const length = { etag: tagOf(content), 'content-length': content.length };
    if (headers.range === undefined) return { status: 200, headers: length, body: content };
    const range = { ...length, 'content-range': `bytes 0-${content.length - 1}/${content.length}` };
    return { status: 206, headers: range, body: content };
  }

  /** Uploads have one part. */
  #effectOfUpload(method: string | undefined, path: string, id: string, body: string) {
    const part = `upload ${id}`;
    if (method === 'PUT') {
      this.#objects.set(part, body);
      return { status: 200, headers: { etag: tagOf(body), 'content-length': 0 }, body: '' };
    }
    this.#objects.set(path, this.#objects.get(part) ?? '');
    return {
      status: 200,
      headers: {},
      body: '<CompleteMultipartUploadResult><ETag>e</ETag></CompleteMultipartUploadResult>',
    };
  }
}

function tagOf(content: string): string {
  return `"${content}"`;
}
