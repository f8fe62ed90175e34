/**
 * Verifies AWS Signature Version 4, for the gateway and for the embedded store. A signature comes in one of three forms:
 *
 * - in the Authorization header (`sigv4-authorization.ts`);
 * - in the query of a presigned URL (`sigv4-presigned.ts`);
 * - in the Authorization header, with a signature for each chunk of the body. `sigv4-payload.ts` gives the initial state;
 *   whoever reads the body verifies the chunks (`embedded-store/access/chunk-signatures.ts`).
 *
 * `SigV4Verifier.verify` checks in this order, and the first failure is the answer (rows of docs/semantics.md):
 *
 * 1. the form of the signature, its parameters and the payload hash (228, 240 to 249, 258 to 263, 266)
 * 2. the region (122)
 * 3. the time: clock skew, and when a presigned URL expires (210, 238, 239, 243, 257)
 * 4. that all headers are signed that must be (250 to 252)
 * 5. the access key (208, 256)
 * 6. that nobody sends a session token for permanent credentials
 * 7. the signature (209)
 * 8. the session token; whether the body matches the payload hash is known only when it has been read (264)
 */

import { timingSafeEqual } from 'node:crypto';
import type { Clock } from '../base/clock.ts';
import { type HeaderPrefix, parameterPrefix } from './dialect.ts';
import { s3Error } from './error.ts';
import { parseQuery, type Query, queryValue } from './query.ts';
import { readAuthorization } from './sigv4-authorization.ts';
import {
  type CanonicalParts,
  canonicalQuery,
  canonicalRequest,
  canonicalUri,
  stringToSign,
} from './sigv4-canonical.ts';
import type { SignatureClaim } from './sigv4-claim.ts';
import {
  accessKeyUnknown,
  expired,
  headersNotSigned,
  MAX_SKEW_MS,
  mechanismUnsupported,
  notYetValid,
  regionWrong,
  type SignatureScheme,
  severalMechanisms,
  signatureMismatch,
  timeTooSkewed,
  version2Incomplete,
} from './sigv4-errors.ts';
import { type ClientSecrets, type SigningKeys, signingSecret } from './sigv4-keys.ts';
import { readSignedPayload, type SignedPayload } from './sigv4-payload.ts';
import { readPresigned } from './sigv4-presigned.ts';
import { mayShowCredentials, type RequestView, type SignedRequest, viewRequest } from './sigv4-request.ts';

const headerPrefixes: readonly HeaderPrefix[] = ['x-amz-', 'x-store-'];

/** What verifying a client's signatures requires. */
export interface Client extends ClientSecrets {
  /** For temporary credentials: the token that requests must carry. */
  readonly sessionToken?: string | undefined;
}

/** Who sent a request. */
type Signer<C extends Client> =
  | { readonly kind: 'anonymous' }
  | {
      readonly kind: 'signed';
      readonly client: C;
      readonly accessKeyId: string;
      readonly scheme: SignatureScheme;
      readonly headerPrefix: HeaderPrefix;
      readonly payload: SignedPayload;
      /** The secret that it signed with. */
      readonly secretAccessKey: string;
      /** When a presigned URL expires; undefined for a signature in headers. */
      readonly expiresAtMs: number | undefined;
    };

/** Dependencies of the verifier. */
interface VerifierOptions<C extends Client> {
  readonly findClient: (accessKeyId: string) => C | undefined;
  readonly clock: Clock;
  readonly keys: SigningKeys;
}

/** Verifies AWS Signature Version 4, in headers and in presigned URLs, under both prefixes. */
export class SigV4Verifier<C extends Client> {
  readonly #findClient: (accessKeyId: string) => C | undefined;
  readonly #clock: Clock;
  readonly #keys: SigningKeys;

  constructor({ findClient, clock, keys }: VerifierOptions<C>) {
    this.#findClient = findClient;
    this.#clock = clock;
    this.#keys = keys;
  }

