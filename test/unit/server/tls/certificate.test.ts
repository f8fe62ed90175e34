import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { readAuthorities, readCertificate } from '../../../../src/server/tls/certificate.ts';
import { TestAuthority } from '../../../support/certificates.ts';

const authority = new TestAuthority();
const issued = authority.issue(['one.test', '*.two.test']);
const certPem = readFileSync(issued.cert, 'utf8');

afterAll(() => authority.remove());

let files = 0;

function written(content: string): string {
  const file = join(authority.directory, `written-${files++}.pem`);
  writeFileSync(file, content);
  return file;
}

function openssl(...args: string[]): string {
  const file = written('');
  execFileSync('openssl', [...args, '-out', file], { stdio: 'pipe' });
  return file;
}

it('reads a certificate with those between it and the root', () => {
  const cert = written(certPem + authority.caPem);
  expect(readCertificate({ cert, key: issued.key })).toMatchObject({
    kind: 'certificate',
    certificate: { file: cert, names: ['one.test', '*.two.test'], certPem: certPem + authority.caPem },
  });
  expect(readAuthorities(written(authority.caPem + certPem))).toBe(authority.caPem + certPem);
});

const broken = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';

it.each([
  ['is broken', certPem + broken, 'holds a certificate that is broken or cut off'],
  ['is cut off', certPem + authority.caPem.slice(0, 300), 'holds a certificate that is broken or cut off'],
  ['is all that it is, and is broken', broken, 'holds a certificate that is broken or cut off'],
  ['is not there', 'some text', 'holds no certificate in PEM form'],
])('a file whose last certificate %s cannot be used', (_, content, why) => {
  const file = written(content);
  expect(readCertificate({ cert: file, key: issued.key })).toEqual({
    kind: 'problem',
    problem: { key: 'cert', file, why },
  });
  expect(readAuthorities(file)).toEqual({ key: 'clientCa', file, why });
});

it('a key that OpenSSL finds too short cannot be used', () => {
  const key = openssl('genpkey', '-algorithm', 'RSA', '-pkeyopt', 'rsa_keygen_bits:1024');
  const cert = openssl('req', '-x509', '-key', key, '-subj', '/CN=short.test', '-days', '2');
  expect(readCertificate({ cert, key })).toEqual({
    kind: 'problem',
    problem: { key: 'cert', file: cert, why: expect.stringMatching(/^cannot be used: .*ee key too small/) },
  });
});

it.each([
  ['has a passphrase', openssl('pkey', '-in', issued.key, '-aes256', '-passout', 'pass:planted')],
  ['has a passphrase', openssl('ec', '-in', issued.key, '-aes256', '-passout', 'pass:planted')],
  ['holds no private key in PEM form', written('')],
  ['holds no private key in PEM form', issued.cert],
  ['does not fit the certificate', authority.issue(['one.test']).key],
  ['cannot be read (ENOENT)', '/nowhere/key.pem'],
])('a key that %s cannot be used', (why, key) => {
  const read = readCertificate({ cert: issued.cert, key });
  expect(read).toEqual({
    kind: 'problem',
    problem: { key: 'key', file: key, why: expect.stringContaining(why) },
  });
  expect(JSON.stringify(read)).not.toContain('planted');
});
