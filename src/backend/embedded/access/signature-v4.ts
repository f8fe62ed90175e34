import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

/** The scope of a signature: `<date>/<region>/s3/aws4_request`. */
export interface Scope {
  readonly date: string;
  readonly region: string;
}

/** A request as signed; names and values of `query` are decoded, those of `headers` lower-cased and trimmed. */
export interface SignedRequest {
  readonly method: string;
  /** The path as sent. */
  readonly path: string;
  readonly query: Iterable<readonly [string, string]>;
  readonly headers: readonly (readonly [string, string])[];
  readonly payloadHash: string;
  readonly timestamp: string;
  readonly scope: Scope;
}

export const ALGORITHM = 'AWS4-HMAC-SHA256';

export function canonicalRequest(request: SignedRequest): string {
  const { method, path, query, headers, payloadHash } = request;
  const parameters = [...query].map(([name, value]) => `${encode(name)}=${encode(value)}`).sort();
  return [
    method,
    encode(decodeURIComponent(path)).replaceAll('%2F', '/'),
    parameters.join('&'),
    ...headers.map(([name, value]) => `${name}:${value}`),
    '',
    headers.map(([name]) => name).join(';'),
    payloadHash,
  ].join('\n');
}

export function stringToSign({ timestamp, scope }: SignedRequest, canonical: string): string {
  return [ALGORITHM, timestamp, scopeText(scope), sha256Hex(canonical)].join('\n');
}

export function scopeText({ date, region }: Scope): string {
  return `${date}/${region}/s3/aws4_request`;
}

/** The key that signs everything of one day, region and account. */
export function signingKey(secretAccessKey: string, { date, region }: Scope): Buffer {
  const steps = [date, region, 's3', 'aws4_request'];
  return steps.reduce<Buffer>((key, step) => hmac(key, step), Buffer.from(`AWS4${secretAccessKey}`));
}

export function sign(key: Uint8Array, text: string): string {
  return hmac(key, text).toString('hex');
}

export function isSameSignature(actual: string, expected: string): boolean {
  const [a, b] = [Buffer.from(actual), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}

export function sha256Hex(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function hmac(key: Uint8Array, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

function encode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    character => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
