import type { Faults } from '../../base/faults.ts';
import type { Generation } from '../../cache/generation.ts';
import type { SlotSignals } from './slot-wait.ts';

/** What an extent needs around it. */
export interface ExtentContext extends SlotSignals {
  /** A number in [0, 1): spreads retries. */
  readonly random: () => number;
  /** A transfer from `backend` is tried again. */
  readonly retried: (backend: string, reason: string) => void;
  /** Told of exceptions that end a transfer and should not have happened. */
  readonly faults?: Faults | undefined;
  /** Whether a transfer of a whole content is to go on at a position, see `Readers.pace`. */
  readonly pace: (generation: Generation, position: number) => 'go' | 'hold' | 'stop';
  /** Whether somebody who has been moving lately is going to read some of `[from, to)`. */
  readonly isWanted: (generation: Generation, from: number, to: number) => boolean;
  /** Whether extents for which readers wait lack room: then what is fetched ahead takes none. */
  readonly lacksRoom: () => boolean;
}
