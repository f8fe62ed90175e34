import type { Epochs } from '../../cache/epochs.ts';
import type { PurgeBarriers } from '../../cache/purge-barriers.ts';

/** What tells that a record does not hold any more. */
export interface Invalidations {
  readonly epochs: Epochs;
  readonly barriers: PurgeBarriers;
}