  /**
   * Verifies who sent a request. Credentials are always checked when present: a request with a bad signature is never
   * treated as anonymous (docs/semantics.md 267).
   *
   * @param expectedRegion the region that the scope must name; undefined accepts any
   * @throws S3Error with the errors of docs/semantics.md, sections 10 and 12
   */
  verify(raw: SignedRequest, expectedRegion?: string): Signer<C> {
    if (!mayShowCredentials(raw)) return { kind: 'anonymous' };
    const request = viewRequest(raw);
    const claim = readSignatureClaim(request);
    if (!claim) return { kind: 'anonymous' };
    checkRegion(claim, expectedRegion);
    checkTime(claim, this.#clock.nowMs());
    checkHeadersSigned(claim, request);
    const { accessKeyId, scheme, headerPrefix } = claim;
    const client = this.#findClient(accessKeyId);
    if (!client) throw accessKeyUnknown(accessKeyId);
    const isTokenWrong = claim.sessionToken !== client.sessionToken;
    if (isTokenWrong && client.sessionToken === undefined) throw tokenInvalid();
    const secretAccessKey = this.#secretOf(claim, request, client);
    if (isTokenWrong) throw tokenInvalid();
    const payload = readSignedPayload(claim, secretAccessKey, this.#keys);
    const expiresAtMs = expiresAt(claim);
    return {
      kind: 'signed',
      ...{ client, accessKeyId, scheme, headerPrefix, payload, secretAccessKey, expiresAtMs },
    };
  }

  /**
   * Most signers sign the canonical form of the path, some the path as sent (`%2F`, lower-case escapes). Both forms
   * name the same key, so either signature is accepted.
   *
   * @returns the secret that it was signed with
   * @throws S3Error SignatureDoesNotMatch
   */
  #secretOf(claim: SignatureClaim, request: RequestView, client: C): string {
    const parts = canonicalParts(claim, request);
    const expected = stringToSign(claim.timestamp, claim.scope, canonicalRequest(parts));
    const secret = signingSecret(client, each => this.#matches(claim, each, expected));
    if (secret !== undefined) return secret;
    if (request.rawPath !== parts.uri) {
      const asSent = canonicalRequest({ ...parts, uri: request.rawPath });
      const text = stringToSign(claim.timestamp, claim.scope, asSent);
      const ofOther = signingSecret(client, each => this.#matches(claim, each, text));
      if (ofOther !== undefined) return ofOther;
    }
    const { accessKeyId, signature: signatureProvided } = claim;
    throw signatureMismatch({ accessKeyId, stringToSign: expected, signatureProvided, parts });
  }

  #matches(
    { accessKeyId, scope, signature }: SignatureClaim,
    secretAccessKey: string,
    text: string,
  ): boolean {
    const computed = Buffer.from(this.#keys.sign({ accessKeyId, secretAccessKey }, scope, text), 'latin1');
    const provided = Buffer.from(signature, 'latin1');
    return provided.length === computed.length && timingSafeEqual(provided, computed);
  }
}

/**
 * Finds the signature of a request, in the Authorization header or in the query, with either prefix. Undefined when the
 * request has no credentials.
 * @throws S3Error of docs/semantics.md 228, 244 to 249, 258 to 263 or 266 when they are malformed, incomplete or not
 *   supported
 */
function readSignatureClaim(request: RequestView): SignatureClaim | undefined {
  const authorization = request.headers.get('authorization');
  const query = parseQuery(request.rawQuery);
  const prefixes = headerPrefixes.filter(prefix => isPresigned(query, prefix));
  const version2 = ['Signature', 'AWSAccessKeyId'].some(name => queryValue(query, name) !== undefined);
  if (request.authorizations + prefixes.length + Number(version2) > 1) throw severalMechanisms();
  if (authorization !== undefined) return readAuthorization(authorization, request.headers);
  if (version2) throw refuseVersion2(query);
  return prefixes[0] && readPresigned(query, request.headers, prefixes[0]);
}

function isPresigned(query: Query, headerPrefix: HeaderPrefix): boolean {
  const prefix = parameterPrefix(headerPrefix);
  return ['Algorithm', 'Credential', 'Signature'].some(
    name => queryValue(query, prefix + name) !== undefined,
  );
}

function refuseVersion2(query: Query) {
  const complete = ['Signature', 'Expires', 'AWSAccessKeyId'].every(name => queryValue(query, name));
  return complete ? mechanismUnsupported() : version2Incomplete();
}

function tokenInvalid() {
  return s3Error('InvalidToken', { reason: 'wrong session token' });
}

/** docs/semantics.md 122 */
function checkRegion({ scheme, headerPrefix, scope }: SignatureClaim, expected: string | undefined): void {
  if (expected === undefined || scope.region === expected) return;
  throw regionWrong(scheme, headerPrefix, scope.region, expected);
}

/** docs/semantics.md 238, 239, 243, 257; a skew of exactly the limit is allowed. */
function checkTime(claim: SignatureClaim, nowMs: number): void {
  const { headerPrefix, signedAtMs, expiresS } = claim;
  const expiresAtMs = expiresAt(claim);
  if (expiresS === undefined || expiresAtMs === undefined) {
    if (Math.abs(nowMs - signedAtMs) > MAX_SKEW_MS) throw timeTooSkewed(claim.timestamp, nowMs);
    return;
  }
  if (signedAtMs > nowMs + MAX_SKEW_MS) throw notYetValid(headerPrefix, signedAtMs, expiresAtMs, nowMs);
  if (expiresS === 0 || nowMs >= expiresAtMs) throw expired(headerPrefix, expiresS, expiresAtMs, nowMs);
}

function expiresAt({ signedAtMs, expiresS }: SignatureClaim): number | undefined {
  return expiresS === undefined ? undefined : signedAtMs + expiresS * 1000;
}

/**
 * Host and all headers with a store prefix must be signed, in either dialect, since both are understood
 * (docs/semantics.md 250 to 252). The payload hash is always part of what is signed.
 */
function checkHeadersSigned({ signedHeaders }: SignatureClaim, { headers }: RequestView): void {
  const missing = signedHeaders.includes('host') ? [] : ['host'];
  for (const name of headers.keys()) {
    if (!name.startsWith('x-amz-') && !name.startsWith('x-store-')) continue;
    if (name === 'x-amz-content-sha256' || name === 'x-store-content-sha256') continue;
    if (!signedHeaders.includes(name)) missing.push(name);
  }
  if (missing.length > 0) throw headersNotSigned(missing);
}

/** What should have been signed; a missing signed header counts as empty. */
function canonicalParts(
  claim: SignatureClaim,
  { method, rawPath, rawQuery, headers }: RequestView,
): CanonicalParts {
  const own = claim.scheme === 'presigned' ? `${parameterPrefix(claim.headerPrefix)}Signature` : undefined;
  return {
    method,
    uri: canonicalUri(rawPath),
    query: canonicalQuery(rawQuery, own),
    headers: claim.signedHeaders.map(name => [name, headers.get(name) ?? '']),
    payloadHash: claim.payloadHash,
  };
}
