import type { Readable } from 'node:stream';
import { readContent } from '../disk/content.ts';
import type { StoredObject } from '../disk/versions.ts';
import { evaluateConditions } from '../protocol/conditions.ts';
import { matchCustomerKey } from '../protocol/customer-key.ts';
import type { OperationAnswer } from '../protocol/operation-answer.ts';
import { OperationError } from '../protocol/operation-error.ts';
import { parseReadRequest, type ReadOptions } from '../protocol/read-options.ts';
import { requireReadable } from './archive.ts';
import { checksumHeaders } from './checksum-headers.ts';
import { findObject } from './find-object.ts';
import { requireUsableKmsKey } from './kms-key.ts';
import { headersOfNotModified, objectHeaders } from './object-headers.ts';
import type { ObjectCall } from './operation.ts';
import { type SelectedBytes, selectBytes } from './selection.ts';

/** GetObject and HeadObject: request → object → may it be opened → conditions → range → response. */
export function readObject(call: ObjectCall): OperationAnswer {
  const { request, store } = call;
  const read = parseReadRequest(request, call.caller);
  const object = findObject(call, { current: 'GetObject', version: 'GetObjectVersion' });
  const sealKey = openObject(call, read, object);
  const verdict = evaluateConditions(request, object, store.clock.nowMs());
  if (verdict.kind === 'not-modified') return { status: 304, ...headersOfNotModified(call, object) };
  if (verdict.kind === 'failed') {
    throw new OperationError('PreconditionFailed', { fields: { Condition: verdict.condition } });
  }
  return objectAnswer(call, read, object, sealKey);
}

/** Checks that apply regardless of conditions (docs/semantics.md 89, 90). Returns the key for decryption. */
function openObject(call: ObjectCall, read: ReadOptions, object: StoredObject): Buffer | undefined {
  // HEAD reports the progress of a restore, so it works for archived objects (docs/semantics.md 168, 174)
  if (call.request.method === 'GET' || read.partNumber !== undefined) {
    requireReadable(object, call.store.clock.nowMs());
  }
  requireUsableKmsKey(object.attributes.encryption, call.caller);
  return matchCustomerKey(object.attributes.encryption, read.customerKey);
}

function objectAnswer(
  call: ObjectCall,
  read: ReadOptions,
  object: StoredObject,
  sealKey: Buffer | undefined,
): OperationAnswer {
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
      // opened at once, so that headers and bytes belong to the same object even if it is overwritten
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

/** Overrides apply to whole objects only (docs/semantics.md, Rules 3; docs/semantics.md 136). */
function selectionHeaders(
  selection: SelectedBytes,
  object: StoredObject,
  read: ReadOptions,
): Readonly<Record<string, string>> {
  if (selection.kind === 'whole') return read.overrides;
  return { 'content-range': `bytes ${selection.first}-${selection.last}/${object.sizeBytes}` };
}
