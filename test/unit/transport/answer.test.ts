import { once } from 'node:events';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { headerText } from '../../../src/http/header-lines.ts';
import { type Answer, DirectAnswer, StandardAnswer } from '../../../src/transport/answer.ts';

const date = 'Thu, 01 Jan 2026 00:00:00 GMT';
const body = 'twelve b\u00ffte\u0080';
const fields = [
  'etag',
  '"e"',
  'content-disposition',
  'attachment; filename="caf\u00e9"',
  'content-length',
  '12',
];
const emptyHead = 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n';
const cleanups: (() => void)[] = [];

afterEach(() => {
  for (const cleanUp of cleanups.splice(0)) cleanUp();
});

function standard(response: ServerResponse): Answer {
  response.writeHead(200, [...fields, 'Date', date]);
  return new StandardAnswer(response);
}

function direct(response: ServerResponse): Answer {
  const head = `HTTP/1.1 200 OK\r\n${headerText(fields)}Date: ${date}\r\nConnection: keep-alive\r\n\r\n`;
  return DirectAnswer.begin(response, 200, head) ?? standard(response);
}

/** A connection to a server that answers with `handler`. */
async function connected(handler: RequestListener): Promise<Socket> {
  const server = createServer({ keepAliveTimeout: 0 }, handler).listen(0, '127.0.0.1');
  cleanups.push(() => server.close());
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  cleanups.push(() => socket.destroy());
  return socket.setEncoding('latin1');
}

