import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type StoreCall, StoreError, type StoreReceiver } from '../../../../src/backend/store.ts';
import { Metrics } from '../../../../src/base/metrics.ts';
import { passThrough } from '../../../../src/gateway/pass/pass-through.ts';
import { ExchangeObserver } from '../../../../src/gateway/reply/exchange-observer.ts';
import { PendingSends } from '../../../../src/gateway/reply/pending-sends.ts';
import { Admission } from '../../../../src/gateway/request/admission.ts';
import { Exchange } from '../../../../src/gateway/request/exchange.ts';
import { accessLogTo } from '../../../support/access-log-to.ts';
import { anyRate } from '../../../support/any-rate.ts';
import { httpHeader } from '../../../support/asked-ranges.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { bucketOf, silentStore } from '../../../support/object-reads.ts';

const request = { method: 'GET', bucket: 'b', key: 'k', query: '', fields: [] };
const options = { mayKnowMissing: true, detail: 'unkeepable', keep: () => true, overrides: [] };
const whole = 'the whole body';
let server: Server;
let client: Socket;
let exchange: Exchange;
let observer: ExchangeObserver;
let logged: unknown[];
/** What the store's call was told to do. */
let did: string[];
let call: StoreCall;
/** Why the answer was refused or cut off. */
let refused: unknown;

beforeEach(async () => {
  const lines: unknown[] = [];
  const steps: string[] = [];
  logged = lines;
  did = steps;
  call = {
    pause: () => steps.push('pause'),
    resume: () => steps.push('resume'),
    took: lengthBytes => steps.push(`took ${lengthBytes}`),
    abort: () => steps.push('abort'),
  };
  const clock = new ManualClock();
  const accessLog = accessLogTo(line => void lines.push(JSON.parse(line)));
  observer = new ExchangeObserver({
    ...{ metrics: new Metrics(), clock, accessLog },
    rates: anyRate,
    admission: new Admission({
      urlBytes: 1,
      requests: 1,
      requestsPerAddress: 1,
      requestsPerAccessKey: 1,
      connectionsPerAccessKey: 10_000,
    }),
    sends: new PendingSends(clock, { holds: () => 0, claimNeed: () => false }),
    onArchivedRead: () => undefined,
  });
  server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const requested = once(server, 'request');
  client = connect(port, '127.0.0.1');
  client.on('error', () => undefined).setEncoding('latin1');
  client.write('GET /b/k HTTP/1.1\r\nhost: h\r\nconnection: close\r\n\r\n');
  const [, response]: ServerResponse[] = await requested;
  if (!response) throw new Error('no response');
  const refuse = (one: Exchange, error: unknown) => {
    refused = error;
    if (one.response.headersSent) one.response.destroy();
    else one.response.end();
  };
  const errors = { refuse, fault: refuse };
  refused = undefined;
  exchange = new Exchange(response, 'GET', '/b/k', 0, 'id', 'id2', { now: 'today' }, errors);
});

afterEach(() => {
  client.destroy();
  return new Promise(resolve => server.close(resolve));
});

/** Passes the request on to a store that answers with `during` before `send` returns; gives what the store tells. */
function pass(during: (receiver: StoreReceiver) => void = () => undefined): StoreReceiver {
  let receiver: StoreReceiver | undefined;
  const send = (_: unknown, heard: StoreReceiver) => {
    receiver = heard;
    during(heard);
    return call;
  };
  passThrough(exchange, bucketOf({ ...silentStore, send }), request, observer, options);
  if (!receiver) throw new Error('the store was not asked');
  return receiver;
}

function answer(receiver: StoreReceiver, text: string): void {
  const length = httpHeader('content-length', String(whole.length));
  receiver.answered({ status: 200, fields: [length] });
  const chunk = Buffer.from(text);
  receiver.arrived(chunk);
  // the memory is the receiver's only during the call
  chunk.fill(0xee);
}

async function received(): Promise<string> {
  let text = '';
  for await (const piece of client) text += piece;
  return text.slice(text.indexOf('\r\n\r\n') + 4);
}

async function leave(): Promise<void> {
  const closed = once(exchange.response, 'close');
  client.destroy();
  await closed;
}

it('a client that leaves in the middle of the body: its log line says so, and the store stops', async () => {
  answer(pass(), 'the whole');
  await once(client, 'data');
  await leave();
  expect(logged).toMatchObject([{ status: 200, bytes: 9, cache: 'BYPASS', clientLeft: true }]);
  expect(did).toEqual(['abort']);
});

it('a client that leaves before the store answers: its log line says so, and the store stops', async () => {
  pass();
  await leave();
  expect(logged).toMatchObject([{ status: 0, bytes: 0, clientLeft: true }]);
  expect(did).toEqual(['abort']);
});

it('a client that left before the store is asked: its log line says so, and the store is not asked', async () => {
  await leave();
  expect(() => pass()).toThrow('the store was not asked');
  expect(logged).toMatchObject([{ bytes: 0, clientLeft: true }]);
});

