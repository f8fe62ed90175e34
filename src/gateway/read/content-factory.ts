import type { Generation } from '../../cache/generation.ts';
import type { GenerationIdentity } from '../../cache/generation-identity.ts';
import type { RangeReceiver } from '../fill/ranged-read.ts';
import type { RunningTransfer } from '../fill/transfer.ts';
import type { ObjectRead } from '../request/object-read.ts';

/** Creates the contents of records and receives their bytes. */
export interface ContentFactory {
  create(read: ObjectRead, identity: GenerationIdentity): Generation;
  /** Keeps `generation`, to which no record refers, for the readers it is announced to now. */
  keepWhileRead(generation: Generation): void;
  /** Size of the first request for an object, while `others` are in progress. */
  firstExtentBytes(others: number): number;
  /** A receiver for bytes `[from, to)` of `generation`; undefined if some of them are held or being fetched. */
  receive(
    read: ObjectRead,
    generation: Generation,
    from: number,
    to: number,
    transfer: RunningTransfer,
  ): RangeReceiver | undefined;
}
