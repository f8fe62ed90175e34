import { z } from 'zod';
import type { OperationAnswer } from '../protocol/operation-answer.ts';
import { OperationError } from '../protocol/operation-error.ts';
import { receiveDocument } from '../protocol/received-document.ts';
import { parseXml, xmlResult } from '../protocol/xml.ts';
import type { BucketCall } from './operation.ts';

const form = {
  root: 'VersioningConfiguration',
  schema: z.object({ Status: z.enum(['Enabled', 'Suspended']) }),
};

/** PutBucketVersioning: once enabled, versioning can be suspended but not removed. */
export async function putBucketVersioning(call: BucketCall): Promise<OperationAnswer> {
  const { Status } = parseXml(await receiveDocument(call), form);
  const { store, bucket } = call;
  if (Status === 'Suspended' && bucket.settings.isLockEnabled) {
    throw new OperationError('InvalidBucketState', {
      message:
        'An Object Lock configuration is present on this bucket, so the versioning state cannot be changed.',
    });
  }
  store.buckets.change(bucket, { versioning: Status === 'Enabled' ? 'enabled' : 'suspended' });
  return { status: 200 };
}

/** GetBucketVersioning: empty for a bucket that never had versioning. */
export function getBucketVersioning({ bucket }: BucketCall): OperationAnswer {
  const shown = { never: undefined, enabled: 'Enabled', suspended: 'Suspended' };
  const content = { Status: shown[bucket.settings.versioning] };
  return { status: 200, body: xmlResult('VersioningConfiguration', content) };
}
