import { readTls, type TlsMaterial } from '../../src/server/tls/tls-material.ts';
import { TestAuthority } from './certificates.ts';

/** A certificate for 127.0.0.1, and the authority that its clients check it with. */
interface LocalIdentity {
  readonly tls: TlsMaterial;
  readonly caPem: string;
}

let made: LocalIdentity | undefined;

/** Made when it is first asked for, as that takes several runs of OpenSSL; its files are removed at once. */
export function localIdentity(): LocalIdentity {
  made ??= makeIdentity();
  return made;
}

function makeIdentity(): LocalIdentity {
  const authority = new TestAuthority();
  try {
    const certificates = [authority.issue(['127.0.0.1'])];
    const read = readTls({ certificates, clientCertificates: 'required', http2: true });
    if (read.kind === 'problems') throw new Error('the certificate cannot be used');
    return { tls: read.material, caPem: authority.caPem };
  } finally {
    authority.remove();
  }
}
