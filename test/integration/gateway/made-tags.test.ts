import { afterEach, expect, it } from 'vitest';
import type { CompressionRules } from '../../../src/gateway/request/compression-rules.ts';
import { ScriptedOrigin } from '../../support/scripted-origin.ts';
import { TestGateway } from '../../support/test-gateway.ts';

const compress: CompressionRules = {
  ...{ codings: ['br'], types: ['text/*'], minSizeBytes: 100, maxSizeBytes: 100_000, signed: false },
};
const body = 'some words '.repeat(100);

let origin: ScriptedOrigin;
let gateway: TestGateway;

/** An origin that heeds If-Match, which all that it has is `"1"` to. */
async function start(rules: CompressionRules | 'off'): Promise<void> {
  const head = { 'content-type': 'text/plain', 'cache-control': 'max-age=60', etag: '"1"' };
  origin = await ScriptedOrigin.start(({ method, headers }, response) => {
    const isRefused = headers['if-match'] !== undefined && headers['if-match'] !== '"1"';
    if (isRefused) response.writeHead(412).end();
    else if (method === 'PUT') response.writeHead(204, { etag: '"1"' }).end();
    else response.writeHead(200, head).end(method === 'HEAD' ? '' : body);
  });
  gateway = await TestGateway.start({
    ...{ storeUrl: 'http://127.0.0.1:1', buckets: {}, workers: 2, web: { url: origin.url, name: '/' } },
    keyRules: [{ keys: ['**'], compress: rules }],
  });
}

afterEach(async () => {
  await gateway.close();
  await origin.close();
});

const demand = { 'if-match': '"0", "1-tidegate-br"' };
const made = { 'if-match': '"1-tidegate-br"' };

it.each([0, 1])('If-Match with a tag that was made here is about the content (worker %i)', async worker => {
  await start(compress);
  for (const method of ['GET', 'HEAD', 'PUT']) {
    const { status } = await gateway.send(method, '/k', made, worker);
    expect([method, status]).toEqual([method, method === 'PUT' ? 204 : 200]);
    expect(origin.lastAsked?.headers['if-match']).toBe('"1"');
  }
  const missed = await gateway.get('/k', {}, worker);
  const asked = origin.asked.length;
  const held = await gateway.get('/k', demand, worker);
  expect([held.status, held.headers.etag, held.body.toString()]).toEqual([
    200,
    '"1"',
    missed.body.toString(),
  ]);
  expect([held.headers['x-cache'], origin.asked.length]).toEqual(['HIT', asked]);
});

it('of a part it is about what was made, which has none', async () => {
  await start(compress);
  await gateway.get('/k');
  const { status } = await gateway.get('/k', { ...made, range: 'bytes=10-' });
  expect([status, origin.lastAsked?.headers['if-match']]).toEqual([412, '"1-tidegate-br"']);
});

it('where nothing is made it is a tag of the origin', async () => {
  await start('off');
  const { status } = await gateway.get('/k', made);
  expect([status, origin.lastAsked?.headers['if-match']]).toEqual([412, '"1-tidegate-br"']);
});

it.each([0, 1])(
  'If-Match with a tag like one that was made here finds the content that has it (worker %i)',
  async worker => {
    await start(compress);
    const own = { 'content-type': 'text/plain', 'cache-control': 'max-age=60', etag: '"1-tidegate-br"' };
    origin.answer = (_asked, response) => void response.writeHead(200, own).end(body);
    await gateway.get('/k', {}, worker);
    const asked = origin.asked.length;
    const { status, headers } = await gateway.get('/k', made, worker);
    expect([status, headers['x-cache'], origin.asked.length]).toEqual([200, 'HIT', asked]);
  },
);

it.each([
  ['where something may be made', compress, '"1", "0-tidegate-x"'],
  ['where nothing is', 'off', '"1-tidegate-br", "0-tidegate-x"'],
] as const)('a write to a store demands what the store knows: %s', async (_, rules, demanded) => {
  await start(compress);
  const store = await TestGateway.start({
    ...{ storeUrl: origin.url, keyRules: [{ keys: ['**'], compress: rules }] },
  });
  await store.send('PUT', '/b/k', { 'if-match': '"1-tidegate-br", "0-tidegate-x"' });
  await store.close();
  expect(origin.lastAsked?.headers['if-match']).toBe(demanded);
});
