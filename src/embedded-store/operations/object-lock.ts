import { z } from 'zod';
import { LEGAL_HOLDS, LOCK_MODES } from '../disk/object-attributes.ts';
import type { StoredObject } from '../disk/versions.ts';
import type { Answer } from '../protocol/answer.ts';
import { formatIsoDate, parseIsoDate } from '../protocol/dates.ts';
import { receiveDocument } from '../protocol/received-document.ts';
import { StoreError } from '../protocol/store-error.ts';
import { parseXml, xmlResult } from '../protocol/xml.ts';
import { findObject } from './find-object.ts';
import { demandLocks, mayBypassGovernance } from './lock.ts';
import type { ObjectCall } from './operation.ts';

const HOLD_FORM = { root: 'LegalHold', schema: z.object({ Status: z.enum(LEGAL_HOLDS) }) };
const RETENTION_FORM = {
  root: 'Retention',
  schema: z.object({ Mode: z.enum(LOCK_MODES), RetainUntilDate: z.string() }),
};

/** PutObjectLegalHold. */
export async function putLegalHold(call: ObjectCall): Promise<Answer> {
  const { Status: legalHold } = parseXml(await receiveDocument(call), HOLD_FORM);
  const object = findLockable(call, 'PutObjectLegalHold');
  call.store.versions.change(object, { legalHold });
  return { status: 200 };
}

/** GetObjectLegalHold. */
export function getLegalHold(call: ObjectCall): Answer {
  const { legalHold } = findLockable(call, 'GetObjectLegalHold').attributes;
  if (!legalHold) throw new StoreError('NoSuchObjectLockConfiguration');
  return { status: 200, body: xmlResult('LegalHold', { Status: legalHold }) };
}

/** PutObjectRetention: later at any time, earlier or weaker only in GOVERNANCE mode and with that permission. */
export async function putRetention(call: ObjectCall): Promise<Answer> {
  const { Mode: mode, RetainUntilDate } = parseXml(await receiveDocument(call), RETENTION_FORM);
  const untilMs = parseIsoDate(RetainUntilDate);
  if (untilMs === undefined) throw new StoreError('MalformedXML');
  const object = findLockable(call, 'PutObjectRetention');
  const { retention } = object.attributes;
  const isWeaker =
    retention !== undefined &&
    call.store.clock.nowMs() < retention.untilMs &&
    (untilMs < retention.untilMs || mode !== retention.mode);
  if (isWeaker && !(retention.mode === 'GOVERNANCE' && mayBypassGovernance(call, call.key))) {
    throw new StoreError('AccessDenied', {
      message: 'Access Denied because object protected by object lock.',
    });
  }
  call.store.versions.change(object, { retention: { mode, untilMs } });
  return { status: 200 };
}

/** GetObjectRetention. */
export function getRetention(call: ObjectCall): Answer {
  const { retention } = findLockable(call, 'GetObjectRetention').attributes;
  if (!retention) throw new StoreError('NoSuchObjectLockConfiguration');
  const content = { Mode: retention.mode, RetainUntilDate: formatIsoDate(retention.untilMs) };
  return { status: 200, body: xmlResult('Retention', content) };
}

/**
 * Locks know one permission, whether a version is named or not. Throws InvalidRequest where there are no
 * locks.
 */
function findLockable(call: ObjectCall, action: string): StoredObject {
  const object = findObject(call, { current: action, version: action });
  demandLocks(call);
  return object;
}
