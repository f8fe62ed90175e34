import { type StoreReplyHead, storeField, type WholeReply } from '../../backend/store.ts';
import type { RefusedRecord } from '../../cache/record.ts';
import { rawFromFields } from '../../s3/dialect.ts';
import { s3Error } from '../../s3/error.ts';
import { errorBody, parseErrorBody, type RememberedError } from '../../s3/error-body.ts';
import { type ErrorCode, errorCodes } from '../../s3/error-codes.ts';
import { errorInDialect } from '../../s3/error-dialect.ts';
import type { Bucket } from '../request/bucket.ts';
import type { Exchange } from '../request/exchange.ts';
import type { RequestIds } from '../request/request-ids.ts';
import { fieldsInClientNames, inClientNames } from './client-names.ts';
import { replyError, sendWhole } from './error-reply.ts';
import { isCrossOrigin, isPerResponseField } from './passed-fields.ts';
import { chargeHeader } from './prepared-headers.ts';

/** Answers with a cached refusal: the store's error body with the ids of this response. */
export function replyRemembered(
  exchange: Exchange,
  bucket: Bucket,
  { status, fields, body }: RefusedRecord,
  ageS: number | undefined,
): void {
  const said = parseErrorBody(body);
  const worded =
    said || body.length === 0 ? { fields, body } : withStandardBody({ status, fields }, usualCode(status));
  const error = said ?? parseErrorBody(worded.body);
  const raw = rawFromFields(fieldsInClientNames(worded.fields, bucket), exchange.prefix);
  raw.push(...chargeHeader(exchange));
  const told = error ? translatedBody(exchange, bucket, error, exchange) : worded.body;
  sendWhole(exchange, status, raw, Buffer.from(told), exchange, ageS);
}

/**
 * Error codes about signatures. Requests to the store are signed by the gateway, so these do not concern the client,
 * and they quote secrets of the gateway: its access key, string to sign or token (docs/architecture.md, law 7).
 */
const aboutSignatures: ReadonlySet<string> = new Set([
  'AuthorizationHeaderMalformed',
  'ExpiredToken',
  'InvalidAccessKeyId',
  'InvalidSecurity',
  'InvalidToken',
  'RequestTimeTooSkewed',
  'SignatureDoesNotMatch',
  'TokenRefreshRequired',
]);

/** Occurs only in headers of signed requests (docs/architecture.md, law 7). */
const SIGNATURE_MARK = 'AWS4-HMAC-SHA256';

function isAboutSignatures({ code, message, fields }: RememberedError): boolean {
  if (aboutSignatures.has(code) || message.includes(SIGNATURE_MARK)) return true;
  return fields.some(([, value]) => value.includes(SIGNATURE_MARK));
}

/**
 * Answers with the store's refusal of this request: its status, fields, ids and error body.
 *
 * @param mayKnowMissing whether a missing key may be reported as missing (docs/semantics.md, Authentication 4)
 */
export function replyRefusal(
  exchange: Exchange,
  bucket: Bucket,
  reply: WholeReply,
  mayKnowMissing: boolean,
): void {
  exchange.refusedBy = 'store';
  if (!mayKnowMissing && tellsMissing(reply)) {
    const crossOrigin = rawFromFields(reply.fields.filter(isCrossOrigin), exchange.prefix);
    replyError(exchange, s3Error('AccessDenied'), crossOrigin);
    return;
  }
  const said = parseErrorBody(reply.body);
  const usual = said ? undefined : standardCode(reply);
  exchange.errorCode = usual;
  if (usual && !exchange.isHead) exchange.storeSaid = quoted(reply.body);
  const worded = usual && !exchange.isHead ? withStandardBody(reply, usual) : reply;
  const error = said ?? parseErrorBody(worded.body);
  if (error && isAboutSignatures(error)) {
    const code = aboutSignatures.has(error.code) ? ` (${error.code})` : '';
    const message = `The store does not accept the gateway's own signature${code}.`;
    const failure = s3Error('BadGateway', { message });
    exchange.failure = failure;
    replyError(exchange, failure);
    return;
  }
  const body = error ? translatedBody(exchange, bucket, error, idsOf(exchange, worded)) : worded.body;
  replyAsStored(exchange, { ...worded, fields: fieldsInClientNames(worded.fields, bucket), body });
}

/** Answers with `reply` unchanged, including the store's ids (docs/architecture.md, Answers). */
export function replyAsStored(exchange: Exchange, reply: WholeReply): void {
  const fields = reply.fields.filter(
    field => !isPerResponseField(field) && (field.store || field.name !== 'content-length'),
  );
  const raw = rawFromFields(fields, exchange.prefix);
  sendWhole(exchange, reply.status, raw, reply.body, idsOf(exchange, reply), undefined);
}

/** The ids of the store's answer, or the gateway's if it has none. */
export function idsOf(exchange: Exchange, head: StoreReplyHead): RequestIds {
  return {
    requestId: storeField(head, 'request-id') ?? exchange.requestId,
    id2: storeField(head, 'id-2') ?? exchange.id2,
  };
}

/**
 * Whether a refusal reveals that a key or version is missing, which requires ListBucket (docs/semantics.md 112). A
 * delete marker may be shown to anyone who may read (docs/semantics.md, States and transitions).
 */
export function tellsMissing({
  status,
  fields,
  body,
}: Pick<RefusedRecord, 'status' | 'fields' | 'body'>): boolean {
  if (status !== 404) return false;
  if (fields.some(({ store, name, value }) => store && name === 'delete-marker' && value === 'true'))
    return false;
  const code = parseErrorBody(body)?.code;
  return code === undefined || code === 'NoSuchKey' || code === 'NoSuchVersion';
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
function standardCode({ status, body }: WholeReply): ErrorCode | undefined {
  if (body.length > 0 || status >= 500) return usualCode(status);
  return silentFailures.get(status);
}

const QUOTE_LIMIT_BYTES = 1_024;

/** Error pages may quote the request: so long a run may be a customer key, the digest of one, or a signature. */
const keyLike = /[\w+/-]{22,}=*/g;

/** The beginning of an unreadable body, without secrets of the client (docs/architecture.md, law 7). */
function quoted(body: Buffer): string {
  const text = body.toString('utf8', 0, 2 * QUOTE_LIMIT_BYTES).replace(keyLike, '[redacted]');
  return text.slice(0, QUOTE_LIMIT_BYTES);
}

/** The code to use instead of an unreadable body, which might quote the gateway's own request. */
function usualCode(status: number): ErrorCode {
  return usualCodes.get(status) ?? (status >= 500 ? 'BadGateway' : 'BadRequest');
}

/** Replaces the body of a failure by the standard one for `code`; status and other fields stay. */
function withStandardBody(reply: StoreReplyHead, code: ErrorCode): WholeReply {
  const { message } = errorCodes[code];
  const body = errorBody({ code, message, fields: [], requestId: '', hostId: '' });
  const fields = reply.fields.filter(({ store, name }) => store || !name.startsWith('content-'));
  const contentType = { name: 'content-type', value: 'application/xml', store: false };
  return { ...reply, fields: [...fields, contentType], body: Buffer.from(body) };
}

/** The store's error body in the client's dialect and names; also sets the error code for metrics. */
function translatedBody(
  exchange: Exchange,
  bucket: Bucket,
  error: RememberedError,
  { requestId, id2 }: RequestIds,
): Buffer {
  exchange.errorCode = error.code;
  const told = errorInDialect(inClientNames(error, bucket), exchange.prefix);
  return Buffer.from(errorBody({ ...told, requestId, hostId: id2 }));
}
