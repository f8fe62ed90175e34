import { z } from 'zod';
import { legalHolds, lockModes } from '../disk/object-attributes.ts';
import type { StoredObject } from '../disk/versions.ts';
import { formatIsoDate, parseIsoDate } from '../protocol/dates.ts';
import type { OperationAnswer } from '../protocol/operation-answer.ts';
import { OperationError } from '../protocol/operation-error.ts';
import { receiveDocument } from '../protocol/received-document.ts';
import { parseXml, xmlResult } from '../protocol/xml.ts';
import { findObject } from './find-object.ts';
import { mayBypassGovernance, requireObjectLock } from './lock.ts';
import type { ObjectCall } from './operation.ts';

const holdForm = { root: 'LegalHold', schema: z.object({ Status: z.enum(legalHolds) }) };
const retentionForm = {
  root: 'Retention',
  schema: z.object({ Mode: z.enum(lockModes), RetainUntilDate: z.string() }),
};

export async function putLegalHold(call: ObjectCall): Promise<OperationAnswer> {
  const { Status: legalHold } = parseXml(await receiveDocument(call), holdForm);
  const object = findLockable(call, 'PutObjectLegalHold');
  call.store.versions.change(object, { legalHold });
  return { status: 200 };
}

export function getLegalHold(call: ObjectCall): OperationAnswer {
  const { legalHold } = findLockable(call, 'GetObjectLegalHold').attributes;
  if (!legalHold) throw new OperationError('NoSuchObjectLockConfiguration');
  return { status: 200, body: xmlResult('LegalHold', { Status: legalHold }) };
}

/**
 * PutObjectRetention: extending is always allowed; shortening or weakening only in GOVERNANCE mode with the permission
 * to bypass it.
 */
export async function putRetention(call: ObjectCall): Promise<OperationAnswer> {
  const { Mode: mode, RetainUntilDate } = parseXml(await receiveDocument(call), retentionForm);
  const untilMs = parseIsoDate(RetainUntilDate);
  if (untilMs === undefined) throw new OperationError('MalformedXML');
  const object = findLockable(call, 'PutObjectRetention');
  const { retention } = object.attributes;
  const isWeaker =
    retention !== undefined &&
    call.store.clock.nowMs() < retention.untilMs &&
    (untilMs < retention.untilMs || mode !== retention.mode);
  if (isWeaker && !(retention.mode === 'GOVERNANCE' && mayBypassGovernance(call, call.key))) {
    throw new OperationError('AccessDenied', {
      message: 'Access Denied because object protected by object lock.',
    });
  }
  call.store.versions.change(object, { retention: { mode, untilMs } });
  return { status: 200 };
}

export function getRetention(call: ObjectCall): OperationAnswer {
  const { retention } = findLockable(call, 'GetObjectRetention').attributes;
  if (!retention) throw new OperationError('NoSuchObjectLockConfiguration');
  const content = { Mode: retention.mode, RetainUntilDate: formatIsoDate(retention.untilMs) };
  return { status: 200, body: xmlResult('Retention', content) };
}

/**
 * Locks use the same permission with and without a version id.
 *
 * @throws InvalidRequest without object lock
 */
function findLockable(call: ObjectCall, action: string): StoredObject {
  const object = findObject(call, { current: action, version: action });
  requireObjectLock(call);
  return object;
}
