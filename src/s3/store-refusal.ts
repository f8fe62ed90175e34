import type { HeaderField } from './dialect.ts';
import { type S3Error, s3Error } from './error.ts';
import { errorBody, parseErrorBody, type RememberedError } from './error-body.ts';
import { type ErrorCode, errorCodes } from './error-codes.ts';

/** A store's answer that refuses a request. */
interface StoreRefusal {
  readonly status: number;
  readonly fields: readonly HeaderField[];
  /** As received; empty for a HEAD. */
  readonly body: Buffer;
}

/**
 * Whether a refusal reveals that a key or version is missing, which requires ListBucket (docs/semantics.md 112). A
 * delete marker may be shown to anyone who may read (docs/semantics.md, States and transitions).
 */
export function tellsMissing({ status, fields, body }: StoreRefusal): boolean {
  if (fields.some(({ store, name, value }) => store && name === 'delete-marker' && value === 'true'))
    return false;
  const code = parseErrorBody(body)?.code;
  if (code !== undefined && isCodeOfMissing(code)) return true;
  return (status === 404 || status === 410) && !ofOtherThings.test(code ?? '');
}

/** Whether an error code tells that a key or version is missing: stores have codes of their own for it. */
export function isCodeOfMissing(code: string): boolean {
  return ofMissing.test(code) && !ofOtherThings.test(code);
}

const ofMissing =
  /^(?:no_?such_?(?:object|key|version|file|blob)\w*|(?:(?:object|key|version|file|blob|resource)\w*?)?_?(?:not_?(?:found|exists?)|does_?not_?exist|missing))(?:error|exception)?$/i;

/** Of a status that is that of a missing key, too. */
const ofOtherThings =
  /^(?:no_?such_?(?:bucket|upload|tag_?set|access_?point|multi_?region|async_?request|\w*(?:configuration|policy))|\w*(?:bucket|configuration|controls|policy)_?(?:not_?found|does_?not_?exist))/i;

/**
 * Error codes about signatures. Requests to the store are signed by the gateway, so these do not concern the client,
 * and they quote secrets of the gateway: its access key, string to sign or token (docs/architecture.md, law 7).
 */
export const aboutSignatures: ReadonlySet<string> = new Set([
  'AuthorizationHeaderMalformed',
  'ExpiredToken',
  'InvalidAccessKeyId',
  'InvalidSecurity',
  'InvalidToken',
  'RequestTimeTooSkewed',
  'SignatureDoesNotMatch',
  'TokenRefreshRequired',
]);

/** A store does not accept the gateway's own keys or signature. */
export class OwnSignatureError extends Error {
  override readonly name = 'OwnSignatureError';
  /** The store's error code. */
  readonly code: string;

  constructor(code: string) {
    super(`The store does not accept the gateway's own signature (${code}).`);
    this.code = code;
  }
}

/** 502 for a store that refuses the gateway's own signature; undefined for any other refusal. */
export function ownSignatureRefused({ code }: RememberedError): S3Error | undefined {
  if (!aboutSignatures.has(code)) return undefined;
  const cause = new OwnSignatureError(code);
  return s3Error('BadGateway', { message: cause.message, cause });
}

/** Error codes for failures without a body, such as answers to HEAD. */
const silentFailures: ReadonlyMap<number, ErrorCode> = new Map([
  [429, 'SlowDown'],
  [500, 'InternalError'],
  [501, 'NotImplemented'],
  [502, 'BadGateway'],
  [503, 'ServiceUnavailable'],
  [504, 'GatewayTimeout'],
]);

/** Error codes for refusals whose body is not in the store's format, such as a proxy's error page. */
const usualCodes: ReadonlyMap<number, ErrorCode> = new Map([
  ...silentFailures,
  [400, 'BadRequest'],
  [401, 'AccessDenied'],
  [403, 'AccessDenied'],
  [404, 'NoSuchKey'],
  [405, 'MethodNotAllowed'],
  [412, 'PreconditionFailed'],
  [416, 'InvalidRange'],
]);

/** The code of the standard body that replaces the store's; undefined where nothing is said and nothing has failed. */
export function standardCode({ status, body }: Pick<StoreRefusal, 'status' | 'body'>): ErrorCode | undefined {
  if (body.length > 0 || status >= 500) return usualCode(status);
  return silentFailures.get(status);
}

const QUOTE_LIMIT_BYTES = 1_024;

/** Error pages may quote the request: so long a run may be a customer key, the digest of one, or a signature. */
const keyLike = /[\w+/-]{22,}=*/g;

/** The beginning of an unreadable body, without secrets of the client (docs/architecture.md, law 7). */
export function quoted(body: Buffer): string {
  const text = body.toString('utf8', 0, 2 * QUOTE_LIMIT_BYTES).replace(keyLike, '[redacted]');
  return text.slice(0, QUOTE_LIMIT_BYTES);
}

/** The code to use instead of an unreadable body, which might quote the gateway's own request. */
export function usualCode(status: number): ErrorCode {
  return usualCodes.get(status) ?? (status >= 500 ? 'BadGateway' : 'BadRequest');
}

/** Replaces the body of a failure by the standard one for `code`; status and other fields stay. */
export function withStandardBody(reply: Omit<StoreRefusal, 'body'>, code: ErrorCode): StoreRefusal {
  const { message } = errorCodes[code];
  const body = errorBody({ code, message, fields: [], requestId: '', hostId: '' });
  const fields = reply.fields.filter(({ store, name }) => store || !name.startsWith('content-'));
  const contentType = { name: 'content-type', value: 'application/xml', store: false };
  return { ...reply, fields: [...fields, contentType], body: Buffer.from(body) };
}