it('a client that stays gets the whole body, and its log line does not say that it left', async () => {
  const receiver = pass();
  answer(receiver, 'the whole');
  receiver.arrived(Buffer.from(' body'));
  receiver.ended();
  expect(await received()).toBe(whole);
  expect(logged).toHaveLength(1);
  expect(logged).toMatchObject([{ status: 200, bytes: whole.length }]);
  expect(logged[0]).not.toHaveProperty('clientLeft');
  expect(did).toEqual([]);
});

it('bytes that arrive before the call is known reach the client', async () => {
  const receiver = pass(early => answer(early, 'the whole'));
  receiver.arrived(Buffer.from(' body'));
  receiver.ended();
  expect(await received()).toBe(whole);
  expect(logged).toMatchObject([{ status: 200, bytes: whole.length }]);
});

/** A piece that no connection takes at once. */
function answerLong(receiver: StoreReceiver): void {
  receiver.answered({ status: 200, fields: [] });
  receiver.arrived(Buffer.alloc(256 * 1024));
}

it.each([
  ['known before the first bytes', () => answerLong(pass())],
  ['known after the first bytes', () => void pass(answerLong)],
])('the call is paused until the client has taken what came: a call %s', async (_, begin) => {
  begin();
  expect(did).toEqual(['pause']);
  client.resume();
  await once(exchange.response, 'drain');
  expect(did).toEqual(['pause', 'took 262144', 'resume']);
});

/** Answers bytes 0 to 9 of 700, in chunks unless it has a length; Node makes one chunk of what is written in a turn. */
function answerRange(receiver: StoreReceiver, pieces: readonly string[], lengthBytes?: number): void {
  const range = httpHeader('content-range', 'bytes 0-9/700');
  const length = lengthBytes === undefined ? [] : [httpHeader('content-length', String(lengthBytes))];
  receiver.answered({ status: 206, fields: [range, ...length] });
  for (const piece of pieces) receiver.arrived(Buffer.from(piece));
}

it.each([
  ['in the same piece', ['01234', '56789of another object']],
  ['in another piece', ['01234', '56789', 'of another object', 'and of others']],
])('a range ends where its head says, whatever follows %s, and the store stops', async (_, pieces) => {
  answerRange(pass(), pieces);
  expect(await received()).toBe('a\r\n0123456789\r\n0\r\n\r\n');
  expect(did).toEqual(['abort']);
  expect(logged).toMatchObject([{ status: 206, bytes: 10 }]);
});

it('a range with more behind it ends also if the store sends that before the call is known', async () => {
  pass(early => answerRange(early, ['0123456789of another object', 'and of others']));
  expect(await received()).toBe('a\r\n0123456789\r\n0\r\n\r\n');
  expect(did).toEqual(['abort']);
});

it('a long range with more behind it ends when the client has taken it', async () => {
  const receiver = pass();
  receiver.answered({ status: 206, fields: [httpHeader('content-range', 'bytes 0-262143/700000')] });
  receiver.arrived(Buffer.alloc(300_000));
  expect(did).toEqual(['pause', 'abort']);
  expect(logged).toEqual([]);
  client.resume();
  await once(exchange.response, 'finish');
  expect(logged).toMatchObject([{ status: 206, bytes: 262_144 }]);
});

it('a whole range is passed on as it is', async () => {
  const receiver = pass();
  answerRange(receiver, ['01234', '56789'], 10);
  receiver.ended();
  expect(await received()).toBe('0123456789');
  expect([did, refused]).toEqual([[], undefined]);
});

it('a whole range behind which the store falls silent is ended', async () => {
  const receiver = pass();
  answerRange(receiver, ['01234', '56789']);
  receiver.failed(new StoreError('TIMEOUT', 'the store sends nothing', undefined));
  expect(await received()).toBe('a\r\n0123456789\r\n0\r\n\r\n');
  expect(refused).toBeUndefined();
});

it('a range that ends early is cut off, not ended: it would look whole', async () => {
  const receiver = pass();
  answerRange(receiver, ['01234']);
  receiver.ended();
  expect(await received()).not.toContain('0\r\n\r\n');
  expect(refused).toMatchObject({ code: 'BROKEN' });
});

it('a range of another length than its head says is refused before its first byte', () => {
  answerRange(pass(), ['0123456789of another object'], 27);
  expect(refused).toMatchObject({ code: 'WRONG_ANSWER' });
  expect(did).toEqual(['abort']);
  expect(exchange.bodyBytes).toBe(0);
});

it('an answer to HEAD has no bytes of the range in its head', () => {
  exchange = new Exchange(
    exchange.response,
    'HEAD',
    '/b/k',
    0,
    'id',
    'id2',
    { now: 'today' },
    {
      refuse: (_, error) => {
        refused = error;
      },
      fault: (_, error) => {
        refused = error;
      },
    },
  );
  const receiver = pass();
  answerRange(receiver, []);
  receiver.ended();
  expect(refused).toBeUndefined();
  expect(exchange.status).toBe(206);
});
