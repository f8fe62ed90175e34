import type { Clock } from '../../../base/clock.ts';
import type { ChunkSignatures } from '../protocol/aws-chunked.ts';
import { StoreError } from '../protocol/store-error.ts';
import type { StoreRequest } from '../protocol/store-request.ts';
import type { Account, Caller } from './caller.ts';
import { chunkSignatures } from './chunk-signatures.ts';
import {
  ALGORITHM,
  canonicalRequest,
  isSameSignature,
  type SignedRequest,
  sign,
  signingKey,
  stringToSign,
} from './signature-v4.ts';

/** Who sent a request, and how to check what it signs beyond its headers. */
export interface Identity {
  readonly caller: Caller;
  readonly signatures?: ChunkSignatures | undefined;
}

/** Throws what a signature is refused for; a request without one is anonymous. */
export type Authenticate = (request: StoreRequest) => Identity;

export interface AuthenticatorOptions {
  readonly accounts: readonly Account[];
  readonly region: string;
  readonly clock: Clock;
}

const MAX_SKEW_MS = 15 * 60_000;

/** A signature with what it says of itself. */
interface Credentials {
  readonly accessKeyId: string;
  readonly date: string;
  readonly region: string;
  readonly signedHeaders: readonly string[];
  readonly signature: string;
  readonly timestamp: string;
  readonly expiresS?: number;
}

export function createAuthenticator({ accounts, region, clock }: AuthenticatorOptions): Authenticate {
  const known = new Map(accounts.map(account => [account.accessKeyId, account]));
  return request => {
    const credentials = inHeader(request) ?? inQuery(request);
    if (!credentials) return { caller: { kind: 'anonymous' } };
    const account = known.get(credentials.accessKeyId);
    if (!account) {
      throw new StoreError('InvalidAccessKeyId', { fields: { AWSAccessKeyId: credentials.accessKeyId } });
    }
    if (credentials.region !== region) throw new StoreError('AuthorizationHeaderMalformed');
    demandTimely(credentials, clock.nowMs());
    const scope = { date: credentials.date, region };
    const key = signingKey(account.secretAccessKey, scope);
    const signed = signedRequest(request, credentials);
    if (!isSameSignature(sign(key, stringToSign(signed, canonicalRequest(signed))), credentials.signature)) {
      throw new StoreError('SignatureDoesNotMatch', { fields: { AWSAccessKeyId: credentials.accessKeyId } });
    }
    const seed = { key, scope, timestamp: credentials.timestamp, signature: credentials.signature };
    const isSignedStream = signed.payloadHash.startsWith(`STREAMING-${ALGORITHM}`);
    return {
      caller: { kind: 'account', account },
      ...(isSignedStream && { signatures: chunkSignatures(seed) }),
    };
  };
}

function inHeader(request: StoreRequest): Credentials | undefined {
  const header = request.header('authorization');
  if (header === undefined) return undefined;
  const match =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/.exec(
      header,
    );
  if (!match) throw new StoreError('AuthorizationHeaderMalformed');
  const [, accessKeyId = '', date = '', region = '', signedHeaders = '', signature = ''] = match;
  const timestamp = request.prefixed('date') ?? '';
  return { accessKeyId, date, region, signedHeaders: signedHeaders.split(';'), signature, timestamp };
}

function inQuery(request: StoreRequest): Credentials | undefined {
  if (request.prefixed('algorithm') !== ALGORITHM) return undefined;
  const [accessKeyId = '', date = '', region = ''] = (request.prefixed('credential') ?? '').split('/');
  return {
    accessKeyId,
    date,
    region,
    signedHeaders: (request.prefixed('signedheaders') ?? '').split(';'),
    signature: request.prefixed('signature') ?? '',
    timestamp: request.prefixed('date') ?? '',
    expiresS: Number(request.prefixed('expires')),
  };
}

function demandTimely({ timestamp, expiresS }: Credentials, nowMs: number): void {
  const iso = timestamp.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z');
  const signedMs = Date.parse(iso);
  if (Number.isNaN(signedMs)) throw new StoreError('AccessDenied');
  if (expiresS === undefined) {
    if (Math.abs(nowMs - signedMs) > MAX_SKEW_MS) throw new StoreError('RequestTimeTooSkewed');
    return;
  }
  if (!(nowMs <= signedMs + expiresS * 1000)) {
    throw new StoreError('AccessDenied', { message: 'Request has expired' });
  }
}

function signedRequest(request: StoreRequest, credentials: Credentials): SignedRequest {
  const isPresigned = credentials.expiresS !== undefined;
  return {
    method: request.method,
    path: (request.message.url ?? '/').split('?')[0] ?? '/',
    query: [...request.query].filter(([name]) => !isPresigned || !/^x-(?:amz|store)-signature$/i.test(name)),
    headers: credentials.signedHeaders.map(name => [
      name,
      (request.header(name) ?? '').trim().replace(/ +/g, ' '),
    ]),
    payloadHash: isPresigned ? 'UNSIGNED-PAYLOAD' : (request.prefixed('content-sha256') ?? ''),
    timestamp: credentials.timestamp,
    scope: { date: credentials.date, region: credentials.region },
  };
}