/** Everything that comes back over one connection for `sent`, which ends with a request that closes it. */
async function exchange(handler: RequestListener, sent: string): Promise<string> {
  const socket = await connected(handler);
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

/** Sends `pieces` one after the other, each when the one before has been taken. */
function sendAll(answer: Answer, [piece, ...others]: readonly Buffer[]): void {
  const next = () => sendAll(answer, others);
  if (!piece) answer.end();
  else if (answer.write(piece, next)) next();
}

describe('a direct answer is the bytes that node:http would have sent', () => {
  const bytes = Buffer.from(body, 'latin1');
  const bodies: Record<string, (answer: Answer) => unknown> = {
    text: answer => answer.endWith(body),
    bytes: answer => answer.endWith(bytes),
    'one piece': answer => sendAll(answer, [bytes]),
    'several pieces': answer => sendAll(answer, [bytes.subarray(0, 5), bytes.subarray(5)]),
    'pieces in several turns': answer =>
      answer.write(bytes.subarray(0, 5), () => undefined) &&
      setImmediate(() => sendAll(answer, [bytes.subarray(5)])),
  };
  const requests: Record<string, string> = {
    'one connection for several': get() + get() + last,
    'a connection that closes': last,
    'HTTP/1.0': get('', '1.0'),
    'HTTP/1.0 kept alive': get('connection: keep-alive\r\n', '1.0') + last,
    'a client that expects 100': get('expect: 100-continue\r\n') + last,
    'a request with a body': `${get('content-length: 3\r\n')}abc${last}`,
  };
  for (const [kind, send] of Object.entries(bodies)) {
    it.each(Object.keys(requests))(`${kind}: %s`, async name => {
      const sent = requests[name] ?? '';
      const answers = (begin: (response: ServerResponse) => Answer) =>
        exchange((_request, response) => {
          const answer = begin(response);
          // through the response nothing has been taken in the same turn
          if (kind.includes('turns') && answer instanceof StandardAnswer) sendAll(answer, [bytes]);
          else send(answer);
        }, sent);
      expect(await answers(direct)).toBe(await answers(standard));
    });
  }

  it('no body, to HEAD', async () => {
    const sent = `HEAD / HTTP/1.1\r\nhost: h\r\n\r\n${last}`;
    const answers = (begin: (response: ServerResponse) => Answer) =>
      exchange((request, response) => {
        if (request.method === 'HEAD') begin(response).end();
        else begin(response).endWith(body);
      }, sent);
    expect(await answers(direct)).toBe(await answers(standard));
  });
});

it('begins for a connection that stays, and for no other', async () => {
  const begun: boolean[] = [];
  await exchange((_request, response) => {
    const answer = DirectAnswer.begin(response, 200, emptyHead);
    begun.push(answer !== undefined);
    if (answer) answer.end();
    else response.end();
  }, get() + last);
  expect(begun).toEqual([true, false]);
});

it('does not begin where a head has been written', async () => {
  let begun: unknown = 'not asked';
  await exchange((_request, response) => {
    response.writeHead(200);
    begun = DirectAnswer.begin(response, 200, emptyHead);
    response.end();
    response.socket?.end();
  }, get());
  expect(begun).toBeUndefined();
});

it('does not begin while the answer before it is running', async () => {
  const begun: boolean[] = [];
  const answers = await exchange(
    (request, response) => {
      const answer = DirectAnswer.begin(response, 200, emptyHead);
      begun.push(answer !== undefined);
      if (answer) setImmediate(() => answer.end());
      else response.writeHead(200, { number: request.headers.number }).end();
    },
    get() + get('number: 2\r\n') + get('number: 3\r\nconnection: close\r\n'),
  );
  expect(begun).toEqual([true, false, false]);
  expect(answers.match(/number: \d/g)).toEqual(['number: 2', 'number: 3']);
});

it('does not begin when the client has left', async () => {
  const { promise, resolve } = Promise.withResolvers<unknown>();
  const socket = await connected((_request, response) => {
    response.on('close', () => resolve(DirectAnswer.begin(response, 200, emptyHead)));
    socket.destroy();
  });
  socket.write(get());
  expect(await promise).toBeUndefined();
});

it('shows what was sent, and that it is over', async () => {
  const seen: unknown[] = [];
  await exchange((_request, response) => {
    const see = () => seen.push([response.statusCode, response.headersSent, response.writableEnded]);
    if (seen.length > 0) {
      response.end();
      return;
    }
    see();
    const answer = DirectAnswer.begin(response, 206, emptyHead);
    see();
    answer?.endWith('', {
      onBackpressure: () => seen.push('waits'),
      onDone: isTaken => seen.push(isTaken),
    });
    response.on('finish', see);
    response.on('close', () => seen.push('closed'));
  }, get() + last);
  expect(seen).toEqual([[200, false, false], [206, true, false], [206, true, true], true, 'closed']);
});

it('writes what is whole at the end of the turn', async () => {
  const { promise, resolve } = Promise.withResolvers<number[]>();
  const socket = await connected((_request, response) => {
    const connection = response.socket;
    const written = () => connection?.bytesWritten ?? -1;
    DirectAnswer.begin(response, 200, emptyHead)?.endWith('');
    const before = written();
    setImmediate(() => resolve([before, written()]));
  });
  socket.write(get());
  expect(await promise).toEqual([0, emptyHead.length]);
});

const longBytes = 64 * 1024 * 1024;

describe.each([
  ['piece by piece', false],
  ['whole', true],
])('a client that does not read, sent %s', (_way, isWhole) => {
  /** A long answer to a client that reads nothing yet. */
  async function stalled() {
    const told: string[] = [];
    const { promise, resolve } = Promise.withResolvers<ServerResponse>();
    const socket = await connected((_request, response) => {
      const head = `HTTP/1.1 200 OK\r\ncontent-length: ${longBytes}\r\nConnection: keep-alive\r\n\r\n`;
      const answer = DirectAnswer.begin(response, 200, head);
      response.on('finish', () => told.push('finish'));
      response.on('close', () => told.push('close'));
      const bytes = Buffer.alloc(longBytes);
      if (isWhole)
        answer?.endWith(bytes, {
          onBackpressure: () => told.push('waits'),
          onDone: isTaken => told.push(isTaken ? 'taken' : 'left'),
        });
      else {
        const isTaken = answer?.write(bytes, () => {
          answer.end();
          told.push('taken');
        });
        if (isTaken) told.push('taken at once');
      }
      resolve(response);
    });
    socket.pause();
    socket.write(get());
    const response = await promise;
    await new Promise(turn => setImmediate(turn));
    return { told, socket, response };
  }

  it('gives the bytes back when it has read enough', async () => {
    const { told, socket, response } = await stalled();
    expect(told).toEqual(isWhole ? ['waits'] : []);
    socket.resume();
    await once(response, 'close');
    expect(told).toEqual([...(isWhole ? ['waits'] : []), 'finish', 'taken', 'close']);
  });

  it('and leaves, closes the response, which has not finished', async () => {
    const { told, socket, response } = await stalled();
    socket.destroy();
    await once(response, 'close');
    expect(told).toEqual(isWhole ? ['waits', 'close', 'left'] : ['close']);
    expect(response.writableEnded).toBe(false);
  });
});

it.each(['text', Buffer.from('bytes')])(
  'tells that the client left before the turn ended: %s',
  async body => {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const socket = await connected((_request, response) => {
      const answer = DirectAnswer.begin(response, 200, emptyHead);
      response.socket?.destroy();
      answer?.endWith(body, { onBackpressure: () => undefined, onDone: resolve });
    });
    socket.write(get());
    expect(await promise).toBe(false);
  },
);
