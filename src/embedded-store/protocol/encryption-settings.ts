import type { Encryption } from '../disk/object-attributes.ts';
import { describeCustomerKey, type RequestKey } from './customer-key.ts';
import { OperationError } from './operation-error.ts';
import type { OperationRequest } from './operation-request.ts';
import { parseStagedState } from './staged-state.ts';

/** The KMS key shown when a client asks for KMS encryption without naming a key. */
const DEFAULT_KMS_KEY = 'arn:aws:kms:us-east-1:000000000000:key/00000000-0000-4000-8000-000000000000';

/** The encryption that a request asks for; the default is encryption by the service. */
export function parseEncryption(request: OperationRequest, customerKey: RequestKey | undefined): Encryption {
  const name = 'server-side-encryption';
  const wanted = request.prefixed(name);
  if (customerKey) return describeCustomerKey(customerKey);
  if (wanted === undefined || wanted === 'AES256') return { kind: 'managed' };
  if (!/^(?:aws|store):kms$/.test(wanted)) {
    throw new OperationError('InvalidArgument', {
      message: 'The encryption method specified is not supported',
      fields: { ArgumentName: `${request.prefix}${name}`, ArgumentValue: wanted },
    });
  }
  return {
    kind: 'kms',
    keyId: request.prefixed(`${name}-aws-kms-key-id`) ?? DEFAULT_KMS_KEY,
    isBucketKeyEnabled: request.prefixed(`${name}-bucket-key-enabled`) === 'true',
    keyState: parseStagedState(request).kmsKeyState ?? 'enabled',
  };
}
