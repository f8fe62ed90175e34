import { S3Error } from '../../src/s3/error.ts';
import { EMPTY_PAYLOAD_HASH } from '../../src/s3/sigv4-canonical.ts';
import { SigningKeys } from '../../src/s3/sigv4-keys.ts';
import type { SignedRequest } from '../../src/s3/sigv4-request.ts';
import { SigV4Verifier } from '../../src/s3/sigv4-verify.ts';
import { ManualClock } from './manual-clock.ts';

/** The account, the moment and the host of the examples that the service's manual publishes. */
export const accessKeyId = 'AKIAIOSFODNN7EXAMPLE';
export const secretAccessKey = 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY';
export const credentials = { accessKeyId, secretAccessKey };
export const signedAtMs = Date.UTC(2013, 4, 24);
export const host = 'examplebucket.s3.amazonaws.com';

/** Under which circumstances a request is verified; those of the published examples unless said otherwise. */
interface Scene {
  readonly clock?: ManualClock;
  readonly region?: string;
  readonly sessionToken?: string;
}

/** Verifies a request as a gateway would that knows one client. */
export function verify(
  request: SignedRequest,
  { clock = new ManualClock(signedAtMs), region, sessionToken }: Scene = {},
) {
  const findClient = (id: string) =>
    id === accessKeyId ? { secretAccessKey, sessionToken, name: 'demo' } : undefined;
  return new SigV4Verifier({ findClient, clock, keys: new SigningKeys() }).verify(request, region);
}

/** The refusal of a request, as its status, code, text and fields. */
export function refusal(request: SignedRequest, scene?: Scene) {
  try {
    verify(request, scene);
  } catch (error) {
    if (!(error instanceof S3Error)) throw error;
    const { status, code, message, fields } = error;
    return { status, code, message, fields: Object.fromEntries(fields) };
  }
  throw new Error('the request was not refused');
}

/** A published example: a range of an object, with the range signed. */
export const published = {
  method: 'GET',
  url: '/test.txt',
  rawHeaders: [
    'Host',
    host,
    'Authorization',
    'AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,SignedHeaders=host;range;x-amz-content-sha256;x-amz-date,Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
    'Range',
    'bytes=0-9',
    'x-amz-content-sha256',
    EMPTY_PAYLOAD_HASH,
    'x-amz-date',
    '20130524T000000Z',
  ],
};

/** Another of them: the presigned URL of an object, without scheme and host. */
export const publishedUrl =
  '/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404';
/** The request that the URL allows. */
export const presigned = { method: 'GET', url: publishedUrl, rawHeaders: ['host', host] };

/** The published request with some of its headers replaced, or taken away. */
export function withHeaders(
  changes: Record<string, string | undefined>,
  request: SignedRequest = published,
): SignedRequest {
  const kept = request.rawHeaders.flatMap((name, index) =>
    index % 2 === 0 && !Object.keys(changes).some(change => change.toLowerCase() === name.toLowerCase())
      ? [name, request.rawHeaders[index + 1] ?? '']
      : [],
  );
  const set = Object.entries(changes).flatMap(([name, value]) => (value === undefined ? [] : [name, value]));
  return { ...request, rawHeaders: [...kept, ...set] };
}

/** The published URL with some of its parameters replaced, or taken away. */
export function withParameters(changes: Record<string, string | undefined>): SignedRequest {
  const url = new URL(publishedUrl, 'http://h');
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) url.searchParams.delete(name);
    else url.searchParams.set(name, value);
  }
  return { ...presigned, url: url.pathname + url.search };
}

/** The credential of the published examples. */
export const credential = `${accessKeyId}/20130524/us-east-1/s3/aws4_request`;

/** The published request with another Authorization header. */
export function withAuthorization(value: string): SignedRequest {
  return withHeaders({ Authorization: value });
}

/** The published request with some components of its signature replaced; the signature is no good. */
export function authorization(changes: Record<string, string>): SignedRequest {
  const components = {
    Credential: credential,
    SignedHeaders: 'host;x-amz-date',
    Signature: 'ab',
    ...changes,
  };
  const texts = Object.entries(components).map(pair => pair.join('='));
  return withAuthorization(`AWS4-HMAC-SHA256 ${texts.join(', ')}`);
}
