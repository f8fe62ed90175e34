import { readContent } from '../disk/content.ts';
import type { StoredObject } from '../disk/versions.ts';
import { evaluateConditions } from '../protocol/conditions.ts';
import type { CopySource } from '../protocol/copy-source.ts';
import { matchCustomerKey, parseCustomerKey } from '../protocol/customer-key.ts';
import { OperationError } from '../protocol/operation-error.ts';
import { requireReadable } from './archive.ts';
import { findBucket } from './find-bucket.ts';
import { findVersion, shownVersionId } from './find-object.ts';
import { requireUsableKmsKey } from './kms-key.ts';
import type { ObjectCall } from './operation.ts';
import { checkedVersionId } from './version-id.ts';

/** The source object of a copy. */
interface OpenedSource {
  readonly object: StoredObject;
  /** Reads the bytes `first` to `last`, inclusive. Must be read to the end. */
  readonly read: (first: number, last: number) => AsyncIterable<Uint8Array>;
  /** The header with the source's version id, without prefix. */
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Opens the source of a copy, if the caller may read it and the conditions hold.
 *
 * @throws the errors of reading it, and PreconditionFailed
 */
export function openCopySource(call: ObjectCall, source: CopySource): OpenedSource {
  const { store, request } = call;
  const bucket = findBucket(store, source.bucket);
  const sourceCall = { ...call, bucket, key: source.key };
  const versionId = checkedVersionId(source.versionId, bucket);
  const object = findVersion(sourceCall, versionId, { current: 'GetObject', version: 'GetObjectVersion' });
  const nowMs = store.clock.nowMs();
  requireReadable(object, nowMs);
  const { encryption } = object.attributes;
  requireUsableKmsKey(encryption, call.caller);
  const sealKey = matchCustomerKey(encryption, parseCustomerKey(request, 'copy-source'));
  const conditions = { header: (name: string) => request.prefixed(`copy-source-${name}`) };
  if (evaluateConditions(conditions, object, nowMs).kind !== 'proceed')
    throw new OperationError('PreconditionFailed');
  const shown = shownVersionId(sourceCall, object);
  return {
    object,
    read: (first, last) =>
      readContent(store.blobs, store.pieces.within(object.rowId, first, last), first, last, sealKey),
    headers: { ...(shown && { 'copy-source-version-id': shown }) },
  };
}
