import { evaluateConditions } from '../protocol/conditions.ts';
import { OperationError } from '../protocol/operation-error.ts';
import type { ObjectCall } from './operation.ts';

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
  const verdict = evaluateConditions(request, current, store.clock.nowMs());
  if (verdict.kind === 'proceed') return;
  const condition = verdict.kind === 'failed' ? verdict.condition : 'If-None-Match';
  throw new OperationError('PreconditionFailed', { fields: { Condition: condition } });
}
