import type { Generation } from '../../cache/generation.ts';

/** Contents by number. Each is forgotten when it is garbage collected. */
export class NumberedContents {
  readonly #contents = new Map<number, WeakRef<Generation>>();
  readonly #forgotten = new FinalizationRegistry<number>(number => {
    // the number may be that of a content which was made again since
    if (!this.find(number)) this.#contents.delete(number);
  });

  find(number: number): Generation | undefined {
    return this.#contents.get(number)?.deref();
  }

  set(number: number, generation: Generation): void {
    this.#contents.set(number, new WeakRef(generation));
    this.#forgotten.register(generation, number);
  }
}
