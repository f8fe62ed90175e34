import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { errorCode } from '../../base/error-code.ts';

/** The files of a certificate, as configured. */
export interface CertificateFiles {
  /** PEM: the certificate, followed by those between it and the root. */
  readonly cert: string;
  /** PEM, without a passphrase. */
  readonly key: string;
  /** The server names it is used for; undefined: those in the certificate. */
  readonly names?: readonly string[] | undefined;
}

/** A certificate that can be used. */
export interface Certificate {
  /** Its file, for logs and metrics. */
  readonly file: string;
  readonly certPem: string;
  readonly keyPem: string;
  /** In lower case; may begin with `*.`. */
  readonly names: readonly string[];
  readonly expiresMs: number;
}

/** What is wrong with one of the files; `key` is its key in the configuration. */
export interface CertificateProblem {
  readonly key: 'cert' | 'key' | 'clientCa';
  readonly file: string;
  readonly why: string;
}

type ReadCertificate =
  | { readonly kind: 'certificate'; readonly certificate: Certificate }
  | { readonly kind: 'problem'; readonly problem: CertificateProblem };

/** Reads a certificate and its key, and checks that they belong together. Messages contain nothing of the key. */
export function readCertificate({ cert, key, names }: CertificateFiles): ReadCertificate {
  const certPem = readPem(cert);
  if (certPem.kind === 'unreadable') return problem('cert', cert, certPem.why);
  const keyPem = readPem(key);
  if (keyPem.kind === 'unreadable') return problem('key', key, keyPem.why);
  const parsed = parseCertificate(certPem.text);
  if (!parsed) return problem('cert', cert, 'holds no certificate in PEM form');
  const privateKey = parseKey(keyPem.text);
  if (!privateKey) return problem('key', key, 'holds no private key in PEM form without a passphrase');
  if (!parsed.checkPrivateKey(privateKey))
    return problem('key', key, `does not fit the certificate in ${cert}`);
  const certificate = {
    ...{ file: cert, certPem: certPem.text, keyPem: keyPem.text },
    names: (names ?? namesIn(parsed)).map(name => name.toLowerCase()),
    expiresMs: parsed.validToDate.getTime(),
  };
  return { kind: 'certificate', certificate };
}

/** Reads certificates of authorities; a problem names `clientCa`. */
export function readAuthorities(file: string): string | CertificateProblem {
  const pem = readPem(file);
  if (pem.kind === 'unreadable') return { key: 'clientCa', file, why: pem.why };
  return parseCertificate(pem.text)
    ? pem.text
    : { key: 'clientCa', file, why: 'holds no certificate in PEM form' };
}

type Pem =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'unreadable'; readonly why: string };

function readPem(file: string): Pem {
  try {
    return { kind: 'text', text: readFileSync(file, 'utf8') };
  } catch (error) {
    const code = errorCode(error);
    return { kind: 'unreadable', why: code === undefined ? 'cannot be read' : `cannot be read (${code})` };
  }
}

function problem(key: CertificateProblem['key'], file: string, why: string): ReadCertificate {
  return { kind: 'problem', problem: { key, file, why } };
}

function parseCertificate(pem: string): X509Certificate | undefined {
  try {
    return new X509Certificate(pem);
  } catch {
    return undefined;
  }
}

function parseKey(pem: string): KeyObject | undefined {
  try {
    return createPrivateKey(pem);
  } catch {
    return undefined;
  }
}

/** The DNS names of the certificate (RFC 6125 §6.4.4: those in its subject count only where it has no others). */
function namesIn({ subjectAltName, subject }: X509Certificate): string[] {
  const listed = Array.from((subjectAltName ?? '').matchAll(/DNS:([^,"\s]+)/g), ([, name = '']) => name);
  if (listed.length > 0) return listed;
  const [, common] = /^CN=(.+)$/m.exec(subject ?? '') ?? [];
  return common === undefined ? [] : [common];
}
