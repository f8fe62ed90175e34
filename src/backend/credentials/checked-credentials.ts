import type { ProvidedCredentials } from './credential-source.ts';

/** Credentials as a source returned them, unchecked. */
export interface GivenCredentials {
  readonly accessKeyId: unknown;
  readonly secretAccessKey: unknown;
  readonly sessionToken?: unknown;
  /** Undefined for credentials that do not expire. */
  readonly expiration?: Date | undefined;
  /** Set when the SDK has extended the expiration because the service still returns expired credentials. */
  readonly originalExpiration?: Date | undefined;
  readonly accountId?: unknown;
  readonly role?: unknown;
}

/** A source returned something that cannot sign requests. The message quotes none of it. */
class InvalidCredentialsError extends Error {
  readonly code = 'INVALID_CREDENTIALS';
}

/** In the header field of a signature `/` ends an access key id, and `,` what it stands in (Signature Version 4). */
export const accessKeyIdPattern = /^[!-+.0-~-]+$/;

/** A session token is sent in a header field, where leading and trailing blanks would be lost. */
export const sessionTokenPattern = /^[!-~]+$/;

/** Session tokens usually have 400 to 2000 characters. */
const LONGEST_TEXT = 8_192;

/**
 * Validates what a source returned: services, files and commands can return anything.
 *
 * @throws InvalidCredentialsError
 */
export function checkedCredentials(given: GivenCredentials): ProvidedCredentials {
  const expiresAtMs = (given.originalExpiration ?? given.expiration)?.getTime();
  if (Number.isNaN(expiresAtMs)) throw new InvalidCredentialsError('the expiration is not a valid time');
  return {
    accessKeyId: sentText('access key id', given.accessKeyId, accessKeyIdPattern),
    secretAccessKey: someText('secret access key', given.secretAccessKey),
    // some sources return an empty string or null for no token
    sessionToken: given.sessionToken
      ? sentText('session token', given.sessionToken, sessionTokenPattern)
      : undefined,
    expiresAtMs,
    accountId: nameOf(given.accountId),
    role: nameOf(given.role),
  };
}

/** Undefined if the value is not a valid account id or role name. */
function nameOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' && value.length <= LONGEST_TEXT ? value : undefined;
}

function sentText(name: string, value: unknown, pattern: RegExp): string {
  const sent = someText(name, value);
  if (!pattern.test(sent))
    throw new InvalidCredentialsError(`the ${name} has characters that cannot be sent`);
  return sent;
}

function someText(name: string, value: unknown): string {
  if (typeof value !== 'string' || value === '') throw new InvalidCredentialsError(`there is no ${name}`);
  if (value.length > LONGEST_TEXT) throw new InvalidCredentialsError(`the ${name} is too long`);
  return value;
}
