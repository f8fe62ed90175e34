import type { Faults } from '../../base/faults.ts';
import type { Generation } from '../../cache/generation.ts';
import type { SlotSignals } from './slot-wait.ts';

/** What an extent needs from its environment. */
export interface ExtentContext extends SlotSignals {
  /** A number in [0, 1), for jitter. */
  readonly random: () => number;
  /** Counts a repeated request to `backend`. */
  readonly retried: (backend: string, reason: string) => void;
  /** Receives unexpected exceptions that ended a transfer. */
  readonly faults?: Faults | undefined;
  /** Whether the transfer of a whole content may continue at a position, see `Readers.pace`. */
  readonly pace: (generation: Generation, position: number) => 'go' | 'hold' | 'stop';
  /** Whether a reader that has not stalled is going to read some of `[from, to)`. */
  readonly isWanted: (generation: Generation, from: number, to: number) => boolean;
  /** Whether extents with waiting readers lack slots: read-ahead must not take any then. */
  readonly lacksRoom: () => boolean;
}
