import { isCertificateFault } from './failure-cause.ts';

/** What to look at first; `cause` is the name of an error, see `causeName`, `STATUS_503` for an answered error, or the code of a refusal. */
export function inWords(cause: string): string {
  if (isCertificateFault(cause)) return 'its certificate is not accepted';
  // 507 says one thing only (RFC 4918 §11.5)
  if (cause === 'STATUS_507') return 'it has no room left';
  if (/^STATUS_5\d\d$/.test(cause)) return 'it is in trouble itself, or what stands before it is';
  return (Object.hasOwn(wordsOfCauses, cause) ? wordsOfCauses[cause] : undefined) ?? 'the connection failed';
}

const NO_ANSWER = 'it does not answer in time';
const KEYS_REFUSED = 'it does not accept the gateway’s credentials';
const BROKEN_OFF = 'it breaks the connection off';

const wordsOfCauses: Readonly<Record<string, string>> = {
  AuthorizationHeaderMalformed: 'it does not accept how the gateway signs; is the region right?',
  BROKEN: BROKEN_OFF,
  CREDENTIALS_EXPIRED: 'the gateway’s credentials for it have expired',
  CONNECTION_CLOSED: 'it closes the connection without an answer',
  CONNECT_TIMEOUT: 'no connection comes about in time',
  EAI_AGAIN: 'its host name cannot be looked up at the moment',
  ECONNREFUSED: 'nothing listens there',
  ECONNRESET: BROKEN_OFF,
  EHOSTUNREACH: 'there is no way to this host',
  ENETUNREACH: 'there is no way to this network',
  ENOTFOUND: 'its host name is not known',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'it does not speak TLS there; is it http?',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not speak TLS there; is it http?',
  ExpiredToken: 'the gateway’s credentials for it have expired',
  FIRST_BYTE_TIMEOUT: NO_ANSWER,
  IDLE_TIMEOUT: NO_ANSWER,
  InvalidAccessKeyId: 'it does not know the gateway’s access key',
  InvalidSecurity: KEYS_REFUSED,
  InvalidToken: KEYS_REFUSED,
  INVALID: 'what it answers is no answer of a store',
  NO_ANSWER,
  NO_CREDENTIALS: 'the gateway has no credentials for it yet',
  RequestTimeTooSkewed: 'its clock and the gateway’s are too far apart',
  SignatureDoesNotMatch: 'it does not accept the gateway’s signature; is the secret key right?',
  TIMEOUT: NO_ANSWER,
  TokenRefreshRequired: KEYS_REFUSED,
  TOO_SLOW: NO_ANSWER,
};
