import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { createLogger } from '../../../src/base/logger.ts';
import type { ClientLimits } from '../../../src/server/client-limits.ts';
import { type HttpListener, listenHttp } from '../../../src/server/http-listener.ts';
import type { RenderUnreadable } from '../../../src/server/refuse-unreadable.ts';
import type { RequestHandler } from '../../../src/server/request-handler.ts';
import { DirectAnswer, StandardAnswer } from '../../../src/transport/answer.ts';
import { defaultLimits } from '../../support/client-limits.ts';

const listeners: HttpListener[] = [];

afterEach(async () => {
  for (const listener of listeners.splice(0)) await listener.drain(0);
});

async function start(
  handle: RequestHandler,
  answerUnreadable?: RenderUnreadable,
  limits: ClientLimits = defaultLimits,
  reusePort = false,
) {
  const lines: string[] = [];
  const logger = createLogger({
    level: 'info',
    sink: { write: line => void lines.push(line), flush: () => undefined },
  });
  const listener = await listenHttp({
    addresses: [{ kind: 'tcp', host: '127.0.0.1', port: 0 }],
    reusePort,
    handle,
    logger,
    answerUnreadable,
    limits,
  });
  listeners.push(listener);
  return { listener, lines };
}

const answerWith: RenderUnreadable = why => ({ requestId: `id of ${why}`, text: `answer: ${why}` });

/** Everything that comes back for `bytes` until the connection ends. */
function exchange(port: number, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    let answer = '';
    socket.setEncoding('latin1').on('data', (text: string) => {
      answer += text;
    });
    socket.on('close', () => resolve(answer)).on('error', reject);
  });
}

it.each([
  ['what is no HTTP', 'hello?\r\n\r\n', '400 Bad Request'],
  [
    'a header longer than 32 KiB',
    `GET / HTTP/1.1\r\nx: ${'y'.repeat(33 * 1024)}\r\n\r\n`,
    '431 Request Header',
  ],
  ['HTTP/1.1 without Host (RFC 9112 §3.2)', 'GET / HTTP/1.1\r\n\r\n', '400 Bad Request'],
])('answers %s plainly', async (_, bytes, status) => {
  const { listener } = await start((_request, response) => void response.end());
  expect(await exchange(listener.port, bytes)).toMatch(new RegExp(`^HTTP/1.1 ${status}`));
});

it.each([
  ['malformed', 'hello?\r\n\r\n'],
  ['invalid-uri', 'GET /caf\u00e9 HTTP/1.1\r\nhost: x\r\n\r\n'],
  ['headers-too-large', `GET / HTTP/1.1\r\nx: ${'y'.repeat(33 * 1024)}\r\n\r\n`],
])('has what is %s answered by whoever knows the words', async (why, bytes) => {
  const { listener } = await start((_request, response) => void response.end(), answerWith);
  expect(await exchange(listener.port, bytes)).toBe(`answer: ${why}`);
});

it('bounds request line and headers as it is told', async () => {
  const { listener } = await start((_request, response) => void response.end(), undefined, {
    ...defaultLimits,
    headersBytes: 8_192,
  });
  const sent = (lengthBytes: number) =>
    exchange(
      listener.port,
      `GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\nx: ${'y'.repeat(lengthBytes)}\r\n\r\n`,
    );
  expect(await sent(7_000)).toMatch(/^HTTP\/1.1 200/);
  expect(await sent(8_192)).toMatch(/^HTTP\/1.1 431/);
});

it('closes a connection that was refused, whether or not the client closes its side', async () => {
  const { listener } = await start((_request, response) => void response.end());
  const socket = connect({ port: listener.port, host: '127.0.0.1', allowHalfOpen: true });
  socket.on('error', () => undefined);
  socket.write('hello?\r\n\r\n');
  const drip = setInterval(() => socket.write('\n'), 50);
  await new Promise<void>(resolve => socket.once('close', () => resolve()).resume());
  clearInterval(drip);
});

it('logs what was refused without its bytes', async () => {
  const { listener, lines } = await start((_request, response) => void response.end());
  await exchange(listener.port, 'X-Secret: hunter2\r\n\r\n');
  expect(lines.join('')).toContain('refused a malformed HTTP request');
  expect(lines.join('')).not.toContain('hunter2');
});

