import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext, type SecureContextOptions } from 'node:tls';
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
  const parsed = parseCertificates(certPem.text);
  if (typeof parsed === 'string') return problem('cert', cert, parsed);
  const privateKey = parseKey(keyPem.text);
  if (typeof privateKey === 'string') return problem('key', key, privateKey);
  if (!parsed.checkPrivateKey(privateKey))
    return problem('key', key, `does not fit the certificate in ${cert}`);
  const why = whyUnusable({ cert: certPem.text, key: keyPem.text });
  if (why !== undefined) return problem('cert', cert, why);
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
  const parsed = parseCertificates(pem.text);
  const why = typeof parsed === 'string' ? parsed : whyUnusable({ ca: pem.text });
  return why === undefined ? pem.text : { key: 'clientCa', file, why };
}

/**
 * Why OpenSSL would refuse the certificate or key, for example because the key is too short; undefined if it would not.
 */
function whyUnusable(options: SecureContextOptions): string | undefined {
  try {
    createSecureContext(options);
    return undefined;
  } catch (error) {
    return `cannot be used: ${error instanceof Error ? error.message : 'OpenSSL refuses it'}`;
  }
}

type Pem =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'unreadable'; readonly why: string };

function readPem(file: string): Pem {
  try {
    return { kind: 'text', text: readFileSync(file, 'utf8') };
  } catch (error) {
    if (file.includes('-----BEGIN '))
      return { kind: 'unreadable', why: 'is in PEM form itself; expected the name of its file' };
    const code = errorCode(error);
    return { kind: 'unreadable', why: code === undefined ? 'cannot be read' : `cannot be read (${code})` };
  }
}

function problem(key: CertificateProblem['key'], file: string, why: string): ReadCertificate {
  return { kind: 'problem', problem: { key, file, why } };
}

/**
 * Returns the first certificate of a file, or why there is none. All certificates of the file are parsed, since OpenSSL
 * silently stops at a broken one.
 */
function parseCertificates(pem: string): X509Certificate | string {
  const blocks = pem
    .split(/(?=-----BEGIN )/)
    .filter(block => /^-----BEGIN [A-Z0-9 ]*CERTIFICATE-/.test(block));
  try {
    const [first] = blocks.map(block => new X509Certificate(block));
    return first ?? 'holds no certificate in PEM form';
  } catch {
    return 'holds a certificate that is broken or cut off';
  }
}

/** Returns the private key, or why there is none. */
function parseKey(pem: string): KeyObject | string {
  try {
    return createPrivateKey(pem);
  } catch {
    return pem.includes('ENCRYPTED')
      ? 'has a passphrase: `openssl pkey -in FILE -out NEW` writes the key without it'
      : 'holds no private key in PEM form';
  }
}

/** The DNS names of the certificate (RFC 6125 §6.4.4: those in its subject count only where it has no others). */
function namesIn({ subjectAltName, subject }: X509Certificate): string[] {
  const listed = Array.from((subjectAltName ?? '').matchAll(/DNS:([^,"\s]+)/g), ([, name = '']) => name);
  if (listed.length > 0) return listed;
  const [, common] = /^CN=(.+)$/m.exec(subject ?? '') ?? [];
  return common === undefined ? [] : [common];
}
