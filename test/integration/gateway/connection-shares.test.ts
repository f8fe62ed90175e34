import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { contentMd5 } from '../../support/content-md5.ts';
import { rawRequest } from '../../support/raw-request.ts';
import { RawStore } from '../../support/raw-store.ts';
import { ScriptedOrigin } from '../../support/scripted-origin.ts';
import { TestGateway } from '../../support/test-gateway.ts';
import { turnsUntil } from '../../support/turns-until.ts';

const CONNECTIONS = 8;

/** Of each web origin in tests. */
const WEB_CONNECTIONS = 128;

let store: RawStore;
let gateway: TestGateway;
let clients: Socket[];

/** A store that ends no answer to a select, a copy or a completion, and answers no upload; it answers all reads. */
beforeEach(async () => {
  store = await RawStore.start((socket, request) => {
    if (request.includes('/hangs')) return;
    if (request.includes('/breaks')) {
      // what is asked for again hangs
      if (request.includes('range: bytes=0-'))
        socket.end('HTTP/1.1 200 OK\r\ncontent-length: 5\r\netag: "e"\r\n\r\nhe');
      return;
    }
    const isStuck = request.includes('/stuck');
    const content = isStuck ? '' : 'hello';
    const body = request.startsWith('GET') ? `content-length: 5\r\netag: "e"\r\n\r\n${content}` : '';
    if (body) socket.write(`HTTP/1.1 200 OK\r\n${body}`);
    else if (!request.includes('/upload'))
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\n \r\n');
  });
  gateway = await TestGateway.start({
    storeUrl: store.url,
    connections: CONNECTIONS,
    store: { queue: { size: 512, waitMs: 400 } },
  });
  clients = [];
});

afterEach(async () => {
  for (const client of clients) client.destroy();
  await gateway.close();
  await store.close();
});

/** `count` clients of one address that stay. */
function ask(count: number, request: (index: number) => string, url = gateway.url()): void {
  const { port } = new URL(url);
  for (let index = 0; index < count; index++) {
    const client = connect(Number(port), '127.0.0.1').on('error', () => undefined);
    client.resume();
    client.write(request(index));
    clients.push(client);
  }
}

const head = (line: string, more: string) => `${line} HTTP/1.1\r\nhost: gateway\r\n${more}\r\n`;

it.each([
  [
    'SelectObjectContent',
    (index: number) => `${head(`POST /b/k${index}?select&select-type=2`, 'content-length: 4\r\n')}<a/>`,
  ],
  ['CopyObject', (index: number) => head(`PUT /b/copy${index}`, 'x-amz-copy-source: /b/k\r\n')],
  [
    'UploadPartCopy',
    (index: number) => head(`PUT /b/p${index}?partNumber=1&uploadId=u`, 'x-amz-copy-source: /b/k\r\n'),
  ],
  [
    'CompleteMultipartUpload',
    (index: number) => `${head(`POST /b/done${index}?uploadId=u`, 'content-length: 4\r\n')}<a/>`,
  ],
  ['PutObject', (index: number) => `${head(`PUT /b/upload${index}`, 'content-length: 2\r\n')}ab`],
  ['DeleteObjects', (index: number) => deleteList(`upload${index}`)],
])(
  '%s by one client that stays leaves three quarters of the connections to others',
  async (_name, request) => {
    ask(4 * CONNECTIONS, request);
    const atStore = () => store.requests.filter(text => !text.startsWith('GET')).length;
    await turnsUntil('its calls are at the store', () => atStore() >= CONNECTIONS / 4);
    for (let index = 0; index < CONNECTIONS; index++) {
      const { status, text } = await rawRequest(gateway.url(), {
        path: `/b/read${index}`,
      });
      expect([status, text]).toEqual([200, 'hello']);
    }
    expect(atStore()).toBe(CONNECTIONS / 4);
    const refused = await rawRequest(gateway.url(), {
      method: 'PUT',
      path: '/b/refused',
      body: 'x',
    });
    expect([refused.status, refused.headers['retry-after']]).toEqual([503, '1']);
    expect(refused.text).toContain('<Code>SlowDown</Code>');
    expect((await rawRequest(gateway.url(), { path: '/b/later' })).status).toBe(200);
  },
);

