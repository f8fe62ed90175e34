import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { RawStore } from '../support/raw-store.ts';
import { freePort, RealProcess } from '../support/real-process.ts';

const main = new URL('../../src/main.ts', import.meta.url).pathname;

/** A secret for each place that one can stand in; none is part of another. */
const planted = {
  backendKey: 'plantedBackendKey01',
  sessionToken: 'plantedSessionToken02',
  clientSecret: 'plantedClientSecret03',
  adminToken: 'plantedAdminToken04',
  webhook: 'plantedWebhook05',
  signature: 'plantedSignature06',
  securityToken: 'plantedSecurityToken07',
  customerKey: 'plantedCustomerKey08',
  cookie: 'plantedCookie09',
  user: 'plantedUser10',
  authorization: 'plantedAuthorization11',
  queueKey: 'plantedQueueKey12',
} as const;

let store: RawStore;
let gateway: RealProcess;
let directory: string;
let port: number;
let adminPort: number;

beforeAll(async () => {
  store = await RawStore.start((socket, request) => {
    if (request.includes('/hang-up')) socket.destroy();
    else if (request.includes('/refused')) {
      // some stores quote what was signed
      const quoted = request.replace(/[<>&]/g, '').slice(0, 2_000);
      const body = `<Error><Code>SignatureDoesNotMatch</Code><StringToSign>${quoted}</StringToSign></Error>`;
      socket.write(`HTTP/1.1 403 X\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
    } else socket.write('HTTP/1.1 200 OK\r\netag: "a"\r\ncontent-length: 4\r\n\r\nbody');
  });
  directory = mkdtempSync(join(tmpdir(), 'tidegate-secrets-'));
  [port, adminPort] = [await freePort(), await freePort()];
  const credentials = {
    accessKeyId: 'AKID',
    secretAccessKey: planted.backendKey,
    sessionToken: planted.sessionToken,
  };
  const configuration = {
    listen: { host: '127.0.0.1', port },
    admin: { host: '127.0.0.1', port: adminPort, token: planted.adminToken },
    state: { directory: join(directory, 'state') },
    backends: { main: { type: 's3', endpoint: store.url, credentials } },
    buckets: { b: { backend: 'main', access: 'public', customerKeys: { plainHttp: 'always' } } },
    clients: [
      {
        accessKeyId: 'client',
        secretAccessKey: planted.clientSecret,
        allow: [{ buckets: ['b'], keys: ['**'], actions: ['*'] }],
      },
    ],
    // what it answers is no answer of a queue
    events: {
      queue: {
        url: `${store.url}/refused`,
        credentials: { accessKeyId: 'Q', secretAccessKey: planted.queueKey },
      },
    },
    alerts: { webhooks: [{ url: `http://127.0.0.1:9/${planted.webhook}` }] },
    log: { level: 'debug', access: true },
  };
  // JSON is YAML
  writeFileSync(join(directory, 'gateway.yaml'), JSON.stringify(configuration));
  gateway = new RealProcess(process.execPath, [main, '-c', join(directory, 'gateway.yaml')], {
    cwd: directory,
  });
  await gateway.answers(`http://127.0.0.1:${adminPort}/readyz`);
});

afterAll(async () => {
  await gateway?.stop();
  await store?.close();
  if (directory) rmSync(directory, { recursive: true, force: true });
});

/** Request targets and headers that hold secrets, over every road. */
const { signature, securityToken, customerKey } = planted;
const targets = [
  ...['/b/k', '/b/refused', '/b/hang-up', '/b?list-type=2', '/b/k?tagging', '/none/k', '/'].flatMap(path => {
    const mark = path.includes('?') ? '&' : '?';
    return [
      path,
      `${path}${mark}X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=client%2F20260101%2Fus-east-1%2Fs3%2Faws4_request&X-Amz-Signatur%65=${signature}&X-Amz-Security-Token=${securityToken}`,
      `${path}${mark}X-Amz-%53ignature=${signature}`,
      `${path}${mark}AWSAccessKeyId=client&Signature=${signature}&Expires=1`,
      `${path}${mark}x-amz-server-side-encryption-customer-ke%79=${customerKey}`,
    ];
  }),
  `/b/k%3FX-Amz-Signature%3D${signature}`,
  `http://${planted.user}@127.0.0.1/b/k`,
];

const headers = [
  `x-amz-security-token: ${securityToken}\r\n`,
  `x-amz-server-side-encryption-customer-algorithm: AES256\r\nx-amz-server-side-encryption-customer-key: ${customerKey}\r\n`,
  `cookie: a=${planted.cookie}\r\n`,
  `authorization: AWS4-HMAC-SHA256 Credential=client/20260101/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=${planted.authorization}\r\n`,
  `authorization: Bearer ${planted.authorization}\r\n`,
];

it('no secret is in a log line, a metric, an answer, the state or the name of the process', async () => {
  const requests = targets.flatMap(target =>
    ['', ...headers].map(header => `GET ${target} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n${header}\r\n`),
  );
  const answers = await Promise.all(
    [...requests, `GET\0 /b?X-Amz-Signature=${signature}\r\n\r\n`].map(request => talk(port, request)),
  );
  expect(answers.filter(answer => answer.startsWith('HTTP/1.1 ')).length).toBeGreaterThan(
    requests.length / 2,
  );
  const asked = { authorization: `Bearer ${planted.adminToken}` };
  const paths = [
    '/metrics',
    '/',
    '/api/status',
    '/api/alerts',
    '/api/silences',
    '/runbook',
    '/api/object?bucket=b&key=k',
  ];
  const pages = await Promise.all([
    ...paths.map(path => fetch(`http://127.0.0.1:${adminPort}${path}`, { headers: asked })),
    fetch(`http://127.0.0.1:${adminPort}/api/status?token=${planted.adminToken}`),
    fetch(`http://127.0.0.1:${adminPort}/api/alerts/test`, {
      method: 'POST',
      body: '{}',
      headers: { ...asked, 'content-type': 'application/json' },
    }),
  ]);
  expect(pages[0]?.status).toBe(200);
  const texts = await Promise.all(pages.map(page => page.text()));
  const name = readFileSync(`/proc/${gateway.pid}/cmdline`, 'utf8');
  await gateway.stop();
  expect(gateway.output.split('\n').filter(line => line.includes('"url"')).length).toBeGreaterThan(
    requests.length / 2,
  );
  // what a client quotes in an answer to itself is its own; what the gateway holds is nobody's
  const held = ['backendKey', 'sessionToken', 'clientSecret', 'adminToken', 'webhook'] as const;
  expect(held.filter(secret => answers.join().includes(planted[secret]))).toEqual([]);
  const outputs = {
    log: gateway.output,
    pages: texts.join('\n'),
    name,
    state: filesUnder(join(directory, 'state')),
  };
  for (const [where, text] of Object.entries(outputs))
    expect([where, Object.values(planted).filter(secret => text.includes(secret))]).toEqual([where, []]);
});

function filesUnder(path: string): string {
  if (!statSync(path).isDirectory()) return readFileSync(path, 'latin1');
  return readdirSync(path)
    .map(name => filesUnder(join(path, name)))
    .join('\n');
}

/** All that comes back for `request`. */
function talk(to: number, request: string): Promise<string> {
  return new Promise(resolve => {
    const socket = connect(to, '127.0.0.1', () => socket.write(request, 'latin1'));
    let answer = '';
    socket.on('data', chunk => {
      answer += chunk.toString('latin1');
    });
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(answer));
  });
}