it('law 2: puts no error answer into a body that is being sent', async () => {
  const { listener } = await start((request, response) => {
    response.writeHead(200, { 'content-length': 10 });
    response.write('begun');
    // reading stops with what is no request
    request.socket.once('pause', () => response.end('ended'));
  });
  const answer = await new Promise<string>(resolve => {
    const socket = connect(listener.port, '127.0.0.1', () =>
      socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n'),
    );
    let received = '';
    socket.setEncoding('latin1').on('data', (text: string) => {
      received += text;
      if (received.endsWith('begun')) socket.write('\0garbage\r\n\r\n');
    });
    socket.on('close', () => resolve(received));
  });
  expect(answer).toMatch(/\r\n\r\nbegunended$/);
});

const wholeHead = 'HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n';

it('law 2: answers the request before the garbage, and that alone', async () => {
  const { listener } = await start((_request, response) => {
    DirectAnswer.begin(response, 200, wholeHead)?.endWith('whole');
  });
  const answer = await exchange(listener.port, 'GET / HTTP/1.1\r\nhost: x\r\n\r\n\0garbage\r\n\r\n');
  expect(answer).toBe(`${wholeHead}whole`);
});

it.each<[string, RequestHandler]>([
  ['written directly', (_, response) => DirectAnswer.begin(response, 200, wholeHead)?.endWith('whole')],
  ['of node:http', (_, response) => void response.writeHead(200, { 'content-length': 5 }).end('whole')],
])('RFC 9112 §2.2: answers garbage that follows a whole answer %s', async (_, handle) => {
  const { listener } = await start(handle);
  const answers = await new Promise<string>((resolve, reject) => {
    const socket = connect(listener.port, '127.0.0.1', () =>
      socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n'),
    );
    let received = '';
    socket.setEncoding('latin1').on('data', (text: string) => {
      received += text;
      if (received.endsWith('whole')) socket.write('\0garbage\r\n\r\n');
    });
    socket.on('close', () => resolve(received)).on('error', reject);
  });
  expect(answers).toMatch(/^HTTP\/1.1 200 [\s\S]*\r\n\r\nwholeHTTP\/1.1 400 Bad Request\r\n/);
});

it('answers all requests of a client that ended its side in the same turn', async () => {
  const { listener } = await start((_request, response) => {
    const answer = DirectAnswer.begin(response, 200, wholeHead);
    if (answer) answer.endWith('whole');
    else response.writeHead(200, { 'content-length': 5 }).end('whole');
  });
  // as much as is read at once: the end is read with it, before the turn is over
  const count = 64;
  const request = `GET / HTTP/1.1\r\nhost: x\r\nfill: ${'x'.repeat(65_536 / count - 35)}\r\n\r\n`;
  expect(request.length * count).toBe(65_536);
  const answers = await new Promise<string>((resolve, reject) => {
    const socket = connect({ port: listener.port, host: '127.0.0.1', allowHalfOpen: true }, () =>
      socket.end(request.repeat(count)),
    );
    let received = '';
    socket.setEncoding('latin1').on('data', (text: string) => {
      received += text;
    });
    socket.on('close', () => resolve(received)).on('error', reject);
  });
  expect(answers.match(/whole/g)).toHaveLength(count);
});

/** What comes back to a client that ends its side right behind `bytes`. */
function halfClose(port: number, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }, () => socket.end(bytes));
    let received = '';
    socket.setEncoding('latin1').on('data', (text: string) => {
      received += text;
    });
    socket.on('close', () => resolve(received)).on('error', reject);
  });
}

it('answers a client that ended its side long before there was an answer, and closes then', async () => {
  const responses: ServerResponse[] = [];
  const { listener } = await start((request, response) => {
    responses.push(response);
    // the end of the client's side is seen, and the answer comes in a later turn
    request.socket.once('end', () =>
      setImmediate(() => {
        for (const each of responses.splice(0)) each.writeHead(200, { 'content-length': 5 }).end('later');
      }),
    );
  });
  const get = 'GET / HTTP/1.1\r\nhost: x\r\n\r\n';
  const answer = await halfClose(listener.port, get);
  expect(answer).toMatch(/^HTTP\/1.1 200 OK\r\n.*\r\n\r\nlater$/s);
});

it('closes the connection of a client that ends its side between two requests', async () => {
  const { listener } = await start((_request, response) => void response.end('x'));
  expect(await halfClose(listener.port, '')).toBe('');
});

