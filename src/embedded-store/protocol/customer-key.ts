import { createHash } from 'node:crypto';
import type { Encryption } from '../disk/object-attributes.ts';
import { isProven, type KeyProof, proofOf, SEAL_KEY_BYTES } from '../disk/seal.ts';
import { OperationError } from './operation-error.ts';
import type { OperationRequest } from './operation-request.ts';

const HEADER = 'server-side-encryption-customer-';

/** The customer-provided key of a request; not kept after it. */
export interface RequestKey {
  readonly key: Buffer;
  readonly md5: string;
}

/** What is stored of the key, to recognise it. */
export function describeCustomerKey({ key, md5 }: RequestKey): Encryption & { kind: 'customer' } {
  const proof: KeyProof = proofOf(key);
  return { kind: 'customer', keyMd5: md5, ...proof };
}

/**
 * For a store that accepts customer-provided keys over secure connections only.
 *
 * @throws InvalidRequest (docs/semantics.md 155)
 */
export function refuseCustomerKey(request: OperationRequest): void {
  if (request.prefixed(`${HEADER}key`) === undefined) return;
  throw new OperationError('InvalidRequest', {
    message:
      'Requests specifying Server Side Encryption with Customer provided keys must be made over a secure connection.',
  });
}

/**
 * The customer-provided key of a request (or of its copy source), if any; all three headers are required together
 * (docs/semantics.md, Rules 1).
 *
 * @throws the errors of docs/semantics.md 147 to 153
 */
export function parseCustomerKey(
  request: OperationRequest,
  of: 'object' | 'copy-source' = 'object',
): RequestKey | undefined {
  const header = of === 'object' ? HEADER : `copy-source-${HEADER}`;
  const algorithm = request.prefixed(`${header}algorithm`);
  const encodedKey = request.prefixed(`${header}key`);
  const md5 = request.prefixed(`${header}key-md5`);
  if (algorithm === undefined && encodedKey === undefined && md5 === undefined) return undefined;
  const argumentName = `${request.prefix}server-side-encryption`;
  if (algorithm !== undefined && algorithm !== 'AES256') {
    const fields = { ArgumentName: argumentName, ArgumentValue: algorithm };
    throw new OperationError('InvalidEncryptionAlgorithmError', { fields });
  }
  if (algorithm === undefined) throw mustProvide('a valid encryption algorithm', argumentName);
  if (encodedKey === undefined) throw mustProvide('an appropriate secret key', argumentName);
  if (md5 === undefined) throw mustProvide('the client calculated MD5 of the secret key', argumentName);
  return { key: decodeKey(encodedKey, md5, argumentName), md5 };
}

/** The same for a write, where the key's length must match the algorithm (docs/semantics.md 152). */
export function parseCustomerKeyForWrite(request: OperationRequest): RequestKey | undefined {
  const customerKey = parseCustomerKey(request);
  if (customerKey && customerKey.key.length !== SEAL_KEY_BYTES) {
    throw invalid(
      'The secret key was invalid for the specified algorithm.',
      `${request.prefix}server-side-encryption`,
    );
  }
  return customerKey;
}

/**
 * The key for decrypting an object; undefined when none is needed.
 * @throws the errors of docs/semantics.md 144 to 146 and 154
 */
export function matchCustomerKey(
  encryption: Encryption,
  customerKey: RequestKey | undefined,
): Buffer | undefined {
  if (encryption.kind !== 'customer') {
    if (!customerKey) return undefined;
    throw new OperationError('InvalidRequest', {
      message: 'The encryption parameters are not applicable to this object.',
    });
  }
  if (!customerKey) {
    throw new OperationError('InvalidRequest', {
      message:
        'The object was stored using a form of Server Side Encryption. The correct parameters must be provided to retrieve the object.',
    });
  }
  if (isProven(customerKey.key, encryption)) return customerKey.key;
  throw new OperationError('AccessDenied', {
    message:
      'Requests specifying Server Side Encryption with Customer provided keys must provide the correct secret key.',
  });
}

function decodeKey(encodedKey: string, md5: string, argumentName: string): Buffer {
  const key = Buffer.from(encodedKey, 'base64');
  if (key.toString('base64') !== encodedKey) {
    throw invalid('The secret key was invalid for the specified algorithm.', argumentName);
  }
  if (createHash('md5').update(key).digest('base64') !== md5) {
    throw invalid(
      'The calculated MD5 hash of the key did not match the hash that was provided.',
      argumentName,
    );
  }
  return key;
}

function mustProvide(what: string, argumentName: string): OperationError {
  const which = 'Requests specifying Server Side Encryption with Customer provided keys';
  return invalid(`${which} must provide ${what}.`, argumentName);
}

function invalid(message: string, argumentName: string): OperationError {
  return new OperationError('InvalidArgument', { message, fields: { ArgumentName: argumentName } });
}
