import type { ProvidedCredentials } from './credential-source.ts';

/** What a source gave, whatever it is. */
export interface GivenCredentials {
  readonly accessKeyId: unknown;
  readonly secretAccessKey: unknown;
  readonly sessionToken?: unknown;
  /** Undefined for credentials that do not expire. */
  readonly expiration?: Date | undefined;
  /** Where the SDK has put off the expiration because the service still gives expired credentials. */
  readonly originalExpiration?: Date | undefined;
  readonly accountId?: unknown;
  readonly role?: unknown;
}

/** A source gave something that no request can be signed with. The message has nothing of it. */
class InvalidCredentialsError extends Error {
  readonly code = 'INVALID_CREDENTIALS';
}

/** Session tokens have some 400 to 2000 characters; they are sent in a field of the head. */
const LONGEST_TEXT = 8_192;

/**
 * Credentials of a source, if they are such: services, files and commands can answer anything.
 *
 * @throws InvalidCredentialsError
 */
export function checkedCredentials(given: GivenCredentials): ProvidedCredentials {
  const expiresAtMs = (given.originalExpiration ?? given.expiration)?.getTime();
  if (Number.isNaN(expiresAtMs)) throw new InvalidCredentialsError('the expiration is no time');
  return {
    accessKeyId: sentText('access key id', given.accessKeyId),
    secretAccessKey: someText('secret access key', given.secretAccessKey),
    // some sources say that there is none with an empty text, or with null
    sessionToken: given.sessionToken ? sentText('session token', given.sessionToken) : undefined,
    expiresAtMs,
    accountId: nameOf(given.accountId),
    role: nameOf(given.role),
  };
}

/** Undefined for what is no name of an account or a role. */
function nameOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' && value.length <= LONGEST_TEXT ? value : undefined;
}

/** A text that is sent in a field of the head, which would lose spaces at its ends. */
function sentText(name: string, value: unknown): string {
  const sent = someText(name, value);
  if (!/^[!-~]+$/.test(sent))
    throw new InvalidCredentialsError(`the ${name} has characters that cannot be sent`);
  return sent;
}

function someText(name: string, value: unknown): string {
  if (typeof value !== 'string' || value === '') throw new InvalidCredentialsError(`there is no ${name}`);
  if (value.length > LONGEST_TEXT) throw new InvalidCredentialsError(`the ${name} is too long`);
  return value;
}
