import { createHash } from 'node:crypto';
import { sendAndCollect } from '../../backend/collected-reply.ts';
import type { Store } from '../../backend/store.ts';
import type { OpenWrites } from '../../cache/open-writes.ts';
import { parseErrorBody } from '../../s3/error-body.ts';
import { pathKeyProblem } from '../../s3/path-key.ts';
import { formatRestoreDocument } from '../../s3/restore-document.ts';
import { mayBePath } from '../../s3/store-id.ts';
import { StoreWrite } from '../pass/write/store-write.ts';
import { type Bucket, objectKeyOf, ruledFields } from '../request/bucket.ts';
import type { BucketTable } from '../request/bucket-table.ts';

/** A request for a readable copy of an archived object, by the names that clients use. */
export interface RestoreRequest {
  readonly bucket: string;
  readonly key: string;
  readonly versionId?: string;
  /** Lifetime of the copy. */
  readonly days: number;
  readonly tier: 'Standard' | 'Bulk' | 'Expedited';
}

/** The store's answer. */
export type RestoreOutcome =
  /** The copy will be available in minutes or hours. */
  | { readonly kind: 'begun' }
  /** The copy existed already; its lifetime was extended. */
  | { readonly kind: 'ready' }
  | { readonly kind: 'refused'; readonly code: string }
  | { readonly kind: 'unreachable' }
  | { readonly kind: 'unknown-bucket' };

const MAX_ERROR_BYTES = 16 * 1024;

/**
 * Sends RestoreObject to the bucket's store. The store answers 202 when it starts and 200 when the copy exists already
 * (docs/semantics.md 167 to 172). Objects of an archive *tier* are restored permanently, and the store rejects `Days`
 * for them as malformed. It is a write to the object (docs/architecture.md, law 5). Never rejects.
 */
export async function requestRestore(
  request: RestoreRequest,
  buckets: BucketTable,
  writes: Pick<OpenWrites, 'begin'>,
): Promise<RestoreOutcome> {
  const bucket = buckets.find(request.bucket);
  if (!bucket) return { kind: 'unknown-bucket' };
  // a web origin archives nothing
  if (bucket.web) return { kind: 'refused', code: 'NotImplemented' };
  const { key, versionId = '' } = request;
  const isPlain = bucket.keys === 'exact' || pathKeyProblem(bucket.keyPrefix + key) === undefined;
  if (!isPlain || mayBePath(bucket.keys, versionId)) return { kind: 'refused', code: 'InvalidArgument' };
  try {
    const first = await ask(request, bucket, writes, String(request.days));
    const isTiered = first.kind === 'refused' && first.code === 'MalformedXML';
    return isTiered ? await ask(request, bucket, writes, undefined) : first;
  } catch {
    return { kind: 'unreachable' };
  }
}

/** Whoever presses the button of a card counts among no clients. */
const operator = { beginWrite: () => () => undefined };

async function ask(
  request: RestoreRequest,
  bucket: Bucket,
  writes: Pick<OpenWrites, 'begin'>,
  days: string | undefined,
): Promise<RestoreOutcome> {
  const body = Buffer.from(formatRestoreDocument({ days, tier: request.tier }));
  const { keySlot } = objectKeyOf(bucket, request.key);
  const store: Pick<Store, 'send'> = {
    send: (toSend, receiver) =>
      StoreWrite.send(operator, {
        ...{ store: bucket.store, request: toSend, open: writes.begin(keySlot), receiver },
        resultLimitBytes: 0,
      }),
  };
  const reply = await sendAndCollect(
    store,
    {
      method: 'POST',
      operation: 'RestoreObject',
      bucket: bucket.bucketAtStore,
      key: bucket.keyPrefix + request.key,
      query:
        request.versionId === undefined
          ? 'restore'
          : `restore&versionId=${encodeURIComponent(request.versionId)}`,
      fields: ruledFields(bucket, request.key, [
        { store: false, name: 'content-type', value: 'application/xml' },
        { store: false, name: 'content-md5', value: createHash('md5').update(body).digest('base64') },
      ]),
      body,
    },
    { limitBytes: MAX_ERROR_BYTES },
  );
  if (reply.status === 202) return { kind: 'begun' };
  if (reply.status === 200) return { kind: 'ready' };
  const code = parseErrorBody(reply.body)?.code;
  return { kind: 'refused', code: code ?? `status ${reply.status}` };
}
