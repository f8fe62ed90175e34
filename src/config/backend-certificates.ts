import { readAuthorities, readCertificate } from '../server/tls/certificate.ts';
import type { ServerTls } from '../transport/server-tls.ts';
import type { BackendConfig } from './gateway-config.ts';

interface TlsProblem {
  readonly key: 'ca' | 'cert' | 'key';
  /** What is wrong with the file. */
  readonly why: string;
}

type ReadServerTls =
  | { readonly kind: 'tls'; readonly tls: ServerTls | undefined }
  | { readonly kind: 'problems'; readonly problems: readonly TlsProblem[] };

/** Reads the files that the `tls` of a backend names. */
export function readServerTls(backend: BackendConfig): ReadServerTls {
  if (backend.type === 'embedded' || !backend.tls) return { kind: 'tls', tls: undefined };
  const { ca, cert, key, serverName, insecureSkipVerify } = backend.tls;
  const problems: TlsProblem[] = [];
  const authorities = ca === undefined ? undefined : readAuthorities(ca);
  if (typeof authorities === 'object') problems.push({ key: 'ca', why: authorities.why });
  const client = cert === undefined || key === undefined ? undefined : readCertificate({ cert, key });
  if (client?.kind === 'problem') {
    const { key, why } = client.problem;
    problems.push({ key: key === 'key' ? 'key' : 'cert', why });
  }
  if (problems.length > 0 || typeof authorities === 'object') return { kind: 'problems', problems };
  const shown =
    client?.kind === 'certificate'
      ? { cert: client.certificate.certPem, key: client.certificate.keyPem }
      : {};
  return { kind: 'tls', tls: { ca: authorities, serverName, insecureSkipVerify, ...shown } };
}

/** The same for a configuration whose files were found in order. @throws RangeError when they have changed since */
export function serverTlsOf(backend: BackendConfig): ServerTls | undefined {
  const read = readServerTls(backend);
  if (read.kind === 'tls') return read.tls;
  throw new RangeError(read.problems.map(({ key, why }) => `tls.${key} names a file that ${why}`).join('; '));
}
