import type { Readable } from 'node:stream';
import { readContent } from '../disk/content.ts';
import type { StoredObject } from '../disk/versions.ts';
import type { Answer } from '../protocol/answer.ts';
import { judgeConditions } from '../protocol/conditions.ts';
import { matchCustomerKey } from '../protocol/customer-key.ts';
import { parseReadRequest, type ReadRequest } from '../protocol/read-request.ts';
import { StoreError } from '../protocol/store-error.ts';
import { demandAtHand } from './archive.ts';
import { checksumHeaders } from './checksum-headers.ts';
import { findObject } from './find-object.ts';
import { demandUsableKmsKey } from './kms-key.ts';
import { notModifiedHeaders, objectHeaders } from './object-headers.ts';
import type { ObjectCall } from './operation.ts';
import { type Selection, selectBytes } from './selection.ts';

/** GetObject and HeadObject: request → object → may it be opened → conditions → bytes selected → answer. */
export function readObject(call: ObjectCall): Answer {
  const { request, store } = call;
  const read = parseReadRequest(request, call.caller);
  const object = findObject(call, { current: 'GetObject', version: 'GetObjectVersion' });
  const sealKey = openObject(call, read, object);
  const verdict = judgeConditions(request, object, store.clock.nowMs());
  if (verdict.kind === 'not-modified') return { status: 304, ...notModifiedHeaders(call, object) };
  if (verdict.kind === 'failed') {
    throw new StoreError('PreconditionFailed', { fields: { Condition: verdict.condition } });
  }
  return objectAnswer(call, read, object, sealKey);
}

/**
 * What stands before the bytes, whatever the conditions say (behaviours.md 89, 90). Gives the key to open
 * them.
 */
function openObject(call: ObjectCall, read: ReadRequest, object: StoredObject): Buffer | undefined {
  // HEAD tells how a restore goes on, so the archive is no obstacle to it (behaviours.md 168, 174)
  if (call.request.method === 'GET' || read.partNumber !== undefined) {
    demandAtHand(object, call.store.clock.nowMs());
  }
  demandUsableKmsKey(object.attributes.encryption, call.caller);
  return matchCustomerKey(object.attributes.encryption, read.customerKey);
}

function objectAnswer(
  call: ObjectCall,
  read: ReadRequest,
  object: StoredObject,
  sealKey: Buffer | undefined,
): Answer {
  const selection = selectBytes(call, read, object);
  const { headers, prefixed } = objectHeaders(call, object);
  const { first, last } = selection.kind === 'span' ? selection : { first: 0, last: object.sizeBytes - 1 };
  return {
    status: selection.kind === 'span' ? 206 : 200,
    headers: { ...headers, ...selectionHeaders(selection, object, read) },
    prefixed: {
      ...prefixed,
      ...(selection.part && { 'mp-parts-count': String(selection.part.partsCount) }),
      ...(read.wantsChecksum && checksumHeaders(object, selection)),
    },
    body: {
      kind: 'bytes',
      sizeBytes: last - first + 1,
      // opened at once, so that no overwriting comes between the headers and the bytes
      content: call.request.method === 'GET' ? contentOf(call, object, { first, last }, sealKey) : undefined,
    },
  };
}

function contentOf(
  { store }: ObjectCall,
  object: StoredObject,
  { first, last }: { readonly first: number; readonly last: number },
  sealKey: Buffer | undefined,
): Readable {
  const pieces = store.pieces.within(object.rowId, first, last);
  return readContent(store.blobs, pieces, first, last, sealKey);
}

/** Overrides hold for a whole object only (object-retrieval.md, Rules 3; behaviours.md 136). */
function selectionHeaders(
  selection: Selection,
  object: StoredObject,
  read: ReadRequest,
): Readonly<Record<string, string>> {
  if (selection.kind === 'whole') return read.overrides;
  return { 'content-range': `bytes ${selection.first}-${selection.last}/${object.sizeBytes}` };
}
