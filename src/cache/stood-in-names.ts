import { LRUCache } from 'lru-cache';
import type { Clock } from '../base/clock.ts';
import type { EntryTable } from './entry-table.ts';
import type { Epochs } from './epochs.ts';
import { type ObjectKey, ownerOf } from './object-key.ts';

/** Several workers may stand in for one owner, and none hears what the others learn: so old is what they know at most. */
const KEPT_MS = 1_000;

/** So many are known of each owner, and so long are they together; what was learned of others is asked for again. */
const NAMES_LIMIT = 4_096;
const CHARACTERS_LIMIT = 2 ** 20;

interface StoodInParts {
  readonly table: Pick<EntryTable, 'drop'>;
  readonly epochs: Pick<Epochs, 'raise'>;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly worker: number;
  readonly workers: number;
}

interface StoodInName {
  /** Whether what others hold has been outdated. */
  isOutdated: boolean;
  /** When the first answer came after that, which is kept. */
  keptMs: number | undefined;
}

type Name = Pick<ObjectKey, 'text' | 'hash' | 'keySlot'>;

/**
 * The names that a worker answers for in place of their owners, which are blocked or have ended. Nobody is given for long what is
 * older than what somebody has had already: what this worker has learned so is used for a second, and as long as the owner, which
 * learns without it, cannot be asked; and what the owner has is asked for again once something else may be known here.
 */
export class StoodInNames {
  readonly #parts: StoodInParts;
  /** By owner and `ObjectKey.text`. */
  readonly #ofOwners = new Map<number, LRUCache<string, StoodInName>>();

  constructor(parts: StoodInParts) {
    this.#parts = parts;
  }

  /** The owner of `key` cannot be asked. */
  begin(key: Name): void {
    const { table, clock, workers } = this.#parts;
    const owner = this.#ownerOf(key);
    const names = this.#ofOwners.get(owner) ?? noNames();
    this.#ofOwners.set(owner, names);
    const known = names.get(key.text);
    const { keptMs = Infinity } = known ?? {};
    // of two workers no other one stands in
    if (known && (workers === 2 || clock.monotonicMs() - keptMs < KEPT_MS)) return;
    table.drop(key.text);
    names.set(key.text, { isOutdated: false, keptMs: undefined });
  }

  /**
   * The origin has answered this worker what `key` names, and has not failed. It may have been asked before the owner was there
   * again.
   *
   * @param isUnkept whether the answer is for its client alone: a worker asks for such ones also while the owner is there
   */
  answered(key: Name, isUnkept: boolean): void {
    const owner = this.#ownerOf(key);
    if (owner === this.#parts.worker) return;
    const known = this.#ofOwners.get(owner)?.get(key.text);
    if (known?.isOutdated) {
      known.keptMs ??= this.#parts.clock.monotonicMs();
      return;
    }
    if (known) known.isOutdated = true;
    if (known || !isUnkept) this.#parts.epochs.raise(key.keySlot);
  }

  /** `owner` can be asked again. */
  end(owner: number): void {
    this.#ofOwners.delete(owner);
  }

  #ownerOf({ hash }: Name): number {
    return ownerOf(hash, this.#parts.workers);
  }
}

function noNames(): LRUCache<string, StoodInName> {
  return new LRUCache({
    ...{ max: NAMES_LIMIT, maxSize: CHARACTERS_LIMIT },
    sizeCalculation: (_value, { length }) => length,
  });
}
