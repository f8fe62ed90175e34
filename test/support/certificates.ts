import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A certificate and its key, in files. */
export interface IssuedCertificate {
  readonly cert: string;
  readonly key: string;
}

/** Certificates that live as long as a test, made with OpenSSL. */
export class TestAuthority {
  readonly directory = mkdtempSync(join(tmpdir(), 'tidegate-certificates-'));
  /** The file of the authority's own certificate. */
  readonly ca: string;
  readonly #key: string;
  #count = 0;

  constructor(name = 'Tidegate tests') {
    this.ca = join(this.directory, 'ca.pem');
    this.#key = join(this.directory, 'ca.key');
    const subject = ['-subj', `/CN=${name}`, '-addext', 'keyUsage=critical,keyCertSign'];
    openssl('req', '-x509', ...newKey, '-keyout', this.#key, '-out', this.ca, '-days', '2', ...subject);
  }

  get caPem(): string {
    return readFileSync(this.ca, 'utf8');
  }

  /**
   * A certificate for `names`, which may contain IP addresses.
   *
   * @param days 0 for one that has expired
   * @param keyBits of an RSA key; left out: another kind
   */
  issue(names: readonly string[], days = 2, keyBits?: number): IssuedCertificate {
    const base = join(this.directory, String(this.#count++));
    const [request, cert, key, extensions] = [`${base}.csr`, `${base}.pem`, `${base}.key`, `${base}.ext`];
    const entries = names.map(name => `${/^[\d.]+$|:/.test(name) ? 'IP' : 'DNS'}:${name}`);
    writeFileSync(extensions, `subjectAltName=${entries.join(',')}\n`);
    const ofKind = keyBits === undefined ? newKey : ['-newkey', `rsa:${keyBits}`, '-nodes'];
    openssl('req', ...ofKind, '-keyout', key, '-out', request, '-subj', `/CN=${names[0]}`);
    const signing = ['-in', request, '-CA', this.ca, '-CAkey', this.#key, '-extfile', extensions];
    openssl('x509', '-req', ...signing, '-CAcreateserial', '-days', String(days), '-out', cert);
    return { cert, key };
  }

  remove(): void {
    rmSync(this.directory, { recursive: true, force: true });
  }
}

const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];

function openssl(...args: readonly string[]): void {
  execFileSync('openssl', args, { stdio: ['ignore', 'ignore', 'pipe'] });
}
