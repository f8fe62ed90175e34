import type { Clock } from '../../base/clock.ts';
import type { Entry } from '../../cache/entry.ts';
import type { EntryTable } from '../../cache/entry-table.ts';
import type { Epochs } from '../../cache/epochs.ts';
import type { Generation } from '../../cache/generation.ts';
import type { GenerationIdentity } from '../../cache/generation-identity.ts';
import type { NameChanges } from '../../cache/name-changes.ts';
import type { ObjectKey } from '../../cache/object-key.ts';
import type { PurgeBarriers } from '../../cache/purge-barriers.ts';
import type { StoodInNames } from '../../cache/stood-in-names.ts';
import type { UnsettledKeys } from '../../cache/unsettled-keys.ts';
import type { RangeReceiver } from '../fill/ranged-read.ts';
import type { RunningTransfer } from '../fill/transfer.ts';
import type { WebContentRead } from './web-read.ts';
import type { WebBucket } from './web-target.ts';

/** The part of a worker's cache that holds what web origins have answered. */
export interface WebCache {
  readonly table: EntryTable;
  readonly epochs: Epochs;
  readonly barriers: PurgeBarriers;
  readonly changes: NameChanges;
  readonly unsettled: UnsettledKeys;
  readonly stoodIn: Pick<StoodInNames, 'answered'>;
  revive(object: { readonly bucket: WebBucket; readonly objectKey: ObjectKey }): Entry | undefined;
  create(read: WebContentRead, identity: GenerationIdentity): Generation;
}

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
