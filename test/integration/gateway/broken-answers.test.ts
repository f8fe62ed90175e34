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
