import type { StoreCaller } from '../access/caller.ts';
import type { Encryption } from '../disk/object-attributes.ts';
import { OperationError } from '../protocol/operation-error.ts';

/** @throws when this caller cannot use the object's KMS key (docs/semantics.md 161 to 163) */
export function requireUsableKmsKey(encryption: Encryption, caller: StoreCaller): void {
  if (encryption.kind !== 'kms') return;
  if (caller.kind === 'anonymous') {
    throw new OperationError('InvalidArgument', {
      message:
        'Requests specifying Server Side Encryption with AWS KMS managed keys require AWS Signature Version 4.',
      fields: { ArgumentName: 'Authorization', ArgumentValue: 'null' },
    });
  }
  const { keyId } = encryption;
  switch (encryption.keyState) {
    case 'enabled':
      return;
    case 'disabled':
      throw new OperationError('KMS.DisabledException', { message: `${keyId} is disabled.` });
    case 'pending-deletion':
      throw new OperationError('KMS.KMSInvalidStateException', { message: `${keyId} is pending deletion.` });
  }
}
