import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RawStore } from '../../support/raw-store.ts';
import { TestGateway } from '../../support/test-gateway.ts';

let store: RawStore;
let gateway: TestGateway;
let answer: (socket: Socket, request: string) => void;

beforeEach(async () => {
  store = await RawStore.start((socket, request) => answer(socket, request));
  gateway = await TestGateway.start({ storeUrl: store.url });
});

afterEach(async () => {
  await gateway.close();
  await store.close();
});

/** What comes back on a connection of its own, and how that ends: orderly, or by an error such as ECONNRESET. */
function exchange(request: string): Promise<{ received: string; end: string }> {
  return new Promise(resolve => {
    const socket = connect(Number(new URL(gateway.url()).port), '127.0.0.1');
    let received = '';
    let end = 'orderly';
    socket.setEncoding('latin1');
    socket.on('data', text => {
      received += text;
    });
    socket.on('error', error => {
      end = 'code' in error ? String(error.code) : error.message;
    });
    socket.on('close', () => resolve({ received, end }));
    socket.write(request);
  });
}

describe('an answer without a length that the store breaks off', () => {
  beforeEach(() => {
    answer = socket =>
      socket.end('HTTP/1.1 200 OK\r\netag: W/"a"\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n');
  });

  it.each(['/b/k', '/b/k?tagging'])('resets the connection of an HTTP/1.0 client: %s', async path => {
    const { received, end } = await exchange(`GET ${path} HTTP/1.0\r\nHost: a\r\n\r\n`);
    expect(received).not.toContain('0\r\n\r\n');
    expect(end).toBe('ECONNRESET');
  });

  it('has no last chunk for a client of HTTP/1.1', async () => {
    const { received } = await exchange('GET /b/k HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    expect(received).toContain('hello');
    expect(received.endsWith('0\r\n\r\n')).toBe(false);
  });
});

describe('a connection that the store closes when it is used again', () => {
  const used = new WeakSet<Socket>();

  beforeEach(() => {
    answer = socket => {
      if (used.has(socket)) socket.destroy();
      else socket.write('HTTP/1.1 200 OK\r\netag: W/"a"\r\ncontent-length: 2\r\n\r\nok');
      used.add(socket);
    };
  });

  it.each([
    ['an operation that is passed', '/b/k?tagging'],
    ['a read that is not kept', '/b/k'],
  ])('costs %s more requests, not its answer', async (_, path) => {
    for (let count = 0; count < 4; count++) expect((await gateway.get(path)).status).toBe(200);
  });
});

it('a store that breaks off after a few bytes each time is asked a few times, not once for every few bytes', async () => {
  answer = (socket, request) => {
    const [, from = '0'] = /range: bytes=(\d+)-/i.exec(request) ?? [];
    const head = `HTTP/1.1 206 X\r\netag: "a"\r\ncontent-range: bytes ${from}-99999/100000\r\ncontent-length: ${100_000 - Number(from)}\r\n\r\n`;
    socket.end(`${head}0123456789abcdef`);
  };
  await expect(gateway.get('/b/k')).rejects.toThrow();
  expect(store.requests.length).toBeLessThan(20);
});

describe('a body that goes on without end', () => {
  const ended: Promise<void>[] = [];
  /** Sends `head`, then chunks for as long as the connection is open. */
  const goOn = (socket: Socket, head: string) => {
    ended.push(new Promise(resolve => socket.once('close', () => resolve())));
    socket.write(`HTTP/1.1 ${head}\r\ntransfer-encoding: chunked\r\n\r\n`);
    const chunk = `400\r\n${'a'.repeat(1_024)}\r\n`.repeat(64);
    const more = () => {
      if (socket.writable && socket.write(chunk)) setImmediate(more);
    };
    socket.on('drain', more);
    more();
  };
  const part = (from: number, to: number) =>
    `206 X\r\netag: "a"\r\ncontent-range: bytes ${from}-${to}/3145728`;

  beforeEach(() => void ended.splice(0));

  it.each([
    ['201', '201 Created\r\netag: "a"', 502],
    ['203', '203 X\r\netag: "a"', 502],
    ['another range', part(7, 9), 502],
    ['more than the range', part(0, 1_048_575), 206],
    ['an error', '404 X', 404],
  ])('is not read on where it begins the first answer about an object: %s', async (_, head, status) => {
    answer = socket => goOn(socket, head);
    expect((await gateway.get('/b/k', { range: 'bytes=0-1' })).status).toBe(status);
    await Promise.all(ended);
  });

  it.each([
    ['201', '201 Created\r\netag: "a"', 502],
    ['another range', part(7, 9), 502],
    ['more than the range', part(1_048_576, 2_097_151), 206],
  ])('is not read on where it answers for a missing piece: %s', async (_, head, status) => {
    answer = (socket, request) => {
      if (/range: bytes=0-/i.test(request))
        socket.write(
          `HTTP/1.1 ${part(0, 1_048_575)}\r\ncontent-length: 1048576\r\n\r\n${'a'.repeat(1_048_576)}`,
        );
      else goOn(socket, head);
    };
    expect((await gateway.get('/b/k', { range: 'bytes=0-1' })).status).toBe(206);
    expect((await gateway.get('/b/k', { range: 'bytes=1048576-1048577' })).status).toBe(status);
    expect(ended.length).toBeGreaterThan(0);
    await Promise.all(ended);
  });
});

describe('an answer whose Content-Length is larger than its body', () => {
  /** Whether the body that was received is as long as its head says. */
  const isWhole = (received: string) => {
    const bodyAt = received.indexOf('\r\n\r\n') + 4;
    return Number(/content-length: (\d+)/i.exec(received)?.[1]) === received.length - bodyAt;
  };
  const ask = (path: string) => exchange(`GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);

  it.each(['/b/k', '/b/k?tagging'])('is cut off where the store ends it: %s', async path => {
    answer = socket => socket.end('HTTP/1.1 200 OK\r\netag: W/"a"\r\ncontent-length: 100\r\n\r\nhello');
    const { received } = await ask(path);
    expect(received).toMatch(/content-length: 100\r\n.*hello$/is);
    expect(isWhole(received)).toBe(false);
  });

  it.each([
    ['an error that is longer than what is read of errors', '404 X', 'a'.repeat(70_000)],
    [
      'an XML error that is longer',
      '404 X',
      `<Error><Code>NoSuchKey</Code><a>${'a'.repeat(70_000)}</a></Error>`,
    ],
    ['a redirect', '301 X', 'a'.repeat(70_000)],
    ['an error that ends early', '404 X', 'hello'],
  ])('is replaced by one that is whole: %s', async (_, status, body) => {
    answer = socket => {
      socket.write(`HTTP/1.1 ${status}\r\ncontent-length: 100000\r\n\r\n${body}`);
      if (body.length < 65_536) socket.end();
    };
    for (const path of ['/b/k', '/b/k?tagging']) {
      const { received } = await ask(path);
      expect(received).toMatch(/^HTTP\/1.1 [345]\d\d .*<Error>.*<\/Error>$/s);
      expect(isWhole(received)).toBe(true);
    }
  });

  it('has no body where its status has none', async () => {
    answer = socket => socket.write(`HTTP/1.1 304 X\r\netag: "a"\r\ncontent-length: 100000\r\n\r\nhello`);
    const { received } = await ask('/b/k?tagging');
    expect(received).toMatch(/^HTTP\/1.1 304 /);
    expect(received.endsWith('\r\n\r\n')).toBe(true);
  });
});
