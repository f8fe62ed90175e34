import { type StoreReplyHead, storeField, type WholeReply } from '../../backend/store.ts';
import type { RefusedRecord } from '../../cache/record.ts';
import { rawFromFields } from '../../s3/dialect.ts';
import { retryAfter } from '../../s3/error.ts';
import { errorBody, parseErrorBody, type RememberedError } from '../../s3/error-body.ts';
import { errorInDialect } from '../../s3/error-dialect.ts';
import { isCrossOrigin, isPerResponseField } from '../../s3/passed-fields.ts';
import type { RequestIds } from '../../s3/request-ids.ts';
import {
  isCodeOfMissing,
  ownSignatureRefused,
  quoted,
  standardCode,
  tellsMissing,
  usualCode,
  withStandardBody,
} from '../../s3/store-refusal.ts';
import { untoldAbsence } from '../request/access.ts';
import type { Bucket } from '../request/bucket.ts';
import type { Exchange } from '../request/exchange.ts';
import { fieldsInClientNames, inClientNames } from './client-names.ts';
import { replyError, sendWhole } from './error-reply.ts';
import { chargeHeader } from './object-headers.ts';

/** Answers with a cached refusal: the store's error body with the ids of this response. */
export function replyRemembered(
  exchange: Exchange,
  bucket: Bucket,
  { status, fields, body }: RefusedRecord,
  ageS: number | undefined,
): void {
  const parsed = parseErrorBody(body);
  const worded =
    parsed || body.length === 0 ? { fields, body } : withStandardBody({ status, fields }, usualCode(status));
  const error = parsed ?? parseErrorBody(worded.body);
  const raw = rawFromFields(fieldsInClientNames(worded.fields, bucket), exchange.prefix);
  raw.push(...chargeHeader(exchange));
  const told = error ? translatedBody(exchange, inClientNames(error, bucket), exchange) : worded.body;
  sendWhole(exchange, status, raw, Buffer.from(told), exchange, ageS);
}

/**
 * Answers with the store's refusal of this request: its status, fields, ids and error body.
 *
 * @param mayKnowMissing whether a missing key may be reported as missing (docs/semantics.md, Authentication 4)
 * @param source another bucket that the answer may name
 */
export function replyRefusal(
  exchange: Exchange,
  bucket: Bucket,
  reply: WholeReply,
  mayKnowMissing: boolean,
  source = bucket,
): void {
  exchange.refusedBy = 'store';
  if (!mayKnowMissing && tellsMissing(reply)) {
    const crossOrigin = rawFromFields(reply.fields.filter(isCrossOrigin), exchange.prefix);
    const missing = untoldAbsence();
    exchange.failure = missing;
    replyError(exchange, missing, crossOrigin);
    return;
  }
  const parsed = parseErrorBody(reply.body);
  const usual = parsed ? undefined : standardCode(reply);
  exchange.errorCode = usual;
  if (usual && !exchange.isHead) exchange.storeSaid = quoted(reply.body);
  const worded = usual && !exchange.isHead ? withStandardBody(reply, usual) : reply;
  const error = parsed ?? parseErrorBody(worded.body);
  const signatureRefused = error && ownSignatureRefused(error);
  if (signatureRefused) {
    exchange.failure = signatureRefused;
    replyError(exchange, signatureRefused);
    return;
  }
  const ids = tellIds(exchange, worded);
  const named = error && inNamesOfBoth(error, bucket, source);
  const body = named ? translatedBody(exchange, named, ids) : worded.body;
  const fields = fieldsInClientNames(fieldsInClientNames(worded.fields, source), bucket);
  replyAsStored(exchange, { ...worded, fields, body });
}

/**
 * The error document that a store sends in an answer of status 200, for the client; undefined for another document.
 *
 * @param mayKnowMissing as for `replyRefusal`, and `source` as well
 */
export function errorWithin(
  exchange: Exchange,
  bucket: Bucket,
  reply: WholeReply,
  mayKnowMissing: boolean,
  source: Bucket,
): Buffer | undefined {
  const parsed = parseErrorBody(reply.body);
  if (!parsed) return undefined;
  exchange.refusedBy = 'store';
  const isHidden = !mayKnowMissing && isCodeOfMissing(parsed.code);
  const missing = isHidden ? untoldAbsence() : undefined;
  if (missing) exchange.failure = missing;
  const told = missing ?? ownSignatureRefused(parsed) ?? parsed;
  return translatedBody(exchange, inNamesOfBoth(told, bucket, source), tellIds(exchange, reply));
}

/**
 * Answers with `reply` unchanged, including the store's ids (docs/architecture.md, Answers). A 503 says when to repeat the
 * request (RFC 9110 §15.6.4), also where the store does not.
 */
export function replyAsStored(exchange: Exchange, reply: WholeReply): void {
  const fields = reply.fields.filter(
    field => !isPerResponseField(field) && (field.store || field.name !== 'content-length'),
  );
  const raw = rawFromFields(fields, exchange.prefix);
  if (reply.status === 503 && !fields.some(({ name, store }) => !store && name === 'retry-after'))
    raw.push(...retryAfter);
  sendWhole(exchange, reply.status, raw, reply.body, tellIds(exchange, reply), undefined);
}

/** The ids that the client is told: those of the store's answer, which the log tells as well, or the gateway's if it has none. */
export function tellIds(exchange: Exchange, head: StoreReplyHead): RequestIds {
  exchange.storeRequestId = storeField(head, 'request-id');
  return {
    requestId: exchange.storeRequestId ?? exchange.requestId,
    id2: storeField(head, 'id-2') ?? exchange.id2,
  };
}

function inNamesOfBoth(error: RememberedError, bucket: Bucket, source: Bucket): RememberedError {
  const named = source === bucket ? error : inClientNames(error, source);
  return inClientNames(named, bucket);
}

/** The store's error body in the client's dialect; also sets the error code for metrics. */
function translatedBody(exchange: Exchange, error: RememberedError, { requestId, id2 }: RequestIds): Buffer {
  exchange.errorCode = error.code;
  const told = errorInDialect(error, exchange.prefix);
  return Buffer.from(errorBody({ ...told, requestId, hostId: id2 }));
}
