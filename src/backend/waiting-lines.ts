import type { QueueEntry } from './queue-entry.ts';

/** Waiting calls in lines that take turns. */
export class WaitingLines {
  readonly #nameOf: (entry: QueueEntry) => string;
  /** In the order of their turns. */
  readonly #lines = new Map<string, QueueEntry[]>();
  /** Arrival times, in the order of arrival. */
  readonly #arrivals = new Map<QueueEntry, number>();

  /** @param nameOf the line that a call waits in */
  constructor(nameOf: (entry: QueueEntry) => string) {
    this.#nameOf = nameOf;
  }

  get size(): number {
    return this.#arrivals.size;
  }

  /** The calls and when they came, in the order of arrival. */
  get arrivals(): Iterable<readonly [QueueEntry, number]> {
    return this.#arrivals;
  }

  add(entry: QueueEntry, nowMs: number): void {
    const name = this.#nameOf(entry);
    const line = this.#lines.get(name);
    if (line) line.push(entry);
    else this.#lines.set(name, [entry]);
    this.#arrivals.set(entry, nowMs);
  }

  /** Removes `entry`; its line goes to the end of the turns. False when it was not waiting. */
  delete(entry: QueueEntry): boolean {
    if (!this.#arrivals.delete(entry)) return false;
    const name = this.#nameOf(entry);
    const line = this.#lines.get(name) ?? [];
    line.splice(line.indexOf(entry), 1);
    this.#lines.delete(name);
    if (line.length > 0) this.#lines.set(name, line);
    return true;
  }

  /** The first call that may start, of the next line that has one. */
  next(mayStart: (entry: QueueEntry) => boolean): QueueEntry | undefined {
    for (const line of this.#lines.values()) {
      const first = line.find(mayStart);
      if (first) return first;
    }
    return undefined;
  }

  /** The last call of the longest line, if that is longer than the one of `newcomer` will be. */
  lastOfLongest(newcomer: QueueEntry): QueueEntry | undefined {
    // fast path: each line has one call, so a flood of made-up keys costs no search
    if (this.size === this.#lines.size) return undefined;
    const own = this.#lines.get(this.#nameOf(newcomer)) ?? [];
    let longest = own;
    for (const line of this.#lines.values()) if (line.length > longest.length) longest = line;
    return longest.length > own.length + 1 ? longest.at(-1) : undefined;
  }
}
