import type { Clock } from '../../base/clock.ts';
import { errorCode } from '../../base/error-code.ts';
import type { Content } from '../../cache/content.ts';
import { recordName, type Variant } from '../../cache/record.ts';
import { parseRange } from '../../http/range.ts';
import { pathKeyProblem } from '../../s3/path-key.ts';
import { RefusedByStoreError } from '../fill/fill-error.ts';
import type { ObjectSources } from '../read/object-source.ts';
import { type Bucket, objectKeyOf } from '../request/bucket.ts';
import type { BucketTable } from '../request/bucket-table.ts';
import type { ObjectRead } from '../request/object-read.ts';

/** An object to fetch before somebody asks for it, by the names that clients use. */
export interface WarmOrder {
  readonly bucket: string;
  readonly key: string;
  /** Whether an event told that it has changed: then the rules in force have to ask for it (`onChange: warm`). */
  readonly isChanged?: boolean;
}

/** What became of it. */
export type Warmed =
  | { readonly kind: 'warmed' | 'held'; readonly bytes: number }
  /** It is not kept: too large, without a strong entity tag, or directives or rules forbid it. */
  | { readonly kind: 'uncached' }
  | { readonly kind: 'refused'; readonly status: number }
  /** @param code of the error, such as `CIRCUIT_OPEN` */
  | { readonly kind: 'failed'; readonly code: string };

interface WarmParts {
  readonly sources: ObjectSources;
  readonly buckets: Pick<BucketTable, 'find'>;
  readonly clock: Clock;
  /** Whether requests of clients wait for stores. */
  readonly isBusy: () => boolean;
}

/** Clients come first, for so long. */
const PATIENCE_MS = 2_000;
const LOOK_AGAIN_MS = 20;

const plain: Variant = { origin: undefined, expectedBucketOwner: undefined, requestPayer: undefined };

/** Reads an object as a client without any wishes would, so that it is held afterwards. Never rejects. */
export async function warmObject(
  { bucket: name, key, isChanged }: WarmOrder,
  parts: WarmParts,
): Promise<Warmed> {
  const bucket = parts.buckets.find(name);
  if (!bucket) return { kind: 'failed', code: 'UNKNOWN_BUCKET' };
  if (bucket.keys !== 'exact' && pathKeyProblem(bucket.keyPrefix + key) !== undefined)
    return { kind: 'failed', code: 'KEY_MAY_MEAN_ANOTHER' };
  const wanted = plainRead(bucket, key);
  const isUnwanted = isChanged === true && bucket.rulesFor(key).onChange !== 'warm';
  if (isUnwanted || wanted.policy.mode === 'bypass') return { kind: 'uncached' };
  await clientsFirst(parts);
  try {
    return await read(wanted, parts);
  } catch (error) {
    if (error instanceof RefusedByStoreError) return { kind: 'refused', status: error.reply.status };
    return { kind: 'failed', code: errorCode(error) ?? 'UNKNOWN' };
  }
}

async function read(wanted: ObjectRead, { sources }: WarmParts): Promise<Warmed> {
  const { record, how, isStored } = await sources.sourceOf(wanted.objectKey.hash).find(wanted);
  if (record.kind === 'refused') return { kind: 'refused', status: record.status };
  if (record.kind === 'uncacheable' || (how === 'fetched' && !isStored)) return { kind: 'uncached' };
  if (!record.isUsableForGet) return { kind: 'refused', status: 403 };
  const { content, sizeBytes } = record;
  const isHeld = sizeBytes === 0 || content.coverage(0, sizeBytes) === 'all';
  if (!isHeld) await readThrough(content);
  return { kind: isHeld && how !== 'fetched' ? 'held' : 'warmed', bytes: sizeBytes };
}

async function readThrough(content: Content): Promise<void> {
  const reader = content.open(0, content.sizeBytes);
  try {
    for (let loan = await reader.next(); loan; loan = await reader.next()) loan.release();
  } finally {
    reader.close();
  }
}

async function clientsFirst({ clock, isBusy }: WarmParts): Promise<void> {
  const endMs = clock.monotonicMs() + PATIENCE_MS;
  while (isBusy() && clock.monotonicMs() < endMs)
    await new Promise<void>(resolve => clock.after(LOOK_AGAIN_MS, resolve));
}

function plainRead(bucket: Bucket, key: string): ObjectRead {
  return {
    method: 'GET',
    bucket,
    policy: bucket.rulesFor(key).cache,
    objectKey: objectKeyOf(bucket, key),
    versionId: undefined,
    variant: plain,
    recordName: recordName(undefined, plain, 'GET'),
    range: parseRange(undefined),
    partNumber: undefined,
    isConditional: false,
  };
}