it('notices that a client which ended its side is gone, by what it does not take', async () => {
  const closed = Promise.withResolvers<void>();
  const { listener } = await start((request, response) => {
    response.once('close', closed.resolve);
    response.writeHead(200, { 'content-length': 1024 * 1024 * 1024 });
    const send = () => {
      if (!response.destroyed) response.write(Buffer.alloc(65_536), send);
    };
    request.socket.once('end', () => setImmediate(send));
  });
  const socket = connect(listener.port, '127.0.0.1', () => {
    socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
    socket.destroySoon();
  });
  await closed.promise;
});

it.each([
  ['a websocket', 'connection: Upgrade\r\nupgrade: websocket\r\nsec-websocket-key: x\r\n', ''],
  ['h2c', 'connection: upgrade, http2-settings\r\nupgrade: h2c\r\nhttp2-settings: AAMAAABk\r\n', ''],
  ['h2c with a body', 'connection: upgrade\r\nupgrade: h2c\r\ncontent-length: 5\r\n', 'hello'],
])('answers an offer of %s as an ordinary request and closes', async (_, fields, body) => {
  const asked: (string | undefined)[] = [];
  const { listener } = await start((request, response) => {
    asked.push(request.url);
    response.writeHead(200, { 'content-length': 5 }).end('whole');
  });
  const get = (path: string, more = '') => `GET ${path} HTTP/1.1\r\nhost: x\r\n${more}\r\n`;
  const answers = await exchange(listener.port, get('/1') + get('/2', fields) + body + get('/3'));
  expect(asked).toEqual(['/1', '/2']);
  expect(answers.match(/^connection: \S+/gim)).toEqual(['Connection: keep-alive', 'Connection: close']);
  expect(answers).toMatch(/whole$/);
});

it('keeps a connection whose request names another protocol without offering it (RFC 9110 §7.8)', async () => {
  const { listener } = await start((_request, response) => void response.end('x'));
  const get = (more: string) => `GET / HTTP/1.1\r\nhost: x\r\n${more}\r\n`;
  const answers = await exchange(listener.port, get('upgrade: h2c\r\n') + get('connection: close\r\n'));
  expect(answers.match(/HTTP\/1.1 200/g)).toHaveLength(2);
});

const tunnel = 'CONNECT a.test:443 HTTP/1.1\r\nhost: a.test:443\r\n\r\n';

it('answers CONNECT, on a new connection and on a kept one', async () => {
  const { listener } = await start(
    (_request, response) => void DirectAnswer.begin(response, 200, wholeHead)?.endWith('whole'),
    answerWith,
  );
  expect(await exchange(listener.port, `${tunnel}hello`)).toBe('answer: tunnel');
  const kept = `GET / HTTP/1.1\r\nhost: x\r\n\r\n${tunnel}`;
  expect(await exchange(listener.port, kept)).toBe(`${wholeHead}wholeanswer: tunnel`);
});

it.each([
  ['one', 1],
  ['more than are read at once', 40],
])(
  'answers the requests before CONNECT whole (%s), then CONNECT, and nothing behind it',
  async (_, count) => {
    const begun: (string | undefined)[] = [];
    const { listener } = await start((request, response) => {
      begun.push(request.url);
      response.writeHead(200, { 'content-length': 10 });
      response.write('begun');
      // not before everything that was sent has been read
      setImmediate(() => setImmediate(() => response.end('ended')));
    }, answerWith);
    const gets = Array.from({ length: count }, (_, number) => `GET /${number} HTTP/1.1\r\nhost: x\r\n\r\n`);
    const answers = await exchange(listener.port, `${gets.join('')}${tunnel}GET /behind HTTP/1.1\r\n\r\n`);
    expect(answers.match(/\r\n\r\nbegunended/g)).toHaveLength(count);
    expect(answers).toMatch(/begunendedanswer: tunnel$/);
    expect(begun).toEqual(gets.map((_, number) => `/${number}`));
  },
);

it('drains while CONNECT waits behind a request, and frees that request', async () => {
  const asked = Promise.withResolvers<ServerResponse>();
  const { listener } = await start((_request, response) => asked.resolve(response));
  const socket = connect(listener.port, '127.0.0.1', () =>
    socket.write(`GET / HTTP/1.1\r\nhost: x\r\n\r\n${tunnel}`),
  );
  socket.on('error', () => undefined);
  const response = await asked.promise;
  const closed = once(response, 'close');
  await new Promise(resolve => setImmediate(() => setImmediate(resolve)));
  await listener.drain(10);
  await closed;
});

