import type { Caller } from '../access/caller.ts';
import type { Encryption } from '../disk/object-attributes.ts';
import { StoreError } from '../protocol/store-error.ts';

/** Throws when the object's key-management key cannot be used by this caller (behaviours.md 161 to 163). */
export function demandUsableKmsKey(encryption: Encryption, caller: Caller): void {
  if (encryption.kind !== 'kms') return;
  if (caller.kind === 'anonymous') {
    throw new StoreError('InvalidArgument', {
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
      throw new StoreError('KMS.DisabledException', { message: `${keyId} is disabled.` });
    case 'pending-deletion':
      throw new StoreError('KMS.KMSInvalidStateException', { message: `${keyId} is pending deletion.` });
  }
}
