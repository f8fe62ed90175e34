import type { EntryTable } from './entry-table.ts';
import type { Epochs } from './epochs.ts';
import type { ObjectKey } from './object-key.ts';

/** As many are known of each owner; what was learned of the others is asked for again. */
const MOST_NAMES = 4_096;

/**
 * The names that a worker answers for in place of their owners, which are blocked or have ended. Nobody is given what is older than
 * what somebody has had already: what this worker has learned so is used as long as that lasts, since the owner learns without it;
 * and what the owner has is asked for again once something else may be known here.
 */
export class StoodInNames {
  readonly #table: Pick<EntryTable, 'drop'>;
  readonly #epochs: Pick<Epochs, 'raise'>;
  /** By owner and `ObjectKey.text`: whether what the owner holds has been outdated. */
  readonly #ofOwners = new Map<number, Map<string, boolean>>();

  constructor(table: Pick<EntryTable, 'drop'>, epochs: Pick<Epochs, 'raise'>) {
    this.#table = table;
    this.#epochs = epochs;
  }

  /** `owner` cannot be asked for `key`. */
  begin(owner: number, { text }: Pick<ObjectKey, 'text'>): void {
    const names = this.#ofOwners.get(owner) ?? new Map<string, boolean>();
    this.#ofOwners.set(owner, names);
    if (names.has(text)) return;
    if (names.size >= MOST_NAMES) names.clear();
    this.#table.drop(text);
    names.set(text, false);
  }

  /** The origin has answered this worker what `key` names. */
  learned({ text, keySlot }: Pick<ObjectKey, 'text' | 'keySlot'>): void {
    for (const names of this.#ofOwners.values()) {
      if (names.get(text) !== false) continue;
      names.set(text, true);
      this.#epochs.raise(keySlot);
    }
  }

  /** `owner` can be asked again. */
  end(owner: number): void {
    this.#ofOwners.delete(owner);
  }
}
