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

/** A store with a certificate that nobody signed but itself: expired, or for another host. */
async function storeWithCertificate(...options: readonly string[]): Promise<string> {
  const [key, cert] = [join(directory, 'key.pem'), join(directory, 'cert.pem')];
  const subject = ['-subj', '/CN=localhost', ...options];
  execFileSync(
    'openssl',
    ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', key, '-out', cert, ...subject],
    {
      stdio: 'ignore',
    },
  );
  const server = createServer({ key: readFileSync(key), cert: readFileSync(cert) }, (_, reply) =>
    reply.end(),
  );
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
  const endpoints: Readonly<Record<string, string>> = {
    ECONNREFUSED: `http://127.0.0.1:${await freePort()}`,
    DEPTH_ZERO_SELF_SIGNED_CERT: await storeWithCertificate('-addext', 'subjectAltName=IP:127.0.0.1'),
    ECONNRESET: await resettingStore(),
    FIRST_BYTE_TIMEOUT: await silentStore(),
  };
  const causes = Object.keys(endpoints);
  const [port, adminPort] = [await freePort(), await freePort()];
  const file = join(directory, 'gateway.yaml');
  const timeouts = { connect: '2s', firstByte: '300ms', idle: '300ms' };
  const backends = causes.map(cause => [
    cause,
    { type: 's3', endpoint: endpoints[cause], credentials: 'none', timeouts },
  ]);
  const buckets = causes.map((cause, index) => [`bucket-${index}`, { backend: cause, access: 'public' }]);
  const config = {
    ...{ listen: { port }, admin: { port: adminPort }, workers: 3 },
    ...{ backends: Object.fromEntries(backends), buckets: Object.fromEntries(buckets) },
  };
  writeFileSync(file, JSON.stringify(config));
  const gateway = new RealProcess(process.execPath, [main, '-c', file], { cwd: directory });
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
    expect(ofRequests.map(line => line.cause)).toEqual(Array(6).fill(cause));
  }
});
