import type { Clock } from '../../base/clock.ts';
import { recordName, type Variant } from '../../cache/record.ts';
import { parseRange } from '../../http/range.ts';
import { parseErrorBody } from '../../s3/error-body.ts';
import { pathKeyProblem } from '../../s3/path-key.ts';
import { RefusedByStoreError } from '../fill/fill-error.ts';
import type { ObjectSources } from '../read/object-source.ts';
import { failedWith, readThrough, type Warmed } from '../read/warmed.ts';
import { type Bucket, objectKeyOf } from '../request/bucket.ts';
import type { BucketTable } from '../request/bucket-table.ts';
import type { ObjectRead } from '../request/object-read.ts';
import type { WebSources } from '../web/web-server.ts';
import { isWeb, pageProblem, type WebPage, webKeyOf } from '../web/web-target.ts';

/** An object to fetch before somebody asks for it, by the names that clients use. */
export interface WarmOrder {
  readonly bucket: string;
  readonly key: string;
  /** Whether an event told that it has changed: then the rules in force have to ask for it (`onChange: warm`). */
  readonly isChanged?: boolean;
}

export interface WarmParts {
  readonly sources: ObjectSources;
  readonly webSources: WebSources;
  readonly buckets: Pick<BucketTable, 'find'>;
  readonly clock: Clock;
  /** Whether requests of clients wait for stores. */
  readonly isBusy: () => boolean;
}

/** Clients come first, for so long. */
const PATIENCE_MS = 2_000;
const LOOK_AGAIN_MS = 20;

const plain: Variant = { origin: undefined, expectedBucketOwner: undefined, requestPayer: undefined };

/**
 * Reads an object as a client without any wishes would, so that it is held afterwards. Never rejects.
 *
 * @param gone aborted when nobody wants it any more
 */
export async function warmObject(
  { bucket: name, key, isChanged }: WarmOrder,
  parts: WarmParts,
  gone: AbortSignal,
): Promise<Warmed> {
  const bucket = parts.buckets.find(name);
  if (!bucket) return { kind: 'failed', code: 'UNKNOWN_BUCKET' };
  if (isChanged === true && bucket.rulesFor(key).onChange !== 'warm') return { kind: 'uncached' };
  if (isWeb(bucket)) return warmPage({ bucket, key }, parts, gone);
  if (bucket.keys !== 'exact' && pathKeyProblem(bucket.keyPrefix + key) !== undefined)
    return { kind: 'failed', code: 'KEY_MAY_MEAN_ANOTHER' };
  const wanted = plainRead(bucket, key);
  if (wanted.policy.mode === 'bypass') return { kind: 'uncached' };
  await clientsFirst(parts);
  try {
    return await read(wanted, parts, gone);
  } catch (error) {
    if (error instanceof RefusedByStoreError) return refusedWith(error.reply);
    return failedWith(error);
  }
}

/** The same at a web origin, of what nobody in particular is answered. */
async function warmPage(page: WebPage, parts: WarmParts, gone: AbortSignal): Promise<Warmed> {
  const code = pageProblem(page);
  if (code !== undefined) return { kind: 'failed', code };
  await clientsFirst(parts);
  return parts.webSources.webSourceOf(webKeyOf(page.bucket, page.key).hash).warm(page, gone);
}

async function read(wanted: ObjectRead, { sources }: WarmParts, gone: AbortSignal): Promise<Warmed> {
  gone.throwIfAborted();
  const { record, how, isStored } = await sources.sourceOf(wanted.objectKey.hash).find(wanted);
  if (record.kind === 'refused') return refusedWith(record);
  if (record.kind === 'uncacheable' || (how === 'fetched' && !isStored)) return { kind: 'uncached' };
  if (!record.isUsableForGet) return { kind: 'refused', status: 403, code: 'InvalidObjectState' };
  const { content, sizeBytes } = record;
  const isHeld = sizeBytes === 0 || content.coverage(0, sizeBytes) === 'all';
  if (!isHeld) await readThrough(content, gone);
  return { kind: isHeld && how !== 'fetched' ? 'held' : 'warmed', bytes: sizeBytes };
}

function refusedWith({ status, body }: { readonly status: number; readonly body: Buffer }): Warmed {
  const code = parseErrorBody(body)?.code;
  // a store may write anything there
  return { kind: 'refused', status, ...(code !== undefined && /^[\w.-]{1,64}$/.test(code) && { code }) };
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
