import { errorCode } from '../base/error-code.ts';

/** What is wrong with a store's certificate: the names that OpenSSL gives the results of `X509_verify_cert`. */
const certificateFaults: ReadonlySet<string> = new Set([
  'CERT_CHAIN_TOO_LONG',
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'CERT_REJECTED',
  'CERT_REVOKED',
  'CERT_SIGNATURE_FAILURE',
  'CERT_UNTRUSTED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'ERROR_IN_CERT_NOT_AFTER_FIELD',
  'ERROR_IN_CERT_NOT_BEFORE_FIELD',
  'ERR_TLS_CERT_ALTNAME_FORMAT',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'HOSTNAME_MISMATCH',
  'INVALID_CA',
  'INVALID_PURPOSE',
  'PATH_LENGTH_EXCEEDED',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_DECODE_ISSUER_PUBLIC_KEY',
  'UNABLE_TO_DECRYPT_CERT_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

/** System errors of a connection that was never there. */
const connectionFaults: ReadonlySet<string> = new Set([
  'EACCES',
  'EADDRNOTAVAIL',
  'EAI_AGAIN',
  'EAI_FAIL',
  'ECONNREFUSED',
  'EHOSTDOWN',
  'EHOSTUNREACH',
  'EMFILE',
  'ENETDOWN',
  'ENETUNREACH',
  'ENFILE',
  'ENOTFOUND',
  'EPERM',
]);

/** undici's codes in the words of the configuration (`timeouts`). */
const named: Readonly<Record<string, string>> = {
  UND_ERR_BODY_TIMEOUT: 'IDLE_TIMEOUT',
  UND_ERR_CONNECT_TIMEOUT: 'CONNECT_TIMEOUT',
  UND_ERR_HEADERS_TIMEOUT: 'FIRST_BYTE_TIMEOUT',
  UND_ERR_SOCKET: 'CONNECTION_CLOSED',
};

const codePattern = /^[A-Z][A-Z0-9_]{1,63}$/;

/**
 * The name of the error that a chain of causes began with, as operators look it up: `ECONNREFUSED`, `CERT_HAS_EXPIRED`,
 * `FIRST_BYTE_TIMEOUT`. These are names of Node.js, OpenSSL and undici, never texts of stores or clients. Undefined
 * where no error has one.
 */
export function causeName(error: unknown): string | undefined {
  let name: string | undefined;
  let one = error;
  for (let depth = 0; one instanceof Error && depth < 8; depth++) {
    const code = errorCode(one);
    if (code !== undefined && codePattern.test(code)) name = code;
    one = one.cause;
  }
  return name === undefined || !Object.hasOwn(named, name) ? name : named[name];
}

/** Whether a request failed before there was a connection to send it on. */
export function isConnectionFault(cause: string | undefined): boolean {
  if (cause === undefined) return false;
  return connectionFaults.has(cause) || cause === 'CONNECT_TIMEOUT' || isTlsFault(cause);
}

/** Whether the store's certificate was not accepted. */
export function isCertificateFault(cause: string): boolean {
  return certificateFaults.has(cause);
}

function isTlsFault(cause: string): boolean {
  return isCertificateFault(cause) || cause === 'EPROTO' || /^ERR_(?:SSL|TLS)_/.test(cause);
}
