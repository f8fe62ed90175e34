import type { Encryption } from '../disk/object-attributes.ts';
import { describeCustomerKey, type RequestKey } from './customer-key.ts';
import { OperationError } from './operation-error.ts';
import type { OperationRequest } from './operation-request.ts';
import { parseStagedState } from './staged-state.ts';

/** The key that objects are said to be encrypted with when a client asks for key management and names none. */
const DEFAULT_KMS_KEY = 'arn:aws:kms:us-east-1:000000000000:key/00000000-0000-4000-8000-000000000000';

/** How a request wants its object encrypted; what it does not say is managed by the service. */
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
