import { requireExpectedOwner } from './access/expected-owner.ts';
import { payerOf } from './access/payer.ts';
import { requireGrant, requirePermission } from './access/permissions.ts';
import type { Operation } from './operation-table.ts';
import { findBucket } from './operations/find-bucket.ts';
import type { ServiceCall } from './operations/operation.ts';
import type { OperationAnswer } from './protocol/operation-answer.ts';

/** bucket → expected owner → payer → permission → the operation itself. */
export async function runOperation(operation: Operation, call: ServiceCall): Promise<OperationAnswer> {
  const { target } = call.request;
  const bucketName = target.kind === 'service' ? '' : target.bucket;
  if (operation.on === 'service' || operation.on === 'bucket-name') {
    if (operation.action !== undefined) requireGrant(call.caller, operation.action, bucketName);
    return operation.run({ ...call, bucketName });
  }
  // anyone may learn that a bucket does not exist (docs/semantics.md 118)
  const bucket = findBucket(call.store, bucketName);
  requireExpectedOwner(call.request, bucket);
  const payer = payerOf(call.request, call.caller, bucket);
  const key = target.kind === 'object' ? target.key : (call.request.query.get('prefix') ?? '');
  if (operation.action !== undefined) requirePermission(call.caller, operation.action, { bucket, key });
  const answer = await operation.run({ ...call, bucket, key });
  return payer === 'owner' ? answer : withPrefixed(answer, 'request-charged', 'requester');
}

function withPrefixed(answer: OperationAnswer, name: string, value: string): OperationAnswer {
  return { ...answer, prefixed: { ...answer.prefixed, [name]: value } };
}
