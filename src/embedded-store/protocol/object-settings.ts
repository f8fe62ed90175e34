import {
  CANNED_ACLS,
  type CannedAcl,
  LEGAL_HOLDS,
  LOCK_MODES,
  type ObjectAttributes,
  STORAGE_CLASSES,
  type StorageClass,
} from '../disk/object-attributes.ts';
import { invalidHeader, parseChoice } from './choice.ts';
import { parseIsoDate } from './dates.ts';
import { StoreError } from './store-error.ts';
import type { StoreRequest } from './store-request.ts';

/** Headers of the object itself that are returned as stored (object-retrieval.md, Response headers). */
const CONTENT_HEADERS = [
  'cache-control',
  'content-disposition',
  'content-encoding',
  'content-language',
  'content-type',
  'expires',
];
/** behaviours.md 187. */
const DEFAULT_CONTENT_TYPE = 'binary/octet-stream';

/** Throws InvalidStorageClass. */
export function parseStorageClass(request: StoreRequest): StorageClass {
  return parseChoice(request, 'storage-class', STORAGE_CLASSES, 'InvalidStorageClass') ?? 'STANDARD';
}

/** Throws InvalidArgument. */
export function parseAcl(request: StoreRequest): CannedAcl {
  return parseChoice(request, 'acl', CANNED_ACLS) ?? 'private';
}

export function parseContentHeaders(request: StoreRequest): Record<string, string> {
  const headers: Record<string, string> = { 'content-type': DEFAULT_CONTENT_TYPE };
  for (const name of CONTENT_HEADERS) {
    const value = request.header(name);
    const kept = name === 'content-encoding' ? withoutTransferCoding(value) : value;
    if (kept) headers[name] = kept;
  }
  return headers;
}

/** Retention and legal hold that an object is stored with. Throws InvalidArgument. */
export function parseLock(request: StoreRequest): Pick<Partial<ObjectAttributes>, 'retention' | 'legalHold'> {
  const mode = parseChoice(request, 'object-lock-mode', LOCK_MODES);
  const until = request.prefixed('object-lock-retain-until-date');
  const legalHold = parseChoice(request, 'object-lock-legal-hold', LEGAL_HOLDS);
  if ((mode === undefined) !== (until === undefined)) {
    const names = ['object-lock-retain-until-date', 'object-lock-mode'].map(name => request.prefix + name);
    throw new StoreError('InvalidArgument', { message: `${names.join(' and ')} must both be supplied` });
  }
  const untilMs = parseIsoDate(until ?? '');
  if (mode && untilMs === undefined) throw invalidHeader(request, 'object-lock-retain-until-date');
  return {
    ...(mode && untilMs !== undefined && { retention: { mode, untilMs } }),
    ...(legalHold && { legalHold }),
  };
}

/** `aws-chunked` is how the body travels, not what is stored (behaviours.md 196). */
function withoutTransferCoding(encoding: string | undefined): string | undefined {
  const codings = encoding?.split(',').map(coding => coding.trim());
  return codings?.filter(coding => coding !== '' && coding !== 'aws-chunked').join(',');
}
