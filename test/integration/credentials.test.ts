import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CredentialServices } from '../support/credential-services.ts';
import { freePort, RealProcess } from '../support/real-process.ts';

const main = new URL('../../src/main.ts', import.meta.url).pathname;

let services: CredentialServices;
let store: Store;
let directory: string;
let gateway: RealProcess | undefined;
let port: number;
let adminPort: number;

/** A store that takes only requests signed with keys that are valid now. */
interface Store {
  readonly server: Server;
  readonly url: string;
  /** The access key ids of the requests that it has answered. */
  readonly signedWith: string[];
  /** Ids that it does not accept any more. */
  readonly revoked: Set<string>;
  /** What it holds under each key: seven bytes. */
  content: string;
  /** What its answers wait for. */
  holds: Promise<void> | undefined;
  /** How many requests have waited for that. */
  waiting: number;
}

async function startStore(): Promise<Store> {
  const signedWith: string[] = [];
  const revoked = new Set<string>();
  const server = createServer((request, reply) => {
    const [, id = ''] = /Credential=(\w+)\//.exec(request.headers.authorization ?? '') ?? [];
    const keys = services.issued.find(({ accessKeyId }) => accessKeyId === id);
    const hasToken = keys?.sessionToken === request.headers['x-amz-security-token'];
    if (!keys || !hasToken || revoked.has(id) || keys.expiresAtMs < Date.now()) {
      const quoted = String(request.headers['x-amz-security-token']);
      const body = `<Error><Code>ExpiredToken</Code><Message>m</Message><Token-0>${quoted}</Token-0></Error>`;
      reply.writeHead(400).end(body);
    } else {
      signedWith.push(id);
      void answer(request, reply, started);
    }
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const state = { content: 'content', holds: undefined, waiting: 0 };
  const started: Store = { server, url, signedWith, revoked, ...state };
  return started;
}

async function answer(request: IncomingMessage, reply: ServerResponse, state: Store): Promise<void> {
  const { content, holds } = state;
  if (holds) state.waiting++;
  await holds;
  const head = { etag: '"1"', 'last-modified': new Date(0).toUTCString(), 'content-length': '7' };
  const range = { 'content-range': 'bytes 0-6/7' };
  if (request.headers.range) reply.writeHead(206, { ...head, ...range }).end(content);
  else reply.writeHead(200, head).end(content);
}

beforeEach(async () => {
  services = await CredentialServices.start();
  store = await startStore();
  directory = mkdtempSync(join(tmpdir(), 'tidegate-credentials-'));
  [port, adminPort] = [await freePort(), await freePort()];
});

afterEach(async () => {
  await gateway?.stop();
  gateway = undefined;
  await services.close();
  store.server.closeAllConnections();
  await new Promise(resolve => store.server.close(resolve));
  rmSync(directory, { recursive: true, force: true });
});

/** Starts a gateway whose backend `main` has these credentials. */
function start(credentials: object, environment: Readonly<Record<string, string>> = {}, workers = 1) {
  const configuration = {
    listen: { host: '127.0.0.1', port },
    admin: { host: '127.0.0.1', port: adminPort },
    workers,
    state: { directory: join(directory, 'state') },
    backends: { main: { type: 's3', endpoint: store.url, credentials } },
    buckets: { b: { backend: 'main', access: 'public', cache: { ttl: '1h' } } },
    cache: { memory: { size: '32MiB' } },
    log: { level: 'debug', access: true },
  };
  // JSON is YAML
  writeFileSync(join(directory, 'gateway.yaml'), JSON.stringify(configuration));
  const { AWS_CONTAINER_CREDENTIALS_FULL_URI: _, ...endpoints } = services.environment;
  const started = new RealProcess(process.execPath, [main, '-c', join(directory, 'gateway.yaml')], {
    cwd: directory,
    environment: {
      ...endpoints,
      ...{ HOME: directory, AWS_CONFIG_FILE: join(directory, 'config') },
      ...{ AWS_SHARED_CREDENTIALS_FILE: join(directory, 'keys'), ...environment },
    },
  });
  gateway = started;
  return started;
}

const read = (key: string) => fetch(`http://127.0.0.1:${port}/b/${key}`);
const ask = async (path: string) => {
  const response = await fetch(`http://127.0.0.1:${adminPort}${path}`);
  return { status: response.status, text: await response.text() };
};
const ready = () => `http://127.0.0.1:${adminPort}/readyz`;

/** Asks until what comes back is as wanted. */
async function until<Answer>(question: () => Promise<Answer>, isWanted: (answer: Answer) => boolean) {
  for (;;) {
    const answer = await question().catch(() => undefined);
    if (answer !== undefined && isWanted(answer)) return answer;
    await wait(25);
  }
}

it.each<readonly [string, object, () => Readonly<Record<string, string>>]>([
  ['instance', { from: 'instance' }, () => ({})],
  [
    'container',
    { from: 'container' },
    () => ({ AWS_CONTAINER_CREDENTIALS_FULL_URI: `${services.url}/container` }),
  ],
  [
    'web-identity',
    { from: 'web-identity', roleArn: 'arn:aws:iam::123456789012:role/r' },
    () => {
      writeFileSync(join(directory, 'jwt'), 'plantedWeb.identity.token');
      return { AWS_WEB_IDENTITY_TOKEN_FILE: join(directory, 'jwt') };
    },
  ],
  [
    'profile',
    { from: 'profile', profile: 'photos' },
    () => {
      const base = '[profile base]\naws_access_key_id = AKID\naws_secret_access_key = plantedBase\n';
      const role = 'role_arn = arn:aws:iam::123456789012:role/photos\nsource_profile = base\n';
      writeFileSync(join(directory, 'config'), `${base}[profile photos]\n${role}`);
      return {};
    },
  ],
  ['default', { from: 'default' }, () => ({})],
])('objects are read with the credentials of the source: %s', async (_name, credentials, prepare) => {
  const environment = prepare();
  const running = start(credentials, environment);
  await running.answers(ready());
  const response = await read('k');
  expect([response.status, await response.text()]).toEqual([200, 'content']);
  expect(store.signedWith).toEqual([services.issued.at(-1)?.accessKeyId]);
  const { text } = await ask('/api/status');
  expect(JSON.parse(text).backends[0].credentials).toMatchObject({ state: 'valid', failure: null });
  await running.stop();
  expect(running.output).toContain('credentials obtained');
  expect(running.output + text).not.toMatch(/planted/);
});

it('no request fails while credentials change under load, in any worker', async () => {
  services.lifetimeMs = 6_000;
  const running = start({ from: 'instance' }, {}, 2);
  await running.answers(ready());
  const failed: string[] = [];
  let asked = 0;
  const client = async (name: number) => {
    while (new Set(store.signedWith).size < 3) {
      const response = await read(`${name}-${asked++}`);
      const text = await response.text();
      if (response.status !== 200) failed.push(`${response.status} ${text}`);
    }
  };
  await Promise.all(Array.from({ length: 4 }, (_, name) => client(name)));
  expect(failed).toEqual([]);
  expect(asked).toBeGreaterThan(50);
  const { text } = await ask('/metrics');
  expect(text).toMatch(/tidegate_credentials_refreshes_total\{backend="main",outcome="renewed"\} [3-9]/);
});

it('when the source fails, hits are served, the rest is 503 once the old ones have expired, and all of it comes back', async () => {
  services.lifetimeMs = 8_000;
  const running = start({ from: 'instance', timeout: '200ms' });
  await running.answers(ready());
  expect((await read('cached')).status).toBe(200);
  services.fault = 500;
  const warned = await until(
    () => ask('/readyz'),
    ({ text }) => text.includes('cannot be refreshed'),
  );
  expect(warned.status).toBe(200);
  expect((await read('while-valid')).status).toBe(200);
  const expired = await until(
    () => ask('/readyz'),
    ({ text }) => text.includes('have expired'),
  );
  expect(expired.status).toBe(200);
  const miss = await read('miss');
  expect([miss.status, miss.headers.get('retry-after')]).toEqual([503, '1']);
  const body = await miss.text();
  expect(body).toContain('<Code>ServiceUnavailable</Code>');
  expect(body).toContain('no valid credentials');
  const hit = await read('cached');
  expect([hit.status, hit.headers.get('x-cache')]).toEqual([200, 'HIT']);
  expect((await ask('/metrics')).text).toContain('tidegate_credentials_usable{backend="main"} 0');
  const alerts = await until(
    () => ask('/api/alerts'),
    ({ text }) => text.includes('Backend main has no valid credentials'),
  );
  expect(alerts.text).toContain('"rule":"backendCredentials"');
  services.fault = 'none';
  await until(
    () => read('after'),
    ({ status }) => status === 200,
  );
  await running.stop();
  expect(running.output).toContain('the credentials have expired');
  expect(running.output).toContain('CREDENTIALS_EXPIRED');
  expect(running.output).toContain('credentials can be refreshed again');
});

describe.each([1, 2])('credentials of another role after a refresh, with %d workers', workers => {
  /** Reads over connections of their own, so that all workers are asked. */
  const readOften = async (key: string) => {
    const asked = Array.from({ length: 12 }, async () => {
      const response = await fetch(`http://127.0.0.1:${port}/b/${key}`, { headers: { connection: 'close' } });
      return { status: response.status, text: await response.text() };
    });
    return Promise.all(asked);
  };
  const texts = async (key: string) => new Set((await readOften(key)).map(({ text }) => text));

  it('nothing is served that was cached with the earlier ones', async () => {
    services.lifetimeMs = 6_000;
    const environment = { AWS_CONTAINER_CREDENTIALS_FULL_URI: `${services.url}/container` };
    const running = start({ from: 'container' }, environment, workers);
    await running.answers(ready());
    store.content = 'a-role ';
    expect(await texts('k')).toEqual(new Set(['a-role ']));
    // the same role goes on with what is cached
    store.content = 'other..';
    const issued = services.issued.length;
    await services.issuedCount(issued + 1);
    await until(
      () => read(`${Math.random()}`),
      () => store.signedWith.at(-1) !== services.issued[issued - 1]?.accessKeyId,
    );
    expect(await texts('k')).toEqual(new Set(['a-role ']));
    services.owner = { ...services.owner, role: 'b-role' };
    // no answer to a question of the first may be kept for the second
    await until(
      () => texts('k'),
      given => !given.has('a-role '),
    );
    expect(await texts('k')).toEqual(new Set(['other..']));
    expect(running.output).toContain('those of another account or role');
    const { text } = await ask('/metrics');
    expect(text).toContain('tidegate_credentials_usable{backend="main"} 1');
  });

  it('a fill that began with the earlier ones is nothing to those who read with the new ones', async () => {
    services.lifetimeMs = 6_000;
    const running = start({ from: 'instance' }, {}, workers);
    await running.answers(ready());
    const held = Promise.withResolvers<void>();
    store.holds = held.promise;
    store.content = 'a-role ';
    const first = read('k').then(response => response.text());
    await until(
      async () => store.waiting,
      count => count > 0,
    );
    store.holds = undefined;
    store.content = 'b-role ';
    services.owner = { ...services.owner, role: 'b-role' };
    await until(
      () => ask('/api/status'),
      () => running.output.includes('another account or role'),
    );
    expect(await texts('k')).toEqual(new Set(['b-role ']));
    held.resolve();
    expect(await first).toBe('a-role ');
    expect(await texts('k')).toEqual(new Set(['b-role ']));
  });
});

it('a start without credentials listens, is not ready, names the backend, and becomes ready', async () => {
  services.fault = 404;
  const running = start({ from: 'instance', timeout: '200ms' });
  const early = await until(
    () => read('k'),
    () => true,
  );
  expect(early.status).toBe(503);
  const { status, text } = await ask('/readyz');
  expect([status, JSON.parse(text).reasons]).toEqual([
    503,
    ['backend main: has no credentials yet (InstanceMetadataV1FallbackError)'],
  ]);
  services.fault = 'none';
  await running.answers(ready());
  expect((await read('k')).status).toBe(200);
});

it('credentials that the store does not accept any more are refreshed at once', async () => {
  const running = start({ from: 'instance' });
  await running.answers(ready());
  expect((await read('one')).status).toBe(200);
  for (const { accessKeyId } of services.issued) store.revoked.add(accessKeyId);
  const refused = await read('two');
  expect(refused.status).toBe(502);
  await services.issuedCount(2);
  await until(
    () => read('two'),
    ({ status }) => status === 200,
  );
  expect(services.issued).toHaveLength(2);
});

it('no key and no token is in a log line, a metric, an answer, the status or the state', async () => {
  services.lifetimeMs = 3_000;
  const running = start({ from: 'instance', timeout: '200ms' });
  await running.answers(ready());
  const answers: string[] = [await (await read('a')).text()];
  await services.issuedCount(2);
  for (const { accessKeyId } of services.issued) store.revoked.add(accessKeyId);
  answers.push(await (await read('b')).text());
  // a client that knows a key by some other way quotes it in a request
  const [keys] = services.issued;
  answers.push(await (await read(`x?prefix=${encodeURIComponent(keys?.secretAccessKey ?? '')}`)).text());
  services.fault = 'not-json';
  await until(
    () => ask('/readyz'),
    ({ text }) => text.includes('credentials'),
  );
  services.fault = 500;
  await until(
    () => ask('/readyz'),
    ({ text }) => text.includes('have expired'),
  );
  answers.push(await (await read('c')).text());
  const paths = [
    '/metrics',
    '/',
    '/api/status',
    '/api/alerts',
    '/readyz',
    '/runbook',
    '/api/object?bucket=b&key=a',
  ];
  const pages = await Promise.all(paths.map(path => ask(path)));
  const name = readFileSync(`/proc/${running.pid}/cmdline`, 'utf8');
  await running.stop();
  expect(services.issued.length).toBeGreaterThan(1);
  const seen = {
    answers: answers.join(),
    pages: pages.map(({ text }) => text).join(),
    log: running.output,
    name,
  };
  for (const [where, text] of Object.entries({ ...seen, state: filesUnder(join(directory, 'state')) }))
    expect([where, /planted\w+/.exec(text)?.[0]]).toEqual([where, undefined]);
});

it('a start with keys of the file loads nothing of the SDK, and neither does a worker', async () => {
  const loaded = join(directory, 'loaded');
  const hook = join(directory, 'hook.mjs');
  writeFileSync(
    hook,
    `import { registerHooks } from 'node:module';
import { isMainThread as isSupervisor } from 'node:worker_threads';
import { appendFileSync } from 'node:fs';
registerHooks({ load(url, context, next) { if (/@aws-sdk|@smithy/.test(url)) appendFileSync(${JSON.stringify(loaded)}, (isSupervisor ? 'supervisor' : 'worker') + '\\n'); return next(url, context); } });`,
  );
  const environment = { NODE_OPTIONS: `--import=${hook}` };
  const running = start({ accessKeyId: 'a', secretAccessKey: 'planted' }, environment);
  await running.answers(ready());
  await running.stop();
  writeFileSync(loaded, '', { flag: 'a' });
  expect(readFileSync(loaded, 'utf8')).toBe('');
  [port, adminPort] = [await freePort(), await freePort()];
  const again = start({ from: 'instance' }, environment);
  await again.answers(ready());
  expect((await read('k')).status).toBe(200);
  await again.stop();
  const threads = new Set(readFileSync(loaded, 'utf8').trim().split('\n'));
  expect([...threads]).toEqual(['supervisor']);
});

function filesUnder(path: string): string {
  if (!statSync(path).isDirectory()) return readFileSync(path, 'latin1');
  return readdirSync(path)
    .map(name => filesUnder(join(path, name)))
    .join('\n');
}
