import type { Clock } from '../../base/clock.ts';
import type { Generation } from '../../cache/generation.ts';
import type { RangeReceiver } from '../fill/ranged-read.ts';
import type { RunningTransfer } from '../fill/transfer.ts';
import type { WebContentRead } from './web-read.ts';
import type { WebCache } from './web-records.ts';

/** A worker's cache, with the transfers into it. */
export interface FillingCache extends WebCache {
  keepWhileRead(generation: Generation): void;
  receive(
    read: WebContentRead,
    generation: Generation,
    from: number,
    to: number,
    transfer: RunningTransfer,
  ): RangeReceiver | undefined;
  nowMs(): number;
  readonly clock: Pick<Clock, 'monotonicMs' | 'after'>;
}
