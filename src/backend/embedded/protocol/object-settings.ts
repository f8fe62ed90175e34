import {
  ACCESS_TIERS,
  CANNED_ACLS,
  type CannedAcl,
  KMS_KEY_STATES,
  LEGAL_HOLDS,
  LOCK_MODES,
  type ObjectAttributes,
  REPLICATION_STATUSES,
  STORAGE_CLASSES,
  type StorageClass,
} from '../disk/object-attributes.ts';
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
  return oneOf(request, 'storage-class', STORAGE_CLASSES, 'InvalidStorageClass') ?? 'STANDARD';
}

/** Throws InvalidArgument. */
export function parseAcl(request: StoreRequest): CannedAcl {
  return oneOf(request, 'acl', CANNED_ACLS) ?? 'private';
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

/**
 * States that a real store comes to by itself, put on an object by headers that only this store knows:
 * `embedded-access-tier`, `embedded-replication-status` and `embedded-kms-key-state` (with the dialect's prefix).
 */
export function parseStagedState(
  request: StoreRequest,
): Pick<Partial<ObjectAttributes>, 'accessTier' | 'replicationStatus'> {
  const accessTier = oneOf(request, 'embedded-access-tier', ACCESS_TIERS);
  const replicationStatus = oneOf(request, 'embedded-replication-status', REPLICATION_STATUSES);
  return { ...(accessTier && { accessTier }), ...(replicationStatus && { replicationStatus }) };
}

export function parseKmsKeyState(request: StoreRequest): (typeof KMS_KEY_STATES)[number] {
  return oneOf(request, 'embedded-kms-key-state', KMS_KEY_STATES) ?? 'enabled';
}

/** Retention and legal hold that an object is stored with. Throws InvalidArgument. */
export function parseLock(request: StoreRequest): Pick<Partial<ObjectAttributes>, 'retention' | 'legalHold'> {
  const mode = oneOf(request, 'object-lock-mode', LOCK_MODES);
  const until = request.prefixed('object-lock-retain-until-date');
  const legalHold = oneOf(request, 'object-lock-legal-hold', LEGAL_HOLDS);
  if ((mode === undefined) !== (until === undefined)) {
    throw new StoreError('InvalidArgument', {
      message: `${request.prefix}object-lock-retain-until-date and ${request.prefix}object-lock-mode must both be supplied`,
    });
  }
  const untilMs = Date.parse(until ?? '');
  if (until !== undefined && Number.isNaN(untilMs)) throw invalid(request, 'object-lock-retain-until-date');
  return { ...(mode && { retention: { mode, untilMs } }), ...(legalHold && { legalHold }) };
}

/** `aws-chunked` is how the body travels, not what is stored (behaviours.md 196). */
function withoutTransferCoding(encoding: string | undefined): string | undefined {
  const codings = encoding?.split(',').map(coding => coding.trim());
  return codings?.filter(coding => coding !== '' && coding !== 'aws-chunked').join(',');
}

function oneOf<Value extends string>(
  request: StoreRequest,
  name: string,
  values: readonly Value[],
  code: 'InvalidArgument' | 'InvalidStorageClass' = 'InvalidArgument',
): Value | undefined {
  const text = request.prefixed(name);
  if (text === undefined) return undefined;
  const value = values.find(candidate => candidate === text);
  if (value !== undefined) return value;
  throw code === 'InvalidArgument' ? invalid(request, name) : new StoreError(code);
}

function invalid(request: StoreRequest, name: string): StoreError {
  return new StoreError('InvalidArgument', {
    fields: { ArgumentName: `${request.prefix}${name}`, ArgumentValue: request.prefixed(name) ?? '' },
  });
}
