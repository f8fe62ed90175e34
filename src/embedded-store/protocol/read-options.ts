import type { StoreCaller } from '../access/caller.ts';
import { wantsChecksum } from './checksum-mode.ts';
import { parseCustomerKey, type RequestKey } from './customer-key.ts';
import { OperationError } from './operation-error.ts';
import type { OperationRequest } from './operation-request.ts';
import { parseOverrides } from './overrides.ts';
import { parsePartNumber } from './part-number.ts';

/** The options of a GetObject or HeadObject other than conditions; checked before anything is looked up. */
export interface ReadOptions {
  readonly partNumber: number | undefined;
  readonly ranges: readonly string[];
  readonly overrides: Readonly<Record<string, string>>;
  readonly wantsChecksum: boolean;
  readonly customerKey: RequestKey | undefined;
}

/** Headers for storing an object, which are invalid on reads. */
const encryptionHeaders = [
  'server-side-encryption',
  'server-side-encryption-aws-kms-key-id',
  'server-side-encryption-context',
  'server-side-encryption-bucket-key-enabled',
];

/** @throws errors that depend on the request only */
export function parseReadRequest(request: OperationRequest, caller: StoreCaller): ReadOptions {
  refuseEncryptionHeaders(request);
  const partNumber = parsePartNumber(request);
  const ranges = request.headerValues('range');
  if (partNumber !== undefined && ranges.length > 0) {
    throw new OperationError('InvalidRequest', {
      message: 'Cannot specify both Range header and partNumber query parameter',
    });
  }
  return {
    partNumber,
    ranges,
    overrides: parseOverrides(request, caller),
    wantsChecksum: wantsChecksum(request),
    customerKey: parseCustomerKey(request),
  };
}

/** docs/semantics.md, Rules 2; docs/semantics.md 158. */
function refuseEncryptionHeaders(request: OperationRequest): void {
  for (const name of encryptionHeaders) {
    if (request.prefixed(name) === undefined) continue;
    throw new OperationError('BadRequest', {
      message: `${request.prefix}${name} header is not supported for this operation.`,
    });
  }
}
