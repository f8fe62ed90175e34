import { type ConditionHeaders, type ConditionSubject, evaluateConditions } from '../protocol/conditions.ts';
import { OperationError } from '../protocol/operation-error.ts';
import type { BucketCall, ObjectCall } from './operation.ts';

/**
 * The conditions of a write: If-None-Match `*` requires that no object exists, If-Match requires a current object with
 * that tag.
 * @throws PreconditionFailed, or NoSuchKey when there is no object for If-Match
 */
export function requireWriteConditions({ request, store, bucket, key }: ObjectCall): void {
  const ifNoneMatch = request.header('if-none-match');
  const ifMatch = request.header('if-match');
  if (ifNoneMatch === undefined && ifMatch === undefined) return;
  const current = store.versions.latest(bucket.name, key);
  if (current?.kind !== 'object') {
    if (ifMatch === undefined) return;
    throw new OperationError('NoSuchKey', { fields: { Key: key } });
  }
  requireConditions(request, current, store.clock.nowMs());
}

/** What an object has to be to be deleted. */
export interface DeleteConditions {
  readonly ifMatch: string | undefined;
  /** Whether others are set: stores like this one do not know them. */
  readonly hasOthers: boolean;
}

/**
 * The conditions of a deletion: If-Match requires a current object with that tag, whichever version is to be deleted.
 * @throws PreconditionFailed, NoSuchKey when there is no object, or NotImplemented
 */
export function requireDeleteConditions(
  { store, bucket }: BucketCall,
  key: string,
  { ifMatch, hasOthers }: DeleteConditions,
): void {
  if (hasOthers) throw new OperationError('NotImplemented');
  if (ifMatch === undefined) return;
  const current = store.versions.latest(bucket.name, key);
  if (current?.kind !== 'object') throw new OperationError('NoSuchKey', { fields: { Key: key } });
  const header = (name: string) => (name === 'if-match' ? ifMatch : undefined);
  requireConditions({ header }, current, store.clock.nowMs());
}

function requireConditions(headers: ConditionHeaders, current: ConditionSubject, nowMs: number): void {
  const verdict = evaluateConditions(headers, current, nowMs);
  if (verdict.kind === 'proceed') return;
  const condition = verdict.kind === 'failed' ? verdict.condition : 'If-None-Match';
  throw new OperationError('PreconditionFailed', { fields: { Condition: condition } });
}
