import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { type AddressInfo, createServer as createRawServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { freePort, RealProcess } from '../support/real-process.ts';

const main = new URL('../../src/main.ts', import.meta.url).pathname;
let directory: string;
let stops: (() => unknown)[];

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'tidegate-causes-'));
  stops = [];
});

afterEach(async () => {
  for (const stop of stops) await stop();
  rmSync(directory, { recursive: true, force: true });
});

const fixture = (name: string) => readFileSync(new URL(`../fixtures/tls/${name}`, import.meta.url), 'utf8');

interface Certificate {
  readonly key: string;
  readonly cert: string;
}

/** A certificate that nobody signed but itself. */
function makeCertificate(name: string, subjectAltName: string): Certificate {
  const [key, cert] = [join(directory, `${name}-key.pem`), join(directory, `${name}-cert.pem`)];
  const subject = ['-subj', '/CN=localhost', '-addext', `subjectAltName=${subjectAltName}`];
  const options = ['-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', key, '-out', cert, ...subject];
  execFileSync('openssl', ['req', ...options], { stdio: 'ignore' });
  return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') };
}

async function storeWithCertificate(certificate: Certificate): Promise<string> {
  const server = createServer(certificate, (_, reply) => reply.end());
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  stops.push(() => server.close());
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A store that closes every connection when it has read the request. */
async function resettingStore(): Promise<string> {
  const server = createRawServer(socket => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.resetAndDestroy());
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  stops.push(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A store that accepts connections and says nothing. */
async function silentStore(): Promise<string> {
  const server = createRawServer(socket => void socket.on('error', () => undefined));
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  stops.push(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

type Line = Readonly<Record<string, unknown>>;

it('names why requests to a store failed: once for each store, and in the line of each request', async () => {
  const expired = { key: fixture('localhost-key.pem'), cert: fixture('expired-cert.pem') };
  const ofAnother = makeCertificate('another', 'DNS:another.test');
  // these two are trusted, so that the date and the name are all that is wrong with them
  const trusted = join(directory, 'trusted.pem');
  writeFileSync(trusted, expired.cert + ofAnother.cert);
  const endpoints: Readonly<Record<string, string>> = {
    ENOTFOUND: 'http://store.invalid',
    ECONNREFUSED: `http://127.0.0.1:${await freePort()}`,
    // a TLS handshake that is never answered
    CONNECT_TIMEOUT: (await silentStore()).replace('http:', 'https:'),
    CERT_HAS_EXPIRED: await storeWithCertificate(expired),
    ERR_TLS_CERT_ALTNAME_INVALID: await storeWithCertificate(ofAnother),
    DEPTH_ZERO_SELF_SIGNED_CERT: await storeWithCertificate(makeCertificate('own', 'IP:127.0.0.1')),
    ECONNRESET: await resettingStore(),
    FIRST_BYTE_TIMEOUT: await silentStore(),
  };
  const causes = Object.keys(endpoints);
  const [port, adminPort] = [await freePort(), await freePort()];
  const file = join(directory, 'gateway.yaml');
  // long ones where another cause is asked for, so that a busy machine gives no other
  const timeouts: Readonly<Record<string, object>> = {
    CONNECT_TIMEOUT: { connect: '500ms' },
    FIRST_BYTE_TIMEOUT: { connect: '20s', firstByte: '300ms' },
  };
  const patient = { connect: '20s', firstByte: '20s' };
  const backends = causes.map(cause => [
    cause,
    { type: 's3', endpoint: endpoints[cause], credentials: 'none', timeouts: timeouts[cause] ?? patient },
  ]);
  const buckets = causes.map((cause, index) => [`bucket-${index}`, { backend: cause, access: 'public' }]);
  const config = {
    ...{ listen: { port }, admin: { port: adminPort }, workers: 3 },
    ...{ backends: Object.fromEntries(backends), buckets: Object.fromEntries(buckets) },
  };
  writeFileSync(file, JSON.stringify(config));
  const gateway = new RealProcess(process.execPath, [main, '-c', file], {
    cwd: directory,
    environment: { NODE_EXTRA_CA_CERTS: trusted },
  });
  stops.unshift(() => gateway.stop());
  await gateway.answers(`http://127.0.0.1:${adminPort}/readyz`);
  const reads = causes.flatMap((_, index) =>
    Array.from({ length: 6 }, async (_, key) => {
      const answer = await fetch(`http://127.0.0.1:${port}/bucket-${index}/${key}`);
      expect(await answer.text()).not.toMatch(new RegExp(causes.join('|')));
      return answer.status;
    }),
  );
  expect(new Set(await Promise.all(reads))).toEqual(new Set([503, 504]));
  await gateway.stop();
  const lines: Line[] = gateway.output
    .split('\n')
    .filter(line => line.startsWith('{'))
    .map(line => JSON.parse(line));
  const warnings = lines.filter(
    ({ level, msg }) => level === 'warn' && String(msg).startsWith('requests to'),
  );
  expect(warnings.map(({ backend, cause }) => [backend, cause]).sort()).toEqual(
    causes.map(cause => [cause, cause]).sort(),
  );
  for (const [index, cause] of causes.entries()) {
    const ofRequests = lines.filter(({ bucket }) => bucket === `bucket-${index}`);
    expect(ofRequests.map(line => [line.backend, line.cause])).toEqual(Array(6).fill([cause, cause]));
  }
});
