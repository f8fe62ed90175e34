import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { freePort, RealProcess } from '../support/real-process.ts';

const main = new URL('../../src/main.ts', import.meta.url).pathname;
/** Alerts are watched five times as fast. */
const hurry = new URL('../fixtures/hurried-supervisor.ts', import.meta.url).pathname;

const CODE = 'SignatureDoesNotMatch';

let directory: string;
let store: Server;
let gateway: RealProcess;
let url: string;
let adminUrl: string;
/** How the store answers: as one that accepts the keys, by cutting connections, or by refusing the keys. */
let mode: 'accepts' | 'cuts' | 'refuses';

function answer(request: IncomingMessage, reply: ServerResponse): void {
  if (mode === 'cuts') {
    request.socket.destroy();
    return;
  }
  const code = mode === 'refuses' ? CODE : request.url === '/photos/closed' ? 'AccessDenied' : undefined;
  const body =
    code === undefined
      ? 'here'
      : `<?xml version="1.0"?><Error><Code>${code}</Code><Message>no</Message></Error>`;
  reply.writeHead(code === undefined ? 200 : 403, {
    'content-length': body.length,
    'last-modified': new Date(0).toUTCString(),
    etag: '"1"',
  });
  reply.end(request.method === 'HEAD' ? undefined : body);
}

beforeEach(async () => {
  mode = 'accepts';
  directory = mkdtempSync(join(tmpdir(), 'tidegate-keys-'));
  store = createServer(answer);
  await new Promise<void>(resolve => store.listen(0, '127.0.0.1', resolve));
  const [port, adminPort] = [await freePort(), await freePort()];
  const keys = { accessKeyId: 'KEY', secretAccessKey: 'secret-of-the-gateway' };
  const endpoint = `http://127.0.0.1:${(store.address() as AddressInfo).port}`;
  const file = join(directory, 'gateway.yaml');
  const config = {
    ...{ listen: { port }, admin: { port: adminPort }, workers: 2, log: { access: false } },
    backends: { main: { type: 's3', endpoint, credentials: keys } },
    clients: [
      {
        accessKeyId: 'CLIENT',
        secretAccessKey: 'secret-of-the-client',
        allow: [{ buckets: ['photos'], actions: ['GetObject'] }],
      },
    ],
    buckets: { photos: { backend: 'main', access: 'public', cache: { ttl: '0s', negativeTtl: '0s' } } },
  };
  writeFileSync(file, JSON.stringify(config));
  gateway = new RealProcess(process.execPath, ['--import', hurry, main, '-c', file], { cwd: directory });
  url = `http://127.0.0.1:${port}/photos`;
  adminUrl = `http://127.0.0.1:${adminPort}`;
  await gateway.answers(`${adminUrl}/readyz`);
});

afterEach(async () => {
  await gateway.stop();
  store.closeAllConnections();
  store.close();
  rmSync(directory, { recursive: true, force: true });
});

type Line = Readonly<Record<string, unknown>>;

/** The lines about the backend. */
const lines = (): readonly Line[] =>
  gateway.output
    .split('\n')
    .filter(line => line.startsWith('{'))
    .map((line): Line => JSON.parse(line))
    .filter(({ backend }) => backend === 'main');

const ask = async (path: string) => JSON.parse(await (await fetch(adminUrl + path)).text());

/** A signature that is not the client's. */
function wronglySigned(): Readonly<Record<string, string>> {
  const date = new Date().toISOString().replace(/[-:]|\.\d+/g, '');
  const scope = `${date.slice(0, 8)}/us-east-1/s3/aws4_request`;
  return {
    authorization: `AWS4-HMAC-SHA256 Credential=CLIENT/${scope}, SignedHeaders=host;x-amz-content-sha256;x-amz-date, Signature=${'0'.repeat(64)}`,
    ...{ 'x-amz-date': date, 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' },
  };
}

/** A key for each read, so that none waits for another one's answer. */
async function read(key: string, headers: Readonly<Record<string, string>> = {}): Promise<number> {
  const reply = await fetch(`${url}/${key}`, { headers });
  await reply.text();
  return reply.status;
}

it("a store that refuses the gateway's keys is told in the log, the metrics and an alert, with what to do", async () => {
  expect(await read('first')).toBe(200);
  // answers: an object that may not be read, and a signature of a client
  expect(await read('closed')).toBe(403);
  expect(await read('first', wronglySigned())).toBe(403);
  expect(lines()).toEqual([]);
  expect(await (await fetch(`${adminUrl}/metrics`)).text()).not.toContain('tidegate_backend_failures_total{');
  mode = 'cuts';
  await read('cut');
  mode = 'refuses';
  let warnings: readonly string[] = [];
  for (let count = 0; !warnings.join().includes(CODE); count++) {
    expect(await read(`refused-${count}`)).toBe(502);
    // for longer than a store needs to count as working again
    if (count > 60) ({ warnings } = await ask('/readyz'));
    await wait(100);
  }
  const why = `it does not accept the gateway’s signature; is the secret key right? (${CODE})`;
  expect(warnings).toContain(
    `backendUnreachable: A backend does not answer, or only with errors (backend main): ${why}`,
  );
  const [alert] = (await ask('/api/alerts')).alerts;
  expect(alert).toMatchObject({ rule: 'backendUnreachable', labels: { backend: 'main' }, cause: CODE });
  expect(JSON.stringify(alert.facts)).toContain('correct backends.main.credentials');
  const { lastMinute } = await ask('/api/status');
  expect(lastMinute.backends.main.errorRatio).toBeGreaterThan(0.5);
  const metrics = await (await fetch(`${adminUrl}/metrics`)).text();
  expect(metrics).toMatch(new RegExp(`tidegate_backend_failures_total\\{[^}]*cause="${CODE}"[^}]*\\} [1-9]`));
  expect(metrics).toMatch(/tidegate_backend_requests_total\{[^}]*status="refused"[^}]*\} [1-9]/);
  const ofKeys = lines().filter(({ cause }) => cause === CODE);
  expect(ofKeys).toMatchObject([
    { level: 'warn', error: "the store refuses the gateway's own keys or signature" },
  ]);
  expect(lines().map(({ msg }) => msg)).not.toContain('the backend works again');
  mode = 'accepts';
  expect(await read('last')).toBe(200);
  while (!lines().some(({ msg }) => msg === 'the backend works again')) await wait(100);
});
