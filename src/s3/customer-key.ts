import { hash } from 'node:crypto';
import { quotedPart } from './claimed-access-key.ts';
import { type S3Error, s3Error } from './error.ts';
import { errorTexts } from './error-texts.ts';

/** A customer-provided key for AES256. It is secret: it may be sent to the store and must not appear anywhere else. */
export interface CustomerKey {
  /** The 256-bit key in base64. */
  readonly key: string;
  /** The key's MD5 in base64. */
  readonly keyMd5: string;
}

/** The only algorithm that is supported with customer-provided keys. */
export const CUSTOMER_ALGORITHM = 'AES256';

const KEY_BYTES = 32;

const base64 = /^(?:[A-Za-z\d+/]{4})*(?:[A-Za-z\d+/]{2}==|[A-Za-z\d+/]{3}=)?$/;

/** The argument that errors name: the short name, with the prefix of the error's dialect. */
const ARGUMENT_NAME = 'x-amz-server-side-encryption';

/**
 * Reads the customer-provided key of a request; undefined when all three headers are absent (docs/semantics.md,
 * Request parameters, rule 1; docs/semantics.md 147 to 155).
 *
 * @param storeFields values by the lower-case names of store fields, without prefix
 * @param isTaken whether such a key is accepted over this connection
 * @param use reads compare a key before they look at its length (docs/semantics.md 152)
 * @throws S3Error InvalidRequest, InvalidEncryptionAlgorithmError, InvalidArgument, or AccessDenied for a read with a
 *   key of another length, which cannot be the right one
 */
export function readCustomerKey(
  storeFields: ReadonlyMap<string, string>,
  isTaken: boolean,
  use: 'read' | 'write',
): CustomerKey | undefined {
  const algorithm = storeFields.get('server-side-encryption-customer-algorithm');
  const key = storeFields.get('server-side-encryption-customer-key');
  const keyMd5 = storeFields.get('server-side-encryption-customer-key-md5');
  if (algorithm === undefined && key === undefined && keyMd5 === undefined) return undefined;
  if (!isTaken) throw s3Error('InvalidRequest', { message: errorTexts.customerKeyNeedsTls });
  if (!algorithm) throw invalid(errorTexts.customerAlgorithmMissing);
  if (algorithm !== CUSTOMER_ALGORITHM) throw otherAlgorithm(algorithm);
  if (!key) throw invalid(errorTexts.customerKeyMissing);
  if (!keyMd5) throw invalid(errorTexts.customerKeyDigestMissing);
  checkKey(key, keyMd5, use);
  return { key, keyMd5 };
}

function checkKey(key: string, keyMd5: string, use: 'read' | 'write'): void {
  if (!base64.test(key)) throw invalid(errorTexts.customerKeyLength);
  const bytes = Buffer.from(key, 'base64');
  if (hash('md5', bytes, 'base64') !== keyMd5) throw invalid(errorTexts.customerKeyDigestMismatch);
  if (bytes.length === KEY_BYTES) return;
  if (use === 'write') throw invalid(errorTexts.customerKeyLength);
  throw s3Error('AccessDenied', { message: errorTexts.customerKeyWrong });
}

function otherAlgorithm(algorithm: string): S3Error {
  return s3Error('InvalidEncryptionAlgorithmError', {
    fields: [
      ['ArgumentName', ARGUMENT_NAME],
      ['ArgumentValue', quotedPart(algorithm)],
    ],
  });
}

function invalid(message: string): S3Error {
  return s3Error('InvalidArgument', { message, fields: [['ArgumentName', ARGUMENT_NAME]] });
}