it('says 100 Continue in its turn, never inside of an answer', async () => {
  const { listener } = await start((request, response) => {
    // when both have been read
    if (request.headers.expect === undefined) setImmediate(() => response.end('first'));
    else response.writeHead(200, { 'content-length': 5, date: 'now' }).end(Buffer.from('whole'));
  });
  const get = (more: string) => `GET / HTTP/1.1\r\nhost: x\r\n${more}\r\n`;
  const answers = await exchange(
    listener.port,
    get('') + get('expect: 100-continue\r\nconnection: close\r\n'),
  );
  expect(answers).toMatch(/first/);
  expect(answers).toMatch(/whole$/);
  expect(answers.lastIndexOf('100 Continue')).toBeLessThan(answers.lastIndexOf('200 OK'));
});

it('leaves other expectations to the handler, in turn', async () => {
  const { listener } = await start((request, response) => {
    response.writeHead(request.headers.expect ? 417 : 200).end('handled');
  });
  const get = (more: string) => `GET / HTTP/1.1\r\nhost: x\r\n${more}\r\n`;
  const answers = await exchange(listener.port, get('') + get('expect: a-miracle\r\nconnection: close\r\n'));
  expect(Array.from(answers.matchAll(/HTTP\/1.1 (\d+)/g), ([, status]) => status)).toEqual(['200', '417']);
  expect(answers.match(/handled/g)).toHaveLength(2);
});

