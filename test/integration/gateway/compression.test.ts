import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CompressionRules } from '../../../src/gateway/request/compression-rules.ts';
import { type ContentCoding, codedTag } from '../../../src/http/content-coding.ts';
import { StandInStore } from '../../support/stand-in-store.ts';
import { TestGateway, type TestGatewayOptions } from '../../support/test-gateway.ts';
import { turnsUntil } from '../../support/turns-until.ts';

const mebibyte = 1024 * 1024;

const compress: CompressionRules = {
  codings: ['br', 'zstd', 'gzip'],
  types: ['text/*', 'application/*+json'],
  minSizeBytes: 100,
  maxSizeBytes: 8 * mebibyte,
  signed: false,
};

/** Words in an order that compresses, but not to nothing. */
function prose(lengthBytes: number): string {
  let text = '';
  for (let word = 1; text.length < lengthBytes; word = (word * 16_807) % 2_147_483_647)
    text += `${word % 9_973} `;
  return text.slice(0, lengthBytes);
}

const decoders: Readonly<Record<ContentCoding, (body: Buffer) => Buffer>> = {
  br: brotliDecompressSync,
  gzip: gunzipSync,
  zstd: zstdDecompressSync,
};

let store: StandInStore;
let gateway: TestGateway;

beforeEach(async () => {
  store = await StandInStore.start();
});

afterEach(async () => {
  await gateway.close();
  await store.close();
});

async function start(options: Partial<TestGatewayOptions> = {}, rules: Partial<CompressionRules> = {}) {
  gateway = await TestGateway.start({
    storeUrl: store.url,
    web: { url: store.url },
    keyRules: [{ keys: ['**'], compress: { ...compress, ...rules } }],
    ...options,
  });
}

const asHtml = { 'content-type': 'text/html; charset=utf-8' };

/** Puts one object at the store, where both kinds of bucket find it. */
function put(key: string, body: string | Buffer, headers: Record<string, string> = asHtml): void {
  store.put('b', key, body, { headers: { 'cache-control': 'max-age=60', ...headers } });
}

/** How often it came to this, in all workers. */
async function count(outcome: string): Promise<number> {
  const snapshots = await Promise.all(gateway.metrics.map(metrics => metrics.snapshot()));
  return snapshots
    .flat()
    .filter(({ name }) => name === 'tidegate_compressions_total')
    .flatMap(({ values }) => values.filter(({ labels }) => labels.outcome === outcome))
    .reduce((sum, { value }) => sum + value, 0);
}

const came = (outcome: string, times: number) =>
  turnsUntil(`${outcome} ${times} times`, async () => (await count(outcome)) === times);

/** Has `path` compressed: the first answer is a miss, the second has it made. */
async function warm(path: string, accepted = 'br', worker = 0, times = 1): Promise<void> {
  await gateway.get(path, { 'accept-encoding': accepted }, worker);
  await gateway.get(path, { 'accept-encoding': accepted }, worker);
  await came('made', times);
}

