import { request as httpRequest, type IncomingMessage } from 'node:http';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { copyOf, holdsAt, patternContent } from '../../support/stand-in/content.ts';
import { StandInStore } from '../../support/stand-in-store.ts';

let store: StandInStore;

beforeEach(async () => {
  store = await StandInStore.start();
});
afterEach(() => store.close());

/** Sends a request whose path is not touched by URL normalisation. */
function send(path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  httpRequest({ host: '127.0.0.1', port: store.port, path, headers, method }, resolve)
    .on('error', reject)
    .end();
  return promise;
}

/** Reads a body to its end, clean or not, and tells which. */
async function read(reply: IncomingMessage): Promise<{ bytes: Buffer; clean: boolean }> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of reply) chunks.push(chunk);
  } catch {
    return { bytes: Buffer.concat(chunks), clean: false };
  }
  return { bytes: Buffer.concat(chunks), clean: true };
}

it('answers an object with its tag, date and headers', async () => {
  store.put('b', 'hello.txt', 'hello', { headers: { 'x-amz-meta-colour': 'green' } });
  const reply = await send('/b/hello.txt');
  expect(reply.statusCode).toBe(200);
  expect(reply.headers).toMatchObject({
    etag: '"5d41402abc4b2a76b9719d911017c592"',
    'last-modified': 'Thu, 01 Jan 2026 00:00:00 GMT',
    'content-length': '5',
    'x-amz-meta-colour': 'green',
    'x-amz-request-id': 'STANDIN1',
  });
  expect((await read(reply)).bytes.toString()).toBe('hello');
});

it.each([
  ['bytes=0-3', 'bytes 0-3/10', '0123'],
  ['bytes=7-', 'bytes 7-9/10', '789'],
  ['bytes=-2', 'bytes 8-9/10', '89'],
  ['bytes=8-100', 'bytes 8-9/10', '89'],
])('answers %s with 206', async (range, contentRange, text) => {
  store.put('b', 'k', '0123456789');
  const reply = await send('/b/k', { range });
  expect(reply.statusCode).toBe(206);
  expect(reply.headers['content-range']).toBe(contentRange);
  expect((await read(reply)).bytes.toString()).toBe(text);
});

it('refuses a range past the end, a foreign tag and a missing key', async () => {
  store.put('b', 'k', '0123456789');
  expect((await send('/b/k', { range: 'bytes=10-' })).statusCode).toBe(416);
  expect((await send('/b/k', { 'if-match': '"other"' })).statusCode).toBe(412);
  const missing = await send('/b/nothing');
  expect(missing.statusCode).toBe(404);
  expect((await read(missing)).bytes.toString()).toContain('<Code>NoSuchKey</Code>');
});

it('answers a known tag with a bodyless 304', async () => {
  store.put('b', 'k', 'hello');
  const reply = await send('/b/k', { 'if-none-match': '"5d41402abc4b2a76b9719d911017c592"' });
  expect(reply.statusCode).toBe(304);
  expect((await read(reply)).bytes).toHaveLength(0);
});

it('answers HEAD with the head of GET and no body', async () => {
  store.put('b', 'k', patternContent(1000));
  const reply = await send('/b/k', {}, 'HEAD');
  expect(reply.headers['content-length']).toBe('1000');
  expect(await read(reply)).toEqual({ bytes: Buffer.alloc(0), clean: true });
  expect(store.log.bodyBytes).toBe(0);
});

it('finds keys exactly as they were sent and logs them so', async () => {
  store.put('b', 'a//../ü+%', 'odd');
  const path = '/b/a//../%C3%BC+%25';
  expect((await read(await send(path))).bytes.toString()).toBe('odd');
  expect(store.log.requests[0]?.url).toBe(path);
});

it('makes pattern bytes from the position alone', async () => {
  const content = patternContent(3_000_000, 7);
  store.put('b', 'k', content);
  const { bytes } = await read(await send('/b/k', { range: 'bytes=1048000-2200000' }));
  expect(holdsAt(content, 1_048_000, bytes)).toBe(true);
  expect(holdsAt(content, 1_048_001, bytes)).toBe(false);
  expect(holdsAt(patternContent(3_000_000, 8), 1_048_000, bytes)).toBe(false);
});

