import { STATUS_CODES } from 'node:http';
import { StoreError, type StoreErrorCode } from '../../backend/store.ts';
import { retryAfter, S3Error, s3Error, slowDown } from '../../s3/error.ts';
import { errorBody } from '../../s3/error-body.ts';
import type { ErrorCode } from '../../s3/error-codes.ts';
import { errorInDialect } from '../../s3/error-dialect.ts';
import { InvalidListError } from '../../s3/listing/listing-xml.ts';
import type { RequestIds } from '../../s3/request-ids.ts';
import {
  InvalidReplyError,
  NotCachedError,
  ObjectChangedError,
  OverloadedError,
  RefusedByStoreError,
} from '../fill/fill-error.ts';
import { TooManyRequestsError } from '../request/admission.ts';
import type { Exchange } from '../request/exchange.ts';
import { chargeHeader } from './object-headers.ts';
import { StalledClientError } from './pending-sends.ts';
import { PreparedHeaders } from './prepared-headers.ts';

/** The single mapping from exceptions to errors of the store's protocol. Total: anything unknown is a 500. */
export function asS3Error(error: unknown): S3Error {
  if (error instanceof S3Error) return error;
  if (isWantOfRoom(error)) return slowDown({ cause: error });
  if (error instanceof NotCachedError)
    return s3Error('GatewayTimeout', { message: error.message, cause: error });
  if (error instanceof ObjectChangedError) return slowDown({ message: error.message, cause: error });
  if (error instanceof InvalidReplyError || error instanceof InvalidListError)
    return s3Error('BadGateway', { cause: error });
  if (error instanceof StoreError) {
    if (error.code === 'BUSY') return slowDown({ cause: error });
    const code = meanings[error.code];
    const headers = code === 'ServiceUnavailable' ? [retryAfter] : [];
    const message = error.code === 'UNSIGNED' ? { message: UNSIGNED_TEXT } : {};
    return s3Error(code, { ...message, cause: error, headers });
  }
  return s3Error('InternalError', { cause: error });
}

function isWantOfRoom(error: unknown): error is Error {
  return (
    error instanceof OverloadedError ||
    error instanceof TooManyRequestsError ||
    error instanceof StalledClientError
  );
}

const meanings: Readonly<Record<Exclude<StoreErrorCode, 'BUSY'>, ErrorCode>> = {
  UNREACHABLE: 'ServiceUnavailable',
  TIMEOUT: 'GatewayTimeout',
  BROKEN: 'ServiceUnavailable',
  INVALID: 'BadGateway',
  FAULT: 'InternalError',
  UNSIGNED: 'ServiceUnavailable',
  CIRCUIT_OPEN: 'ServiceUnavailable',
};

const UNSIGNED_TEXT = 'The gateway has no valid credentials for the store at the moment.';

/** Whether `error` is unexpected, that is, a bug of the gateway. */
export function isFault(error: unknown): boolean {
  if (error instanceof S3Error || error instanceof RefusedByStoreError) return false;
  return asS3Error(error).code === 'InternalError';
}

/**
 * Answers `exchange` with `error`; a HEAD gets no body (docs/semantics.md, Decided 11).
 *
 * @param more additional headers, names and values alternating
 */
export function replyError(exchange: Exchange, error: S3Error, more: readonly string[] = []): void {
  const { requestId, id2 } = exchange;
  exchange.errorCode = error.code;
  if (exchange.isPlain) {
    const text = `${error.status} ${STATUS_CODES[error.status] ?? error.code}\n`;
    const fields = [...error.headers.flat(), 'content-type', 'text/plain; charset=utf-8'];
    sendWhole(exchange, error.status, fields, Buffer.from(text), exchange, undefined);
    return;
  }
  const body = errorBody({ ...errorInDialect(error, exchange.prefix), requestId, hostId: id2 });
  const headers = [
    ...more,
    ...chargeHeader(exchange),
    ...error.headers.flat(),
    'content-type',
    'application/xml',
  ];
  sendWhole(exchange, error.status, headers, Buffer.from(body), exchange, undefined);
}

/** Sends a response with a complete body; a HEAD gets none. */
export function sendWhole(
  exchange: Exchange,
  status: number,
  fields: readonly string[],
  body: Buffer,
  { requestId, id2 }: RequestIds,
  ageS: number | undefined,
): void {
  const { response, report, date } = exchange;
  // RFC 9110 §8.6: a 204 has no length
  const length = exchange.isHead || status === 204 ? [] : ['content-length', String(body.length)];
  const headers = PreparedHeaders.for(exchange, [...fields, ...length], status);
  exchange.status = status;
  exchange.bodyBytes = exchange.isHead ? 0 : body.length;
  headers.writeTo(response, status, { report, requestId, id2, date }, ageS);
  response.end(exchange.isHead ? undefined : body);
}
