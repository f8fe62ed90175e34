import { randomBytes } from 'node:crypto';
import {
  type Certificate,
  type CertificateFiles,
  type CertificateProblem,
  readAuthorities,
  readCertificate,
} from './certificate.ts';

/** TLS of a listener, as configured. */
export interface TlsFiles {
  /** The first one is for clients that name no server, or one that no certificate is for. */
  readonly certificates: readonly CertificateFiles[];
  /** The authorities of client certificates; undefined: none are asked for. */
  readonly clientCa?: string | undefined;
  readonly clientCertificates: 'required' | 'optional';
  readonly http2: boolean;
}

/** TLS of a listener, with all that was in its files. Plain data, which is posted to workers. */
export interface TlsMaterial {
  readonly certificates: readonly Certificate[];
  readonly clientCaPem: string | undefined;
  readonly requiresClientCertificate: boolean;
  readonly http2: boolean;
  /** Seals session tickets, so that a client may resume its session with any worker. */
  readonly ticketKeys: Uint8Array;
}

type ReadTls =
  | { readonly kind: 'material'; readonly material: TlsMaterial }
  | {
      readonly kind: 'problems';
      readonly problems: readonly (CertificateProblem & { readonly index: number })[];
    };

/** The length that OpenSSL has for them. */
const TICKET_KEY_BYTES = 48;

/** Reads all files of a listener. A problem has the index of its certificate. */
export function readTls({ certificates, clientCa, clientCertificates, http2 }: TlsFiles): ReadTls {
  const read = certificates.map(readCertificate);
  const problems = read.flatMap((each, index) =>
    each.kind === 'problem' ? [{ ...each.problem, index }] : [],
  );
  const authorities = clientCa === undefined ? undefined : readAuthorities(clientCa);
  if (typeof authorities === 'object') problems.push({ ...authorities, index: 0 });
  if (problems.length > 0 || typeof authorities === 'object') return { kind: 'problems', problems };
  const material = {
    certificates: read.flatMap(each => (each.kind === 'certificate' ? [each.certificate] : [])),
    clientCaPem: authorities,
    requiresClientCertificate: authorities !== undefined && clientCertificates === 'required',
    http2,
    ticketKeys: randomBytes(TICKET_KEY_BYTES),
  };
  return { kind: 'material', material };
}
