import { DesertedError } from '../fill/fill-error.ts';
import type { Warmed } from '../read/warmed.ts';
import { type WarmOrder, type WarmParts, warmObject } from './warm-object.ts';

/** An object to fetch, and the run that it is part of; undefined: of none, which nobody leaves. */
export type WarmOrderOfRun = WarmOrder & { readonly run?: number };

/** What a worker fetches before somebody asks for it. */
export class Warming {
  readonly #parts: () => WarmParts;
  /** What is being fetched for each run. */
  readonly #fetches = new Map<number | undefined, Set<AbortController>>();

  /** @param parts of the configuration in force */
  constructor(parts: () => WarmParts) {
    this.#parts = parts;
  }

  /** See `warmObject`. */
  async fetch({ run, ...order }: WarmOrderOfRun): Promise<Warmed> {
    const leaving = new AbortController();
    const fetches = this.#fetches.get(run) ?? new Set();
    this.#fetches.set(run, fetches.add(leaving));
    try {
      return await warmObject(order, this.#parts(), leaving.signal);
    } finally {
      fetches.delete(leaving);
      if (fetches.size === 0) this.#fetches.delete(run);
    }
  }

  /** Whoever has begun this run has left: what is fetched for it alone is given up. */
  leave(run: number): void {
    for (const leaving of this.#fetches.get(run) ?? []) leaving.abort(new DesertedError());
  }
}
