import type { LooseEntry } from './loose-entry.ts';
import { Oldest } from './oldest.ts';

/** Loose entries by `ObjectKey.text`, in the order in which they came, and what they cost. */
export class PackedQueue {
  readonly #entries = new Map<string, LooseEntry>();
  readonly #oldest = new Oldest(this.#entries);
  #costBytes = 0;

  get size(): number {
    return this.#entries.size;
  }

  get costBytes(): number {
    return this.#costBytes;
  }

  /** The one that came first. */
  get first(): LooseEntry | undefined {
    const text = this.#oldest.key;
    return text === undefined ? undefined : this.#entries.get(text);
  }

  get(text: string): LooseEntry | undefined {
    return this.#entries.get(text);
  }

  /** May be read on while entries come and go. */
  names(): IterableIterator<string> {
    return this.#entries.keys();
  }

  [Symbol.iterator](): IterableIterator<LooseEntry> {
    return this.#entries.values();
  }

  push(entry: LooseEntry): void {
    this.#entries.set(entry.text, entry);
    this.#costBytes += entry.costBytes;
  }

  remove(text: string): LooseEntry | undefined {
    const entry = this.#entries.get(text);
    if (!entry) return undefined;
    this.#entries.delete(text);
    this.#oldest.removed(text);
    this.#costBytes -= entry.costBytes;
    return entry;
  }

  /** `entry` costs so much less, if it is here. */
  shrank({ text }: LooseEntry, bytes: number): void {
    if (this.#entries.has(text)) this.#costBytes -= bytes;
  }
}