describe.each([
  ['a store', '/b/page'],
  ['a web origin', '/web/b/page'],
])('%s: what is read again', (_, path) => {
  it.each(['br', 'gzip', 'zstd'] as const)('goes out in %s, made once, with its own tag', async coding => {
    const text = prose(300_000);
    put('page', text);
    await start();
    const first = await gateway.get(path, { 'accept-encoding': coding });
    expect([first.headers['content-encoding'], first.body.toString()]).toEqual([undefined, text]);
    expect(first.headers.vary).toBe('Accept-Encoding');
    await warm(path, coding);
    const answer = await gateway.get(path, { 'accept-encoding': coding });
    expect(answer.status).toBe(200);
    expect(decoders[coding](answer.body).toString()).toBe(text);
    expect(answer.headers).toMatchObject({
      'content-encoding': coding,
      'content-length': String(answer.body.length),
      'content-type': 'text/html; charset=utf-8',
      vary: 'Accept-Encoding',
      etag: first.headers.etag?.replace(/"$/, `-tidegate-${coding}"`),
      'x-cache': 'HIT',
    });
    const head = await gateway.head(path, { 'accept-encoding': coding });
    // what differs between any two answers
    const told = Object.entries(answer.headers).filter(
      ([name]) => !/^(?:date|age|cache-status|.*-id)$/.test(name),
    );
    expect(head.headers).toMatchObject(Object.fromEntries(told));
    expect(await count('made')).toBe(1);
    expect(store.log.requests.length).toBe(1);
  });

  it('is 304 by the tag that the client has, also after its bytes are gone', async () => {
    put('page', prose(10_000));
    await start();
    await warm(path);
    const { etag = '' } = (await gateway.get(path, { 'accept-encoding': 'br' })).headers;
    expect(etag).toMatch(/-br"$/);
    const same = await gateway.get(path, { 'accept-encoding': 'gzip, br', 'if-none-match': etag });
    expect(same.status).toBe(304);
    expect(same.headers).toMatchObject({ etag, vary: 'Accept-Encoding' });
    await gateway.close();
    await start();
    await gateway.get(path);
    const anew = await gateway.get(path, { 'accept-encoding': 'br', 'if-none-match': etag });
    expect([anew.status, anew.headers.etag]).toEqual([304, etag]);
    const asIs = await gateway.get(path, { 'if-none-match': etag });
    expect([asIs.status, asIs.body.length]).toEqual([200, 10_000]);
  });

  it('If-Match with the tag of what was made is about the content that this was made of', async () => {
    const text = prose(10_000);
    put('page', text);
    await start();
    await warm(path);
    const { etag = '' } = (await gateway.get(path, { 'accept-encoding': 'br' })).headers;
    const answer = await gateway.get(path, { 'accept-encoding': 'br', 'if-match': etag });
    expect([answer.status, answer.body.toString()]).toEqual([200, text]);
    const part = await gateway.get(path, { 'if-match': etag, range: 'bytes=0-9' });
    expect(part.status).toBe(412);
    const other = await gateway.get(path, { 'if-match': etag.replace(/^"./, '"x') });
    expect(other.status).toBe(412);
  });

  it('nor is If-Match with that tag about a part of the object, by its number', async () => {
    put('page', prose(10_000));
    await start();
    const ifMatch = { 'if-match': codedTag((await gateway.get(path)).headers.etag ?? '', 'br') };
    for (const method of ['GET', 'HEAD'])
      expect((await gateway.send(method, '/b/page?partNumber=1', ifMatch)).status).toBe(412);
  });

  it('If-Match with that tag is about the content where that is not kept, either', async () => {
    put('page', prose(10_000));
    await start({ policy: { clientDirectives: 'honour' } });
    const { etag = '' } = (await gateway.get(path)).headers;
    const unkept = { 'cache-control': 'no-store', 'if-match': codedTag(etag, 'br') };
    expect((await gateway.get(path, unkept)).status).toBe(200);
  });

  it('ranges, If-Match and no-transform are about the content as it is', async () => {
    put('page', prose(10_000));
    await start();
    await warm(path);
    const own = (await gateway.get(path)).headers.etag ?? '';
    for (const wish of [{ range: 'bytes=0-9' }, { 'if-match': own }, { 'cache-control': 'no-transform' }]) {
      const answer = await gateway.get(path, { 'accept-encoding': 'br', ...wish });
      expect([answer.headers['content-encoding'], answer.headers.etag]).toEqual([undefined, own]);
      expect(answer.body.toString()).toBe(prose(10_000).slice(0, answer.body.length));
    }
    const resumed = await gateway.get(path, {
      ...{ 'accept-encoding': 'br', range: 'bytes=10-' },
      'if-range': own.replace(/"$/, '-tidegate-br"'),
    });
    expect([resumed.status, resumed.body.length]).toEqual([200, 10_000]);
  });

  it('is not resumed by a date, which names no representation', async () => {
    const text = prose(300_000);
    const modified = new Date(Date.now() - 3_600_000).toUTCString();
    put('page', text, { ...asHtml, 'last-modified': modified });
    await start();
    await warm(path);
    const { headers } = await gateway.get(path, { 'accept-encoding': 'br' });
    expect(headers['content-encoding']).toBe('br');
    const date = String(headers['last-modified']);
    const resumed = { range: 'bytes=100-', 'if-range': date };
    const whole = await gateway.get(path, { ...resumed, 'accept-encoding': 'br' });
    const isMade = whole.headers['content-encoding'] === 'br';
    const body = isMade ? brotliDecompressSync(whole.body) : whole.body;
    expect([whole.status, body.toString()]).toEqual([200, text]);
    // nor where nothing is held any more
    await gateway.close();
    await start();
    const cold = await gateway.get(path, { ...resumed, 'accept-encoding': 'br' });
    expect([cold.status, cold.body.toString()]).toEqual([200, text]);
    // who takes no coding has had none
    expect((await gateway.get(path, { ...resumed, 'accept-encoding': 'identity' })).status).toBe(206);
  });

  it('is not resumed by a date where nothing is kept, either', async () => {
    const modified = new Date(Date.now() - 3_600_000).toUTCString();
    put('page', prose(10_000), { ...asHtml, 'last-modified': modified });
    await start({ policy: { clientDirectives: 'honour' } });
    const resumed = { range: 'bytes=100-', 'if-range': modified, 'cache-control': 'no-store' };
    const whole = await gateway.get(path, { ...resumed, 'accept-encoding': 'br' });
    expect([whole.status, whole.body.toString()]).toEqual([200, prose(10_000)]);
    expect((await gateway.get(path, resumed)).status).toBe(206);
    const checked = { ...resumed, 'accept-encoding': 'br', 'x-amz-checksum-mode': 'ENABLED' };
    if (path === '/b/page') expect((await gateway.get(path, checked)).status).toBe(206);
  });

  it('other dates in conditions are heard beside such a date', async () => {
    const modified = new Date(Date.now() - 3_600_000).toUTCString();
    put('page', prose(10_000), { ...asHtml, 'last-modified': modified });
    await start();
    await gateway.get(path);
    const resumed = { range: 'bytes=100-', 'if-range': modified, 'accept-encoding': 'br' };
    for (const method of ['GET', 'HEAD']) {
      const same = await gateway.send(method, path, { ...resumed, 'if-modified-since': modified });
      expect(same.status).toBe(304);
      const before = new Date(Date.parse(modified) - 10_000).toUTCString();
      const changed = await gateway.send(method, path, { ...resumed, 'if-unmodified-since': before });
      // at a web origin it is for that to judge, and this one does not mind
      expect(changed.status).toBe(path === '/b/page' ? 412 : 200);
    }
  });

  it('is of the new content after a change, and gone after a purge', async () => {
    put('page', prose(10_000));
    await start();
    await warm(path);
    put('page', prose(20_000));
    const bucket = path.startsWith('/web') ? { bucket: 'web', key: '/b/page' } : { bucket: 'b', key: 'page' };
    gateway.gateways[0]?.purge({ kind: 'key', ...bucket } as never);
    const after = await gateway.get(path, { 'accept-encoding': 'br' });
    expect([after.headers['content-encoding'], after.body.length]).toEqual([undefined, 20_000]);
    await warm(path, 'br', 0, 2);
    const coded = await gateway.get(path, { 'accept-encoding': 'br' });
    expect(brotliDecompressSync(coded.body).length).toBe(20_000);
  });
});

describe('what is left as it is', () => {
  it.each([
    ['another type', { 'content-type': 'image/png' }, 5_000],
    ['no type', {}, 5_000],
    ['a coding of its own', { ...asHtml, 'content-encoding': 'gzip' }, 5_000],
    ['no-transform', { ...asHtml, 'cache-control': 'max-age=60, no-transform' }, 5_000],
    ['too small', asHtml, 99],
    ['too large', asHtml, 9 * mebibyte],
  ])('%s', async (_, headers, lengthBytes) => {
    store.put('b', 'k', prose(lengthBytes), { headers });
    await start();
    for (let read = 0; read < 3; read++) {
      const answer = await gateway.get('/b/k', { 'accept-encoding': 'br' });
      expect(answer.headers.vary).toBeUndefined();
      expect(answer.body.length).toBe(lengthBytes);
    }
    expect(await count('made')).toBe(0);
  });

  it('what does not shrink is tried once', async () => {
    const noise = Buffer.from(Array.from({ length: 5_000 }, (_, at) => (at * at * 2_654_435_761) >>> 13));
    put('noise', noise);
    await start({}, { codings: ['gzip'] });
    await gateway.get('/b/noise', { 'accept-encoding': 'gzip' });
    await gateway.get('/b/noise', { 'accept-encoding': 'gzip' });
    await came('no-gain', 1);
    const answer = await gateway.get('/b/noise', { 'accept-encoding': 'gzip' });
    expect(answer.body.equals(noise)).toBe(true);
    expect(await count('no-gain')).toBe(1);
  });

  it('signed requests get what the store has, unless it is configured otherwise', async () => {
    put('page', prose(5_000));
    const caller = { kind: 'client', accessKeyId: 'AK', payload: { kind: 'nothing' } } as never;
    await start({
      authenticate: ({ headers }) => (headers['x-signed'] ? caller : ({ kind: 'anonymous' } as const)),
    });
    await warm('/b/page');
    const signed = { 'accept-encoding': 'br', 'x-signed': '1', authorization: 'x' };
    const answer = await gateway.get('/b/page', signed);
    expect([answer.headers['content-encoding'], answer.headers.vary]).toEqual([undefined, undefined]);
    await gateway.close();
    await start({ authenticate: () => caller }, { signed: true });
    await warm('/b/page');
    expect((await gateway.get('/b/page', signed)).headers['content-encoding']).toBe('br');
  });
});

it('a HEAD has nothing made, and neither has the first read', async () => {
  put('page', prose(5_000));
  await start();
  await gateway.get('/b/page', { 'accept-encoding': 'br' });
  for (let times = 0; times < 3; times++) await gateway.head('/b/page', { 'accept-encoding': 'br' });
  expect((await gateway.get('/b/page')).headers['content-encoding']).toBeUndefined();
  expect(await count('made')).toBe(0);
});

it('checksums and digests of the content as it is are not told of another one', async () => {
  put('page', prose(5_000), { ...asHtml, 'content-md5': 'x', 'repr-digest': 'sha-256=:x:', vary: 'Origin' });
  await start();
  await warm('/b/page');
  const { headers } = await gateway.get('/b/page', { 'accept-encoding': 'br' });
  expect(headers).toMatchObject({ 'content-encoding': 'br', vary: 'Origin, Accept-Encoding' });
  expect([headers['content-md5'], headers['repr-digest']]).toEqual([undefined, undefined]);
});

it('the second best is sent while the best is being made', async () => {
  put('page', prose(5_000));
  await start();
  await warm('/b/page', 'gzip');
  const second = await gateway.get('/b/page', { 'accept-encoding': 'gzip, br' });
  expect(second.headers['content-encoding']).toBe('gzip');
  await came('made', 2);
  const third = await gateway.get('/b/page', { 'accept-encoding': 'gzip, br' });
  expect(third.headers['content-encoding']).toBe('br');
});

it('readers of one content at the same time have it compressed once', async () => {
  put('page', prose(200_000));
  await start();
  await gateway.get('/b/page');
  await Promise.all(Array.from({ length: 20 }, () => gateway.get('/b/page', { 'accept-encoding': 'br' })));
  await came('made', 1);
  expect((await gateway.get('/b/page', { 'accept-encoding': 'br' })).headers['content-encoding']).toBe('br');
  expect(await count('made')).toBe(1);
});

it.each(['/b/page', '/web/b/page'])('workers share what the owner of %s has made', async path => {
  const text = prose(3 * mebibyte);
  put('page', text);
  await start({ workers: 2 });
  for (const worker of [0, 1]) {
    await gateway.get(path, { 'accept-encoding': 'br' }, worker);
    await gateway.get(path, { 'accept-encoding': 'br' }, worker);
  }
  await came('made', 1);
  for (const worker of [0, 1]) {
    let answer = await gateway.get(path, { 'accept-encoding': 'br' }, worker);
    await turnsUntil('the worker knows of it', async () => {
      answer = await gateway.get(path, { 'accept-encoding': 'br' }, worker);
      return answer.headers['content-encoding'] === 'br';
    });
    expect(brotliDecompressSync(answer.body).toString()).toBe(text);
    expect(answer.headers['x-cache']).toBe('HIT');
  }
  expect(await count('made')).toBe(1);
});
