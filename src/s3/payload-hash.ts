import type { HeaderPrefix } from './dialect.ts';
import { UNSIGNED_PAYLOAD } from './sigv4-canonical.ts';
import { payloadHashInvalid } from './sigv4-errors.ts';

/** A body in chunks (AWS Signature Version 4, streaming). The name may be one that is not known here. */
export interface PayloadStream {
  readonly kind: 'stream';
  readonly name: string;
}

/** A body without a coding: its SHA-256 in lower-case hex (EMPTY_PAYLOAD_HASH for no body), or none. */
export type PlainPayload = { readonly kind: 'unsigned' } | { readonly kind: 'hash'; readonly sha256: string };

/** The value of x-amz-content-sha256. */
export type PayloadHash = PlainPayload | PayloadStream;

/** What a stream consists of. */
interface StreamForm {
  readonly isSigned: boolean;
  readonly hasTrailer: boolean;
}

/** The stream whose trailer is not signed. */
export const UNSIGNED_TRAILER_STREAM = 'STREAMING-UNSIGNED-PAYLOAD-TRAILER';

const forms: ReadonlyMap<string, StreamForm> = new Map([
  ['STREAMING-AWS4-HMAC-SHA256-PAYLOAD', { isSigned: true, hasTrailer: false }],
  ['STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER', { isSigned: true, hasTrailer: true }],
  [UNSIGNED_TRAILER_STREAM, { isSigned: false, hasTrailer: true }],
]);

/** @throws S3Error InvalidArgument for a value that is neither a hash nor one of the constants allowed instead */
export function readPayloadHash(value: string, prefix: HeaderPrefix): PayloadHash {
  if (value === UNSIGNED_PAYLOAD) return { kind: 'unsigned' };
  if (/^[\da-f]{64}$/.test(value)) return { kind: 'hash', sha256: value };
  if (isStreamName(value)) return { kind: 'stream', name: value };
  throw payloadHashInvalid(prefix, value);
}

/** Whether the value names a stream; then it also says how the body is coded. */
export function isStreamName(value: string): boolean {
  return value.startsWith('STREAMING-');
}

/** @throws S3Error InvalidArgument for a stream that is not known */
export function formOfStream({ name }: PayloadStream, prefix: HeaderPrefix): StreamForm {
  const form = forms.get(name);
  if (!form) throw payloadHashInvalid(prefix, name);
  return form;
}