it.each([
  ['another request', 'GET /behind HTTP/1.1\r\nhost: x\r\n\r\n'],
  ['many requests', 'GET /behind HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(100)],
  ['garbage', 'garbage\r\n\r\n'],
])('answers an expectation that is refused last, with %s behind it', async (_, behind) => {
  const paths: (string | undefined)[] = [];
  const { listener } = await start((request, response) => {
    paths.push(request.url);
    const isRefused = request.headers.expect !== undefined;
    if (isRefused) response.shouldKeepAlive = false;
    setImmediate(() => response.writeHead(isRefused ? 417 : 200).end(`answer to ${request.url}`));
  });
  const expecting = 'GET /expecting HTTP/1.1\r\nhost: x\r\nexpect: a-miracle\r\n\r\n';
  for (const before of ['', 'GET /before HTTP/1.1\r\nhost: x\r\n\r\n']) {
    const answers = await exchange(listener.port, before + expecting + behind);
    expect(answers).toMatch(/HTTP\/1.1 417 .*answer to \/expecting\s*(0\s*)?$/s);
    expect(answers.match(/^HTTP/gm)).toHaveLength(before === '' ? 1 : 2);
  }
  expect(paths).toEqual(['/expecting', '/before', '/expecting']);
});

it('says 100 Continue to a client that waits for it', async () => {
  const { listener } = await start((_request, response) => void response.end('done'));
  const expecting = 'GET / HTTP/1.1\r\nhost: x\r\nexpect: 100-continue\r\nconnection: close\r\n\r\n';
  expect(await exchange(listener.port, expecting)).toMatch(/^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 200 OK/);
});

it('answers requests in order and the one with a body that nobody takes last, without reading on', async () => {
  const paths: string[] = [];
  const { listener } = await start((request, response) => {
    paths.push(request.url ?? '');
    setImmediate(() => response.end(`answer to ${request.url}`));
  });
  const get = (path: string, more = '') => `GET ${path} HTTP/1.1\r\nhost: x\r\n${more}\r\n`;
  const body = `${'1\r\nx\r\n'.repeat(1_000)}0\r\n\r\n`;
  const answers = await exchange(
    listener.port,
    get('/one') + get('/two') + get('/three', 'transfer-encoding: chunked\r\n') + body + get('/behind'),
  );
  expect(paths).toEqual(['/one', '/two', '/three']);
  expect(answers.match(/answer to \/[a-z]+/g)).toEqual([
    'answer to /one',
    'answer to /two',
    'answer to /three',
  ]);
  expect(answers.match(/connection: \S+/gi)).toEqual([
    'Connection: keep-alive',
    'Connection: keep-alive',
    'Connection: close',
  ]);
});

it('does not ask for a body that nobody takes (RFC 9110 §10.1.1)', async () => {
  const { listener } = await start((_request, response) => void response.end('done'));
  const expecting = 'PUT / HTTP/1.1\r\nhost: x\r\nexpect: 100-continue\r\ncontent-length: 1000000\r\n\r\n';
  expect(await exchange(listener.port, expecting)).toMatch(/^HTTP\/1.1 200 OK\r\n/);
});

it('reads no more than the answer needs of connections that send bodies which nobody takes', async () => {
  const sockets: Socket[] = [];
  const { listener } = await start((request, response) => {
    sockets.push(request.socket);
    response.end('done');
  });
  const chunks = '1\r\nx\r\n'.repeat(400_000);
  const answer = await exchange(
    listener.port,
    `GET / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n${chunks}`,
  ).catch(() => 'reset');
  expect(answer).toMatch(/done$|^reset$/);
  expect(sockets[0]?.bytesRead).toBeLessThan(512 * 1024);
});

it('closes a kept-alive connection when it drains', async () => {
  const { listener } = await start((_request, response) => void response.end('x'));
  const closed = new Promise<void>(resolve => {
    const socket = connect(listener.port, '127.0.0.1', () =>
      socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n'),
    );
    socket.once('data', () => void listener.drain(60_000));
    socket.once('close', resolve);
  });
  await closed;
});

it('takes more connections while it covers another, and lets their answers finish when it drains', async () => {
  const waiting: ServerResponse[] = [];
  const all = Promise.withResolvers<void>();
  const handle: RequestHandler = (_request, response) => {
    if (waiting.push(response as ServerResponse) === 16) all.resolve();
  };
  const { listener } = await start(handle, undefined, defaultLimits, true);
  listener.cover(true);
  listener.cover(true);
  // they listen in the next turn
  await new Promise(resolve => setImmediate(resolve));
  const get = 'GET / HTTP/1.1\r\nhost: x\r\n\r\n';
  const answers = Promise.all(Array.from({ length: 16 }, () => exchange(listener.port, get)));
  await all.promise;
  listener.cover(false);
  let isDrained = false;
  const drained = listener.drain(10_000).then(() => {
    isDrained = true;
  });
  const own = waiting.splice(0, 1);
  for (const response of own) response.end('done');
  for (let turn = 0; turn < 100; turn++) await new Promise(resolve => setImmediate(resolve));
  expect(isDrained).toBe(false);
  for (const response of waiting) response.end('done');
  for (const answer of await answers) expect(answer).toMatch(/done/);
  await drained;
  await expect(exchange(listener.port, get)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
});

it('ends a drain within its limit, though it covers another listener and connections are still to be accepted', async () => {
  const { listener } = await start(() => undefined, undefined, defaultLimits, true);
  listener.cover(true);
  await new Promise(resolve => setImmediate(resolve));
  // a turn of the event loop accepts one of them at each socket
  const ended = Array.from({ length: 400 }, () =>
    exchange(listener.port, 'GET / HTTP/1.1\r\nhost: x\r\n\r\n').catch(() => ''),
  );
  await listener.drain(0);
  expect(new Set(await Promise.all(ended))).toEqual(new Set(['']));
});

/** Connections that the kernel has set up and the listener has not accepted yet. */
async function connectSoon(port: number): Promise<Promise<string>[]> {
  const request = 'GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n';
  const answers = Array.from({ length: 30 }, () => exchange(port, request).catch(() => 'reset'));
  await new Promise<void>(resolve => process.nextTick(resolve));
  return answers;
}

it('answers connections that are still to be accepted when it drains', async () => {
  const { listener } = await start((_request, response) => void response.end('answered'));
  const answers = await connectSoon(listener.port);
  const drained = listener.drain(60_000);
  for (const answer of await Promise.all(answers)) expect(answer).toMatch(/answered$/);
  await drained;
});

it('ends a drain within its limit though connections are still to be accepted', async () => {
  const { listener } = await start(() => undefined);
  const answers = await connectSoon(listener.port);
  await listener.drain(0);
  for (const answer of await Promise.all(answers)) expect(answer).toMatch(/^(reset)?$/);
});

it('drains no connection whose client has not taken its answer yet', async () => {
  const bytes = Buffer.alloc(32 * 1024 * 1024);
  const answered = Promise.withResolvers<void>();
  const { listener } = await start((_request, response) => {
    response.writeHead(200, { 'content-length': bytes.length });
    new StandardAnswer(response).endWith(bytes);
    answered.resolve();
  });
  const socket = connect(listener.port, '127.0.0.1', () =>
    socket.write('GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n'),
  );
  socket.pause();
  await answered.promise;
  const drained = listener.drain(60_000);
  let received = 0;
  socket.on('data', chunk => {
    received += chunk.length;
  });
  const closed = once(socket, 'close');
  socket.resume();
  await drained;
  await closed;
  expect(received).toBeGreaterThan(bytes.length);
});
