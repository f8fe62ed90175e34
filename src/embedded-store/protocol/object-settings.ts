import {
  type CannedAcl,
  cannedAcls,
  legalHolds,
  lockModes,
  type ObjectAttributes,
  type StorageClass,
  storageClasses,
} from '../disk/object-attributes.ts';
import { invalidHeader, parseChoice } from './choice.ts';
import { parseIsoDate } from './dates.ts';
import { OperationError } from './operation-error.ts';
import type { OperationRequest } from './operation-request.ts';

/** Headers stored with the object and returned unchanged (docs/semantics.md, Response headers). */
const contentHeaders = [
  'cache-control',
  'content-disposition',
  'content-encoding',
  'content-language',
  'content-type',
  'expires',
];
/** docs/semantics.md 187. */
const DEFAULT_CONTENT_TYPE = 'binary/octet-stream';

/** @throws InvalidStorageClass */
export function parseStorageClass(request: OperationRequest): StorageClass {
  return parseChoice(request, 'storage-class', storageClasses, 'InvalidStorageClass') ?? 'STANDARD';
}

/** @throws InvalidArgument */
export function parseAcl(request: OperationRequest): CannedAcl {
  return parseChoice(request, 'acl', cannedAcls) ?? 'private';
}

export function parseContentHeaders(request: OperationRequest): Record<string, string> {
  const headers: Record<string, string> = { 'content-type': DEFAULT_CONTENT_TYPE };
  for (const name of contentHeaders) {
    const value = request.header(name);
    const kept = name === 'content-encoding' ? withoutTransferCoding(value) : value;
    if (kept) headers[name] = kept;
  }
  return headers;
}

/** Retention and legal hold of a new object. @throws InvalidArgument */
export function parseLock(
  request: OperationRequest,
): Pick<Partial<ObjectAttributes>, 'retention' | 'legalHold'> {
  const mode = parseChoice(request, 'object-lock-mode', lockModes);
  const until = request.prefixed('object-lock-retain-until-date');
  const legalHold = parseChoice(request, 'object-lock-legal-hold', legalHolds);
  if ((mode === undefined) !== (until === undefined)) {
    const names = ['object-lock-retain-until-date', 'object-lock-mode'].map(name => request.prefix + name);
    throw new OperationError('InvalidArgument', { message: `${names.join(' and ')} must both be supplied` });
  }
  const untilMs = parseIsoDate(until ?? '');
  if (mode && untilMs === undefined) throw invalidHeader(request, 'object-lock-retain-until-date');
  return {
    ...(mode && untilMs !== undefined && { retention: { mode, untilMs } }),
    ...(legalHold && { legalHold }),
  };
}

/** `aws-chunked` describes the transfer and is not stored (docs/semantics.md 196). */
function withoutTransferCoding(encoding: string | undefined): string | undefined {
  const codings = encoding?.split(',').map(coding => coding.trim());
  return codings?.filter(coding => coding !== '' && coding !== 'aws-chunked').join(',');
}
