import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { listenLocally } from '../support/listen-locally.ts';
import { freePort, RealProcess, run } from '../support/real-process.ts';

const main = new URL('../../src/main.ts', import.meta.url).pathname;

let directory: string;
let gateway: RealProcess;
let recorder: Server;
/** What the gateway is asked through, and all that was sent to it. */
let admin: string;
let sent = '';
const ports = { own: 0, admin: 0 };

/** A configuration with a secret in each place that can have one; all end with `ending`. */
const configuration = (ending: string, more: object = {}) => ({
  listen: { port: ports.own },
  admin: { port: ports.admin, token: `planted-token-${ending}`, eventsToken: `planted-events-${ending}` },
  state: { directory: join(directory, 'state') },
  backends: {
    main: {
      ...{ type: 's3', endpoint: 'http://127.0.0.1:1', keys: 'exact' },
      credentials: {
        ...{ accessKeyId: 'AKID', secretAccessKey: `planted-key-${ending}` },
        sessionToken: `planted-session-${ending}`,
      },
    },
  },
  buckets: { b: { backend: 'main', access: 'verify', cache: { ttl: '60s' } } },
  clients: [
    {
      accessKeyId: 'client',
      secretAccessKey: `planted-client-${ending}`,
      previousSecretAccessKey: `planted-previous-${ending}`,
      allow: [{ buckets: ['b'], actions: ['*'] }],
    },
  ],
  alerts: { webhooks: [{ url: `http://127.0.0.1:9/planted-webhook-${ending}` }] },
  tracing: { endpoint: 'http://127.0.0.1:9', headers: { authorization: `planted-collector-${ending}` } },
  cache: { memory: { size: '32MiB' } },
  ...more,
});

/** What `tidegate check --admin` prints about such a configuration. */
async function compared(config: object): Promise<string[]> {
  const file = join(directory, 'next.yaml');
  writeFileSync(file, JSON.stringify(config));
  const environment = { TIDEGATE_ADMIN_TOKEN: 'planted-token-one' };
  const said = await run(process.execPath, [main, 'check', '-c', file, '--admin', admin], { environment });
  return said.trim().split('\n').slice(1);
}

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'tidegate-compare-'));
  [ports.own, ports.admin] = [await freePort(), await freePort()];
  const file = join(directory, 'gateway.yaml');
  writeFileSync(file, JSON.stringify(configuration('one')));
  gateway = new RealProcess(process.execPath, [main, '-c', file], { cwd: directory });
  await gateway.answers(`http://127.0.0.1:${ports.admin}/healthz`);
  recorder = createServer(async (request, response) => {
    const body = await text(request);
    sent += body;
    const headers = {
      authorization: request.headers.authorization ?? '',
      'content-type': request.headers['content-type'] ?? '',
    };
    const url = `http://127.0.0.1:${ports.admin}${request.url}`;
    const answer = await fetch(url, { method: 'POST', headers, body });
    response.writeHead(answer.status).end(await answer.text());
  });
  admin = new URL(await listenLocally(recorder)).host;
});

afterAll(async () => {
  await gateway?.stop();
  recorder?.close();
  rmSync(directory, { recursive: true, force: true });
});

it('finds no difference in the file that runs, and sends no secret', async () => {
  expect(await compared(configuration('one'))).toEqual(['the running gateway has this configuration']);
  expect(sent).toContain('"accessKeyId":"client"');
  expect(sent).not.toContain('planted');
});

it('names each secret that differs by its place, and sends none', async () => {
  const lines = await compared(configuration('two'));
  expect(lines.toSorted()).toEqual(
    [
      'admin.token differs from what runs: a reload takes it over',
      'admin.eventsToken differs from what runs: a reload takes it over',
      'backends.main.credentials.secretAccessKey differs from what runs: a reload takes it over',
      'backends.main.credentials.sessionToken differs from what runs: a reload takes it over',
      'clients differs from what runs: a reload takes it over',
      'alerts.webhooks differs from what runs: a reload takes it over',
      'tracing.headers.authorization differs from what runs: needs a restart',
    ].toSorted(),
  );
  expect(sent + lines.join()).not.toContain('planted');
});

it('tells what a reload takes over, and what needs a restart', async () => {
  const more = {
    ...{ workers: 2, domain: 's3.example.test', cache: { memory: { size: '64MiB' } } },
    buckets: { b: { backend: 'main', access: 'verify', cache: { ttl: '1s' } } },
    limits: { requests: 5, headers: '16KiB' },
    log: { level: 'debug' },
  };
  expect((await compared(configuration('one', more))).toSorted()).toEqual([
    'buckets.b.cache.ttl differs from what runs: a reload takes it over',
    'cache.memory.size differs from what runs: needs a restart',
    'domain is added: a reload takes it over',
    'limits.headers differs from what runs: needs a restart',
    'limits.requests differs from what runs: a reload takes it over',
    'log.level differs from what runs: a reload takes it over',
    'workers differs from what runs: needs a restart',
  ]);
});