it('breaks transfers exactly where the script says, then serves whole again', async () => {
  const content = patternContent(300_000);
  store.put('b', 'k', content);
  store.faults.breakAfter(0, 100_001);
  for (const expected of [0, 100_001]) {
    const { bytes, clean } = await read(await send('/b/k'));
    expect(clean).toBe(false);
    expect(bytes).toHaveLength(expected);
    expect(holdsAt(content, 0, bytes)).toBe(true);
  }
  expect((await read(await send('/b/k'))).bytes.equals(copyOf(content))).toBe(true);
  expect(store.log.requests.map(({ bodyBytes, ending }) => [bodyBytes, ending])).toEqual([
    [0, 'broken'],
    [100_001, 'broken'],
    [300_000, 'complete'],
  ]);
});

it('stalls until it may go on', async () => {
  store.put('b', 'k', 'hello');
  const { promise, resolve } = Promise.withResolvers<void>();
  store.faults.next({ kind: 'stall', afterBytes: 2, until: promise });
  const reply = await send('/b/k');
  const [first] = await Promise.all([reply[Symbol.asyncIterator]().next(), store.log.arrival(1)]);
  expect(String(first.value)).toBe('he');
  expect(store.log.requests[0]?.ending).toBe('open');
  resolve();
  await store.log.endings(1);
  expect(store.log.requests[0]).toMatchObject({ bodyBytes: 5, ending: 'complete' });
});

it('answers wrongly when told to', async () => {
  store.put('b', 'k', '0123456789');
  store.faults.next({ kind: 'answer', status: 503, body: 'busy', headers: { 'retry-after': '1' } }, 2);
  store.faults.next({ kind: 'range-ignored' });
  store.faults.next({ kind: 'content-range', value: 'bytes 5-6/10' });
  store.faults.next({ kind: 'short', lengthBytes: 1 });
  const range = { range: 'bytes=2-3' };
  expect((await send('/b/k', range)).statusCode).toBe(503);
  expect((await send('/b/k', range)).headers['retry-after']).toBe('1');
  expect((await send('/b/k', range)).statusCode).toBe(200);
  expect((await send('/b/k', range)).headers['content-range']).toBe('bytes 5-6/10');
  const short = await send('/b/k', range);
  expect(short.headers['content-range']).toBe('bytes 2-3/10');
  expect((await read(short)).bytes.toString()).toBe('2');
  expect(store.faults.left).toBe(0);
});

it('changes an object at the chosen request, and running transfers keep the old bytes', async () => {
  const [old, fresh] = [patternContent(200_000, 1), patternContent(200_000, 2)];
  store.put('b', 'k', old);
  store.log.at({ bodyBytes: 65_536 }, () => store.put('b', 'k', fresh));
  expect(holdsAt(old, 0, (await read(await send('/b/k'))).bytes)).toBe(true);
  const second = await send('/b/k');
  expect(second.headers.etag).toBe(fresh.entityTag);
  expect(holdsAt(fresh, 0, (await read(second)).bytes)).toBe(true);
});

it('holds requests until the gate is released', async () => {
  store.put('b', 'k', 'hello');
  const gate = store.hold();
  const replies = [send('/b/k'), send('/b/k')];
  await store.log.arrival(2);
  expect(store.log.requests.map(request => request.status)).toEqual([0, 0]);
  gate.release();
  expect((await Promise.all(replies)).map(reply => reply.statusCode)).toEqual([200, 200]);
});

it('notices a client that leaves', async () => {
  store.put('b', 'k', patternContent(1_000_000_000));
  const reply = await send('/b/k');
  reply.destroy();
  await store.log.endings(1);
  expect(store.log.requests[0]?.ending).toBe('left');
});

it('keeps to its latency and rate', async () => {
  store.latencyMs = 30;
  store.rateBytesPerS = 2_000_000;
  store.put('b', 'k', patternContent(200_000));
  const startMs = performance.now();
  const reply = await send('/b/k');
  const headMs = performance.now() - startMs;
  await read(reply);
  expect(headMs).toBeGreaterThanOrEqual(29);
  // The first piece goes out at once, the rest of the 100 ms is paced.
  expect(performance.now() - startMs).toBeGreaterThanOrEqual(29 + 60);
});

it('counts from zero again when the log is cleared', async () => {
  store.put('b', 'k', 'hello');
  await read(await send('/b/k'));
  await store.log.endings(1);
  expect(store.log.bodyBytes).toBe(5);
  store.log.clear();
  expect([store.log.bodyBytes, store.log.requests.length]).toEqual([0, 0]);
});
