import { isCertificateFault } from '../backend/failure-cause.ts';

/** What to look at first; `cause` is the name of an error, see `causeName`. */
export function inWords(cause: string): string {
  if (isCertificateFault(cause)) return 'its certificate is not accepted';
  return wordsOfCauses[cause] ?? 'the connection failed';
}

const NO_ANSWER = 'it does not answer in time';

const wordsOfCauses: Readonly<Record<string, string>> = {
  CONNECTION_CLOSED: 'it closes the connection without an answer',
  CONNECT_TIMEOUT: 'no connection comes about in time',
  EAI_AGAIN: 'its host name cannot be looked up at the moment',
  ECONNREFUSED: 'nothing listens there',
  ECONNRESET: 'it breaks the connection off',
  EHOSTUNREACH: 'there is no way to this host',
  ENETUNREACH: 'there is no way to this network',
  ENOTFOUND: 'its host name is not known',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'it does not speak TLS there; is it http?',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not speak TLS there; is it http?',
  FIRST_BYTE_TIMEOUT: NO_ANSWER,
  IDLE_TIMEOUT: NO_ANSWER,
  INVALID: 'what it answers is no answer of a store',
  TIMEOUT: NO_ANSWER,
  TOO_SLOW: NO_ANSWER,
};