it('slow pages that one client reads leave a quarter of the connections to others', async () => {
  const origin = await ScriptedOrigin.start(({ url }, response) => {
    if (!url.startsWith('/slow')) response.end('quick');
  });
  const web = await TestGateway.start({
    storeUrl: 'http://127.0.0.1:1',
    web: { url: origin.url, name: 'web' },
  });
  try {
    ask(WEB_CONNECTIONS + 50, index => head(`GET /web/slow${index}`, ''), web.url());
    await turnsUntil('its pages are asked for', () => origin.asked.length >= WEB_CONNECTIONS * (3 / 4));
    for (let index = 0; index < 10; index++) {
      const { status, text } = await rawRequest(web.url(), {
        path: `/web/quick${index}`,
        localAddress: '127.0.0.2',
      });
      expect([status, text]).toEqual([200, 'quick']);
    }
    expect(origin.asked.length).toBe(WEB_CONNECTIONS * (3 / 4) + 10);
  } finally {
    await web.close();
    await origin.close();
  }
});

it.each(['hangs', 'stuck'])(
  'reads of objects by one client, of which each %s, leave a quarter of the connections to others',
  async how => {
    ask(4 * CONNECTIONS, index => head(`GET /b/${how}${index}`, ''));
    const atStore = () => store.requests.filter(text => text.includes(how)).length;
    await turnsUntil('its objects are asked for', () => atStore() >= CONNECTIONS * (3 / 4));
    for (let index = 0; index < CONNECTIONS; index++) {
      const { status, text } = await rawRequest(gateway.url(), {
        path: `/b/read${index}`,
        localAddress: '127.0.0.2',
      });
      expect([status, text]).toEqual([200, 'hello']);
    }
    expect(atStore()).toBe(CONNECTIONS * (3 / 4));
  },
);

it('what is asked for again of an object counts for its client, too', async () => {
  ask(4 * CONNECTIONS, index => head(`GET /b/breaks${index}`, ''));
  const again = () => store.requests.filter(text => text.includes('range: bytes=2-')).length;
  await turnsUntil('they are asked for again', () => again() >= CONNECTIONS * (3 / 4));
  for (let index = 0; index < CONNECTIONS; index++) {
    const { status, text } = await rawRequest(gateway.url(), {
      path: `/b/read${index}`,
      localAddress: '127.0.0.2',
    });
    expect([status, text]).toEqual([200, 'hello']);
  }
  expect(again()).toBe(CONNECTIONS * (3 / 4));
});

it('what a client asked for that has used up its share is for others who ask for the same, too', async () => {
  await gateway.close();
  const queue = { size: 512, waitMs: 60_000 };
  gateway = await TestGateway.start({ storeUrl: store.url, connections: CONNECTIONS, store: { queue } });
  ask(CONNECTIONS, index => head(`GET /b/hangs${index}`, ''));
  const atStore = () => store.requests.filter(text => text.includes('hangs')).length;
  await turnsUntil('its share is used up', () => atStore() >= CONNECTIONS * (3 / 4));
  const wanted = Array.from({ length: CONNECTIONS }, (_, index) => `/b/wanted${index}`);
  const first = wanted.map(path => rawRequest(gateway.url(), { path }));
  const callsThat = async (state: string) => {
    const families = (await gateway.metrics[0]?.snapshot()) ?? [];
    const calls = families.find(({ name }) => name === 'tidegate_backend_calls')?.values ?? [];
    return calls.find(({ labels }) => labels.state === state)?.value;
  };
  await expect.poll(() => callsThat('waiting')).toBe(CONNECTIONS / 4 + wanted.length);
  const others = wanted.map(path => rawRequest(gateway.url(), { path, localAddress: '127.0.0.2' }));
  for (const { status, text } of await Promise.all([...others, ...first]))
    expect([status, text]).toEqual([200, 'hello']);
  // nothing that hangs was given up for that
  expect(await callsThat('unanswered')).toBe(CONNECTIONS * (3 / 4));
});

function deleteList(key: string): string {
  const body = `<Delete><Object><Key>${key}</Key></Object></Delete>`;
  const digest = contentMd5(body)['content-md5'];
  return `${head('POST /b?delete', `content-length: ${body.length}\r\ncontent-md5: ${digest}\r\n`)}${body}`;
}
