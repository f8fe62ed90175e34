import type { PackedEntry } from './packed-entry.ts';

/** Packed entries by `ObjectKey.text`, in the order in which they came, and what they cost. */
export class PackedQueue {
  readonly #entries = new Map<string, PackedEntry>();
  #costBytes = 0;

  get size(): number {
    return this.#entries.size;
  }

  get costBytes(): number {
    return this.#costBytes;
  }

  /** The one that came first. */
  get first(): PackedEntry | undefined {
    const [first] = this.#entries.values();
    return first;
  }

  get(text: string): PackedEntry | undefined {
    return this.#entries.get(text);
  }

  /** May be read on while entries come and go. */
  names(): IterableIterator<string> {
    return this.#entries.keys();
  }

  [Symbol.iterator](): IterableIterator<PackedEntry> {
    return this.#entries.values();
  }

  push(entry: PackedEntry): void {
    this.#entries.set(entry.text, entry);
    this.#costBytes += entry.costBytes;
  }

  remove(text: string): PackedEntry | undefined {
    const entry = this.#entries.get(text);
    if (!entry) return undefined;
    this.#entries.delete(text);
    this.#costBytes -= entry.costBytes;
    return entry;
  }

  /** `entry` costs so much less, if it is here. */
  shrank({ text }: PackedEntry, bytes: number): void {
    if (this.#entries.has(text)) this.#costBytes -= bytes;
  }
}
