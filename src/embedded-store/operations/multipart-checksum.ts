import { combinable, DEFAULT_CHECKSUM, parseChecksumAlgorithm } from '../checksum/checksum-algorithm.ts';
import { type ComposedPart, compositeChecksum, fullObjectChecksum } from '../checksum/compose-parts.ts';
import type { StoredChecksum } from '../disk/object-attributes.ts';
import type { UploadPlan } from '../disk/uploads.ts';
import { OperationError } from '../protocol/operation-error.ts';
import type { OperationRequest } from '../protocol/operation-request.ts';

type ChecksumPlan = UploadPlan['checksum'];

/**
 * The checksum algorithm and type of an upload. SHA checksums of parts cannot be combined into one of the whole object;
 * for the default algorithm only FULL_OBJECT is allowed.
 *
 * @throws InvalidRequest for an unsupported combination
 */
export function parseChecksumPlan(request: OperationRequest): ChecksumPlan {
  const name = request.prefixed('checksum-algorithm');
  const algorithm = name === undefined ? DEFAULT_CHECKSUM : parseChecksumAlgorithm(name);
  if (!algorithm) {
    throw new OperationError('InvalidRequest', {
      message:
        'Checksum algorithm provided is unsupported. Please try again with any of the valid types: [CRC32, CRC32C, CRC64NVME, SHA1, SHA256]',
    });
  }
  const usual = algorithm === DEFAULT_CHECKSUM ? 'FULL_OBJECT' : 'COMPOSITE';
  const type = request.prefixed('checksum-type') ?? usual;
  const isPossible = type === 'FULL_OBJECT' ? algorithm in combinable : algorithm !== DEFAULT_CHECKSUM;
  if (isPossible && (type === 'FULL_OBJECT' || type === 'COMPOSITE')) return { algorithm, type };
  throw new OperationError('InvalidRequest', {
    message: `The ${type} checksum type cannot be used with the ${algorithm.toLowerCase()} checksum algorithm.`,
  });
}

/** The checksum of an object made of these parts, which are in order and not empty. */
export function checksumOfParts(
  { algorithm, type }: ChecksumPlan,
  parts: readonly ComposedPart[],
): StoredChecksum {
  const value = type === 'FULL_OBJECT' ? fullObjectChecksum(algorithm, parts) : undefined;
  return value === undefined
    ? { algorithm, type: 'COMPOSITE', value: compositeChecksum(algorithm, parts) }
    : { algorithm, type, value };
}
