import { once } from 'node:events';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { headerText, setReadyHead } from '../../../src/http/ready-head.ts';

const date = 'Thu, 01 Jan 2026 00:00:00 GMT';
const body = 'twelve bytes';
const fields = [
  'etag',
  '"e"',
  'content-disposition',
  'attachment; filename="caf\u00e9"',
  'content-length',
  '12',
];
const cleanups: (() => void)[] = [];

afterEach(() => {
  for (const cleanUp of cleanups.splice(0)) cleanUp();
});

function byPlatform(response: ServerResponse): void {
  response.writeHead(200, [...fields, 'Date', date]);
}

function ready(response: ServerResponse): void {
  const head = `HTTP/1.1 200 OK\r\n${headerText(fields)}Date: ${date}\r\nConnection: keep-alive\r\n\r\n`;
  if (!setReadyHead(response, 200, head)) byPlatform(response);
}

/** Everything that comes back over one connection for `sent`, which ends with a request that closes it. */
async function exchange(handler: RequestListener, sent: string): Promise<string> {
  const server = createServer({ keepAliveTimeout: 0 }, handler).listen(0, '127.0.0.1');
  cleanups.push(() => server.close());
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.setEncoding('latin1');
  let received = '';
  socket.on('data', text => {
    received += text;
  });
  socket.write(sent);
  await once(socket, 'close');
  return received;
}

const get = (more = '', version = '1.1') => `GET / HTTP/${version}\r\nhost: h\r\n${more}\r\n`;
const last = get('connection: close\r\n');

describe('a ready head leads to the bytes that node:http would have sent', () => {
  const ends: Record<string, (response: ServerResponse) => unknown> = {
    text: response => response.end(body, 'latin1'),
    bytes: response => response.end(Buffer.from(body)),
    'several pieces': response => {
      response.write(Buffer.from(body.slice(0, 5)));
      setImmediate(() => response.end(Buffer.from(body.slice(5))));
    },
  };
  const requests: Record<string, string> = {
    'one connection for several': get() + get() + last,
    'HEAD among them': get() + get().replace('GET', 'HEAD') + last,
    'a connection that closes': last,
    'HTTP/1.0': get('', '1.0'),
    'HTTP/1.0 kept alive': get('connection: keep-alive\r\n', '1.0') + last,
    'a client that expects 100': get('expect: 100-continue\r\n') + last,
  };
  for (const [end, finish] of Object.entries(ends)) {
    it.each(Object.keys(requests))(`${end}: %s`, async name => {
      const sent = requests[name] ?? '';
      const answers = (write: (response: ServerResponse) => void) =>
        exchange((_request, response) => {
          write(response);
          finish(response);
        }, sent);
      expect(await answers(ready)).toBe(await answers(byPlatform));
    });
  }
});

it('is taken by this version of Node for a connection that stays, and for no other', async () => {
  const taken: boolean[] = [];
  await exchange((_request, response) => {
    taken.push(setReadyHead(response, 200, 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'));
    response.end();
  }, get() + last);
  expect(taken).toEqual([true, false]);
});

it('is not taken where a head has been written', async () => {
  let taken: boolean | undefined;
  await exchange((_request, response) => {
    byPlatform(response);
    taken ??= setReadyHead(response, 200, 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
    response.end(body);
  }, get() + last);
  expect(taken).toBe(false);
});

it('shows the status that was sent', async () => {
  const statuses: number[] = [];
  await exchange((_request, response) => {
    setReadyHead(response, 206, 'HTTP/1.1 206 Partial Content\r\ncontent-length: 0\r\n\r\n');
    statuses.push(response.statusCode);
    response.end();
  }, get() + last);
  expect(statuses[0]).toBe(206);
});

it('makes no text of what may not stand in a header', () => {
  expect(headerText(['x', 'a\r\nset-cookie: b'])).toBeUndefined();
  expect(headerText(['x y', 'a'])).toBeUndefined();
  expect(headerText(['', 'a'])).toBeUndefined();
  expect(headerText(['x', '\u0100'])).toBeUndefined();
  expect(headerText(['x', 'caf\u00e9\t"'])).toBe('x: caf\u00e9\t"\r\n');
});

it('never lets a value begin a line of its own', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.string(), fc.string({ unit: 'binary' }))), pairs => {
      const text = headerText(pairs.flat());
      expect(text === undefined || text.split('\r\n').length === pairs.length + 1).toBe(true);
      expect(text === undefined || !/[\0\n]/.test(text.replaceAll('\r\n', ''))).toBe(true);
    }),
  );
});
