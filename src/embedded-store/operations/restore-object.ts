import { z } from 'zod';
import type { OperationAnswer } from '../protocol/operation-answer.ts';
import { OperationError } from '../protocol/operation-error.ts';
import { receiveDocument } from '../protocol/received-document.ts';
import { emptyElement, parseXml } from '../protocol/xml.ts';
import { archiveState } from './archive.ts';
import { findObject } from './find-object.ts';
import { midnightAfterDays } from './lifecycle.ts';
import type { ObjectCall } from './operation.ts';

const form = {
  root: 'RestoreRequest',
  schema: emptyElement.or(
    z.object({
      Days: z
        .string()
        .regex(/^[1-9]\d{0,4}$/)
        .optional(),
    }),
  ),
};

/**
 * RestoreObject: the copy becomes readable after the store's delay and expires at midnight UTC after the given number
 * of days (docs/semantics.md 167 to 172). Repeating the request extends it. An object restored from a tier stays
 * readable; days are not given.
 */
export async function restoreObject(call: ObjectCall): Promise<OperationAnswer> {
  const request = parseXml(await receiveDocument(call), form);
  const days = 'Days' in request ? request.Days : undefined;
  const object = findObject(call, { current: 'RestoreObject', version: 'RestoreObject' });
  const { store } = call;
  const nowMs = store.clock.nowMs();
  const state = archiveState(object, nowMs);
  if (state.kind === 'restoring') throw new OperationError('RestoreAlreadyInProgress');
  if (state.kind === 'at-hand') {
    throw new OperationError('InvalidObjectState', {
      message: "Restore is not allowed for the object's current storage class",
      fields: { StorageClass: object.storageClass },
    });
  }
  const isForGood = object.attributes.accessTier !== undefined;
  if (isForGood !== (days === undefined)) throw new OperationError('MalformedXML');
  const readyAtMs = state.kind === 'restored' ? nowMs : nowMs + store.restoreDelayMs;
  const expiry = isForGood ? {} : { expiresAtMs: midnightAfterDays(readyAtMs, Number(days)) };
  store.versions.change(object, { restore: { readyAtMs, ...expiry } });
  return { status: state.kind === 'restored' ? 200 : 202 };
}
