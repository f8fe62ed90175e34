import { ageS, freshUntilMs } from '../../cache/freshness.ts';
import { Generation } from '../../cache/generation.ts';
import type { ObjectRecord } from '../../cache/record.ts';
import type { BucketTable } from '../request/bucket-table.ts';
import { isWeb, targetOfKey } from '../web/web-target.ts';
import type { WorkerCache } from '../workers/worker-cache.ts';
import { describeVariant, digestOf, type SelectingField } from './describe-variant.ts';
import { explainRecord, type RecordExplanation } from './explain-record.ts';
import { namedObject } from './named-object.ts';

/** What the cache holds of one object, for operators. */
export interface ObjectDescription {
  readonly bucket: string;
  readonly key: string;
  readonly backend: string;
  readonly bucketAtBackend: string;
  readonly records: readonly RecordDescription[];
}

interface RecordDescription {
  /** The `recordName`: version id and variant; empty for a request with neither. Of a web origin's answer a digest of its variant. */
  readonly name: string;
  /** By what requests a web origin's answer is selected; set for these. */
  readonly variant?: readonly SelectingField[];
  readonly kind: ObjectRecord['kind'];
  readonly status: number;
  readonly entityTag: string | undefined;
  readonly versionId: string | undefined;
  readonly sizeBytes: number | undefined;
  readonly ageS: number;
  /** Remaining seconds of freshness; zero for a record that the store is asked about at its next use. */
  readonly ttlS: number;
  /** Whether a write, or an event of the store, has told since that the object may have changed. */
  readonly isOutdated: boolean;
  readonly memory: { readonly blocks: number; readonly bytes: number };
  readonly freshness: RecordExplanation;
}

/** Describes what `objects` holds of `key`; undefined when it holds nothing. */
export function describeObject(
  bucketName: string,
  key: string,
  objects: WorkerCache,
  buckets: BucketTable,
): ObjectDescription | undefined {
  const bucket = buckets.find(bucketName);
  if (!bucket) return undefined;
  const named = namedObject(bucket, key);
  const entry = objects.table.peek(named) ?? objects.revive({ bucket, objectKey: named });
  if (!entry) return undefined;
  const isOfWeb = isWeb(bucket);
  const { cache: policy, requests } = bucket.rulesFor(isOfWeb ? targetOfKey(bucket, named).path : key);
  const epoch = objects.epochs.current(named);
  const nowMs = objects.nowMs();
  const records = Array.from(entry.records, ([name, record]): RecordDescription => {
    const content =
      record.kind === 'readable' && record.content instanceof Generation ? record.content : undefined;
    const isOutdated = record.epoch !== epoch;
    const freshForMs = isOutdated ? 0 : freshUntilMs(record, policy, nowMs) - nowMs;
    const answer = record.kind === 'readable' ? record.answer : undefined;
    // what is outdated may have been asked for by rules from before a reload, with other secrets
    const mayShow = (field: string) => !isOutdated && !requests?.changes(field);
    return {
      ...(isOfWeb
        ? { name: name && digestOf(name), variant: describeVariant(name, answer?.vary ?? [], mayShow) }
        : { name }),
      kind: record.kind,
      status: statusOf(record),
      entityTag: record.kind === 'readable' ? record.entityTag : undefined,
      versionId: record.kind === 'readable' ? record.versionId : undefined,
      sizeBytes: record.kind === 'readable' ? record.sizeBytes : undefined,
      ageS: ageS(record, nowMs),
      ttlS: Math.max(0, Math.ceil(freshForMs / 1000)),
      isOutdated,
      memory: { blocks: content?.heldBlocks ?? 0, bytes: content?.heldBytes ?? 0 },
      freshness: explainRecord(record, policy, nowMs, objects.barriers.notedFor(named.text, record.tagSlots)),
    };
  });
  return { bucket: bucketName, key, backend: bucket.store.name, bucketAtBackend: named.bucket, records };
}

function statusOf(record: ObjectRecord): number {
  if (record.kind === 'readable') return record.answer?.status ?? 200;
  return record.kind === 'refused' ? record.status : 200;
}
