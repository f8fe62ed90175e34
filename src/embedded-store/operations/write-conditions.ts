import { judgeConditions } from '../protocol/conditions.ts';
import { StoreError } from '../protocol/store-error.ts';
import type { ObjectCall } from './operation.ts';

/**
 * The conditions of a write: If-None-Match `*` wants no object there, If-Match the one it names. Throws
 * PreconditionFailed, or NoSuchKey when there is nothing to match.
 */
export function demandWriteConditions({ request, store, bucket, key }: ObjectCall): void {
  const ifNoneMatch = request.header('if-none-match');
  const ifMatch = request.header('if-match');
  if (ifNoneMatch === undefined && ifMatch === undefined) return;
  const current = store.versions.latest(bucket.name, key);
  if (current?.kind !== 'object') {
    if (ifMatch === undefined) return;
    throw new StoreError('NoSuchKey', { fields: { Key: key } });
  }
  const verdict = judgeConditions(request, current, store.clock.nowMs());
  if (verdict.kind === 'proceed') return;
  const condition = verdict.kind === 'failed' ? verdict.condition : 'If-None-Match';
  throw new StoreError('PreconditionFailed', { fields: { Condition: condition } });
}
