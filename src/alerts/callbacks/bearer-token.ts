import type { IncomingHttpHeaders } from 'node:http';
import { createRemoteJWKSet, errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose';
import type { Clock } from '../../base/clock.ts';
import { type CallbackRefusal, refuse } from './refusal.ts';

/** Which tokens are accepted (docs/cards.md §2, Token). */
export interface BearerOptions {
  readonly issuer: string;
  /** The base URL of the callbacks, as the service addresses it. */
  readonly audience: string;
  /** The keys that verify signatures: `remoteKeys(url)`, or jose's `createLocalJWKSet`. */
  readonly keys: JWTVerifyGetKey;
  /** The application that sends the tokens; `CONNECTOR_APP_ID` for the real service. */
  readonly appIds: readonly string[];
  /** The directory identities that may press buttons, with their display names. */
  readonly allowedSubjects: ReadonlyMap<string, string>;
  /** The allowed difference between the clocks. */
  readonly clockToleranceS: number;
}

type BearerVerdict =
  | { readonly kind: 'known'; readonly subject: string; readonly name: string }
  | CallbackRefusal;

/** docs/cards.md §2, Token: issuer and application of the service. */
export const CONNECTOR_ISSUER = 'https://substrate.office.com/sts/';
export const CONNECTOR_APP_ID = '48af08dc-f6d2-435f-b2a7-069abd99c086';

/** The service expects a response within two seconds, so a slower key set is useless. */
const KEYS_TIMEOUT_MS = 1_200;
const MAX_TOKEN_LENGTH = 8_192;

/** The keys at a URL: fetched when first needed, cached for ten minutes, fetched again for an unknown key id. */
export function remoteKeys(url: string): JWTVerifyGetKey {
  return createRemoteJWKSet(new URL(url), { timeoutDuration: KEYS_TIMEOUT_MS });
}

/**
 * Verifies who pressed the button, in this order: key by `kid`, signature (RS256 only), issuer, audience, expiry,
 * application, identity on the list. The first failed step ends it.
 */
export async function verifyBearer(
  headers: IncomingHttpHeaders,
  options: BearerOptions,
  clock: Clock,
): Promise<BearerVerdict> {
  const token = tokenOf(headers);
  if (token === undefined) return refuse('token-missing', 'This needs a bearer token.');
  if (token.length > MAX_TOKEN_LENGTH) return refuse('token-malformed', 'The bearer token is too long.');
  try {
    const { payload } = await jwtVerify(token, options.keys, {
      issuer: options.issuer,
      audience: options.audience,
      algorithms: ['RS256'],
      clockTolerance: options.clockToleranceS,
      requiredClaims: ['sub', 'exp', 'appid'],
      currentDate: new Date(clock.nowMs()),
    });
    return judgeIdentity(payload, options);
  } catch (error) {
    return refusalOf(error);
  }
}

/** docs/cards.md §2: the service puts the token into Action-Authorization when the card sets an empty Authorization. */
function tokenOf(headers: IncomingHttpHeaders): string | undefined {
  const other = headers['action-authorization'];
  const value = headers.authorization || (typeof other === 'string' ? other : '');
  return /^Bearer +(\S+)$/i.exec(value)?.[1];
}

function judgeIdentity({ appid, sub = '' }: JWTPayload, options: BearerOptions): BearerVerdict {
  if (typeof appid !== 'string' || !options.appIds.includes(appid)) {
    return refuse('application-not-allowed', 'The token comes from an application that is not allowed.');
  }
  const name = options.allowedSubjects.get(sub);
  if (name === undefined)
    return refuse('identity-not-allowed', 'You are not on the list of those who may do this.');
  return { kind: 'known', subject: sub, name };
}

function refusalOf(error: unknown): CallbackRefusal {
  if (error instanceof errors.JWTExpired) return refuse('token-expired', 'The bearer token has expired.');
  if (error instanceof errors.JWTClaimValidationFailed) return wrongClaim(error.claim);
  if (error instanceof errors.JOSEAlgNotAllowed) {
    return refuse('token-wrong-algorithm', 'The bearer token is not signed with RS256.');
  }
  if (error instanceof errors.JWSSignatureVerificationFailed || error instanceof errors.JWKSNoMatchingKey) {
    return refuse('token-wrong-signature', 'The bearer token is not signed by its issuer.');
  }
  if (error instanceof errors.JWTInvalid || error instanceof errors.JWSInvalid) {
    return refuse('token-malformed', 'The bearer token is malformed.');
  }
  if (error instanceof errors.JOSENotSupported || error instanceof errors.JWKSMultipleMatchingKeys) {
    return refuse('token-wrong-signature', 'No single key fits the bearer token.');
  }
  return refuse('token-keys-unavailable', 'The keys that verify tokens cannot be had now. Try again.');
}

function wrongClaim(claim: string): CallbackRefusal {
  if (claim === 'iss') return refuse('token-wrong-issuer', 'The bearer token has another issuer.');
  if (claim === 'aud') return refuse('token-wrong-audience', 'The bearer token is for somebody else.');
  return refuse('token-wrong-claim', `The bearer token has no valid "${claim}".`);
}
