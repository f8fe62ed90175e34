import type { Faults } from '../../base/faults.ts';
import type { Readers } from './readers.ts';
import type { SlotSignals } from './slot-wait.ts';

/** What all extents of a worker share. */
export interface ExtentContext extends SlotSignals {
  readonly readers: Pick<Readers, 'pace' | 'isWantedSoon'>;
  /** A number in [0, 1), for jitter. */
  readonly random: () => number;
  /** Counts a repeated request to `backend`. */
  readonly retried: (backend: string, reason: string) => void;
  /** Receives unexpected exceptions that ended a transfer. */
  readonly faults?: Faults | undefined;
}
