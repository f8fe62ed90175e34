import type { Faults } from '../../base/faults.ts';
import type { Readers } from './readers.ts';
import type { RetryContext } from './retries.ts';
import type { SlotSignals } from './slot-wait.ts';

/** What all extents of a worker share. */
export interface ExtentContext extends SlotSignals, RetryContext {
  readonly readers: Pick<Readers, 'pace' | 'isWanted' | 'isWantedSoon'>;
  /** Receives unexpected exceptions that ended a transfer. */
  readonly faults?: Faults | undefined;
}
