import { readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { createLogger } from '../../../../src/base/logger.ts';
import { Metrics } from '../../../../src/base/metrics.ts';
import {
  CertificateError,
  CertificateWatch,
  type ConfiguredAddress,
} from '../../../../src/server/tls/certificate-watch.ts';
import type { TlsFiles } from '../../../../src/server/tls/tls-material.ts';
import { TestAuthority } from '../../../support/certificates.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

const LOOK_MS = 5_000;
const DAY_MS = 86_400_000;

const authority = new TestAuthority();
const [first, second] = [authority.issue(['first.test']), authority.issue(['second.test'])];

afterAll(() => authority.remove());

let files = 0;

/** Files of their own with what these have now. */
function copied({ cert, key }: { readonly cert: string; readonly key: string }) {
  const base = join(authority.directory, `watched-${files++}`);
  const [certCopy, keyCopy] = [`${base}.pem`, `${base}.key`];
  replace(certCopy, readFileSync(cert, 'utf8'));
  replace(keyCopy, readFileSync(key, 'utf8'));
  return { cert: certCopy, key: keyCopy };
}

/** Another file in the place of this one, as tools that renew certificates do. */
function replace(file: string, content: string): void {
  const next = join(authority.directory, `next-${files++}`);
  writeFileSync(next, content);
  renameSync(next, file);
}

/** Watches an address with these files. */
function watching(tls: Partial<TlsFiles> = {}) {
  const [clock, metrics] = [new ManualClock(), new Metrics()];
  const lines: { readonly level: string; readonly msg: string; readonly problems?: readonly string[] }[] = [];
  const sink = { write: (line: string) => void lines.push(JSON.parse(line)), flush: () => undefined };
  const certificates = [copied(first)];
  const all = { certificates, clientCertificates: 'required' as const, http2: true, ...tls };
  const addresses: ConfiguredAddress[] = [{ kind: 'tcp', host: '127.0.0.1', port: 443, tls: all }];
  const watch = new CertificateWatch({
    ...{ addresses, clock, metrics },
    logger: createLogger({ level: 'info', sink }),
  });
  let changes = 0;
  watch.start(() => void changes++);
  const material = () => {
    const [address] = watch.addresses();
    if (address?.kind !== 'tcp' || !address.tls) throw new Error('the address has no TLS');
    return address.tls;
  };
  /** A gauge by the file of the certificate. */
  const gauge = async (name: string) => {
    const family = (await metrics.snapshot()).find(each => each.name === name);
    return Object.fromEntries(family?.values.map(({ labels, value }) => [labels.file, value]) ?? []);
  };
  return {
    ...{ clock, lines, watch, material, gauge, certificates },
    usable: () => gauge('tidegate_certificate_usable'),
    names: () => material().certificates.flatMap(({ names }) => names),
    changes: () => changes,
  };
}

it('certificates are used within five seconds after their files were replaced, and once', () => {
  const { clock, lines, names, changes, certificates } = watching();
  clock.advance(10 * LOOK_MS);
  expect([changes(), lines]).toEqual([0, []]);
  for (const { cert, key } of certificates) {
    replace(cert, readFileSync(second.cert, 'utf8'));
    replace(key, readFileSync(second.key, 'utf8'));
  }
  clock.advance(LOOK_MS);
  expect([changes(), names()]).toEqual([1, ['second.test']]);
  clock.advance(10 * LOOK_MS);
  expect(changes()).toBe(1);
  expect(lines).toEqual([expect.objectContaining({ level: 'info', address: '127.0.0.1:443' })]);
});

it('a symbolic link that leads to another file is a changed one', () => {
  const [cert, key] = ['cert', 'key'].map(name => join(authority.directory, `live-${name}-${files++}`));
  if (cert === undefined || key === undefined) throw new Error('no names');
  const lead = (file: string, to: string) => {
    symlinkSync(to, `${file}.next`);
    renameSync(`${file}.next`, file);
  };
  lead(cert, first.cert);
  lead(key, first.key);
  const { clock, names } = watching({ certificates: [{ cert, key }] });
  lead(cert, second.cert);
  lead(key, second.key);
  clock.advance(LOOK_MS);
  expect(names()).toEqual(['second.test']);
});

it('a key of its own that is replaced is read, and does not fit the certificate until that is replaced, too', () => {
  const { clock, names, lines, certificates } = watching();
  const [{ cert, key } = first] = certificates;
  replace(key, readFileSync(second.key, 'utf8'));
  clock.advance(LOOK_MS);
  expect(lines.at(-1)?.problems).toEqual([`${key} does not fit the certificate in ${cert}`]);
  expect(names()).toEqual(['first.test']);
  replace(cert, readFileSync(second.cert, 'utf8'));
  clock.advance(LOOK_MS);
  expect(names()).toEqual(['second.test']);
});

it('an authority of client certificates that is replaced is the one that counts from then on', () => {
  const clientCa = join(authority.directory, `client-ca-${files++}.pem`);
  replace(clientCa, authority.caPem);
  const { clock, material, changes } = watching({ clientCa });
  const other = new TestAuthority('Another one');
  const otherPem = other.caPem;
  other.remove();
  replace(clientCa, otherPem);
  clock.advance(LOOK_MS);
  expect([changes(), material().clientCaPem]).toEqual([1, otherPem]);
});

it('the keys of session tickets are others each day (RFC 5077 §5.5), without a line in the log', () => {
  const { clock, lines, material, changes } = watching();
  const keys = [material().ticketKeys];
  for (let day = 1; day <= 3; day++) {
    clock.advance(DAY_MS - 2 * LOOK_MS);
    expect([changes(), material().ticketKeys]).toEqual([day - 1, keys.at(-1)]);
    clock.advance(2 * LOOK_MS);
    keys.push(material().ticketKeys);
  }
  expect(new Set(keys.map(each => Buffer.from(each).toString('hex'))).size).toBe(4);
  expect([changes(), lines]).toEqual([3, []]);
});

it('files that cannot be used change nothing, and are told of once, however long it lasts', async () => {
  const { clock, lines, names, changes, usable, certificates } = watching();
  const [{ cert } = first] = certificates;
  replace(cert, 'not a certificate');
  clock.advance(LOOK_MS);
  expect(lines).toEqual([
    expect.objectContaining({ level: 'error', problems: [`${cert} holds no certificate in PEM form`] }),
  ]);
  clock.advance(2 * DAY_MS);
  expect([lines.length, changes(), names()]).toEqual([1, 0, ['first.test']]);
  expect(await usable()).toEqual({ [cert]: 0 });
});

it('counts as usable again once its files are mended', async () => {
  const { clock, usable, changes, certificates } = watching();
  const [{ cert } = first] = certificates;
  replace(cert, 'not a certificate');
  clock.advance(LOOK_MS);
  expect(await usable()).toEqual({ [cert]: 0 });
  replace(cert, readFileSync(first.cert, 'utf8'));
  clock.advance(LOOK_MS);
  expect([changes(), await usable()]).toEqual([1, { [cert]: 1 }]);
});

it('of several certificates, only the one that cannot be used counts as such', async () => {
  const certificates = [copied(first), copied(second)] as const;
  const { clock, usable } = watching({ certificates });
  replace(certificates[1].key, 'not a key');
  clock.advance(LOOK_MS);
  expect(await usable()).toEqual({ [certificates[0].cert]: 1, [certificates[1].cert]: 0 });
});

it('tells the seconds until the certificate in use expires', async () => {
  const { clock, material, gauge, certificates } = watching();
  const [{ cert } = first] = certificates;
  const [{ expiresMs } = { expiresMs: 0 }] = material().certificates;
  clock.stepWallClock(expiresMs - clock.nowMs() + 3_000);
  expect(await gauge('tidegate_certificate_expiry_seconds')).toEqual({ [cert]: -3 });
});

it('does not look any more once it is stopped', () => {
  const { clock, watch, changes, certificates } = watching();
  watch.stop();
  for (const { cert } of certificates) replace(cert, readFileSync(first.cert, 'utf8'));
  clock.advance(DAY_MS);
  expect(changes()).toBe(0);
});

it('refuses to begin with files that cannot be used, and names each with what is wrong', () => {
  const certificates = [copied(first), copied(second)] as const;
  replace(certificates[0].cert, '');
  replace(certificates[1].key, '');
  const begin = () => watching({ certificates });
  expect(begin).toThrow(CertificateError);
  expect(begin).toThrow(
    `${certificates[0].cert} holds no certificate in PEM form; ${certificates[1].key} holds no private key in PEM form`,
  );
});
