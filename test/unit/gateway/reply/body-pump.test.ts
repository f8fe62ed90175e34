import { Agent, createServer, get, IncomingMessage, type Server, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../../src/base/clock.ts';
import type { ContentReader, Loan } from '../../../../src/cache/content.ts';
import { BodyPump, type PumpOutcome } from '../../../../src/gateway/reply/body-pump.ts';
import { PendingSends } from '../../../../src/gateway/reply/pending-sends.ts';
import { type Answer, DirectAnswer, StandardAnswer } from '../../../../src/transport/answer.ts';

const pieceBytes = 100_000;

/** Gives pieces of memory, each filled with its number, and counts what is lent and not given back. */
class CountingReader implements ContentReader {
  readonly #pieces: number;
  given = 0;
  lent = 0;
  mostLent = 0;
  closed = 0;
  /** What comes in place of a piece, by its number. */
  readonly instead = new Map<number, () => Loan | undefined | Promise<Loan | undefined>>();

  constructor(pieces: number) {
    this.#pieces = pieces;
  }

  next(): Loan | undefined | Promise<Loan | undefined> {
    const number = this.given++;
    const other = this.instead.get(number);
    if (other) return other();
    if (number >= this.#pieces) return undefined;
    return number % 2 === 0 ? this.loan(number) : Promise.resolve(this.loan(number));
  }

  loan(number: number): Loan {
    this.lent++;
    this.mostLent = Math.max(this.mostLent, this.lent);
    return { bytes: Buffer.alloc(pieceBytes, number), slot: 0, release: () => this.lent-- };
  }

  close(): void {
    this.closed++;
  }
}

const sends = new PendingSends(systemClock, { holds: () => 0, claimNeed: () => false });
let server: Server;
let handle: (response: ServerResponse) => void;
/** Kept connections take answers themselves; over others they go through the response. */
let agent: Agent;
let isKept: boolean;

/** Begins an answer of `lengthBytes` in the way that its connection wants. */
function begin(response: ServerResponse, lengthBytes: number): Answer {
  const head = `HTTP/1.1 200 OK\r\ncontent-length: ${lengthBytes}\r\nConnection: keep-alive\r\n\r\n`;
  const direct = DirectAnswer.begin(response, 200, head);
  expect(direct !== undefined).toBe(isKept);
  if (direct) return direct;
  response.writeHead(200, { 'content-length': lengthBytes });
  return new StandardAnswer(response);
}

beforeEach(async () => {
  server = createServer((_request, response) => handle(response));
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
});

afterEach(() => {
  agent.destroy();
  return new Promise(resolve => server.close(resolve));
});

/** Answers one request with what `reader` gives; how that ended, here and for the client. */
async function pumped(
  reader: CountingReader,
  lengthBytes: number,
  whileReading?: (answer: IncomingMessage) => void,
) {
  const end = Promise.withResolvers<PumpOutcome>();
  let pump: BodyPump | undefined;
  handle = response => {
    pump = new BodyPump(response, begin(response, lengthBytes), reader, lengthBytes, {
      sends,
      onEnd: end.resolve,
    });
    pump.start(undefined);
  };
  const body = received(whileReading);
  const ended = await end.promise;
  return { ended, body: await body, sentBytes: pump?.sentBytes };
}

/** The body that a client gets; undefined when it is cut off. */
function received(whileReading?: (answer: IncomingMessage) => void): Promise<Buffer | undefined> {
  const address = server.address();
  if (!address || typeof address === 'string') throw new Error('not listening');
  return new Promise(resolve => {
    const asked = get({ host: '127.0.0.1', port: address.port, agent }, answer => {
      const chunks: Buffer[] = [];
      answer.on('data', chunk => chunks.push(chunk));
      answer.on('end', () => resolve(Buffer.concat(chunks)));
      answer.on('error', () => resolve(undefined));
      answer.on('close', () => resolve(undefined));
      whileReading?.(answer);
    });
    asked.on('error', () => resolve(undefined));
  });
}

describe.each([
  ['to the connection itself', true],
  ['through the response', false],
])('%s', (_way, keepAlive) => {
  beforeEach(() => {
    isKept = keepAlive;
    agent = new Agent({ keepAlive });
  });

  it('sends one loan after the other and gives each back when the socket has taken it', async () => {
    const reader = new CountingReader(20);
    const { ended, body, sentBytes } = await pumped(reader, 20 * pieceBytes);
    expect(ended).toEqual({ kind: 'sent' });
    expect(sentBytes).toBe(20 * pieceBytes);
    expect(body?.length).toBe(20 * pieceBytes);
    for (let number = 0; number < 20; number++) expect(body?.[number * pieceBytes]).toBe(number);
    expect(reader).toMatchObject({ lent: 0, mostLent: 1, closed: 1 });
  });

  it('begins with what its caller has taken already', async () => {
    const reader = new CountingReader(2);
    const end = Promise.withResolvers<PumpOutcome>();
    handle = response => {
      const answer = begin(response, 3 * pieceBytes);
      new BodyPump(response, answer, reader, 3 * pieceBytes, { sends, onEnd: end.resolve }).start(
        reader.loan(9),
      );
    };
    const body = await received();
    expect(await end.promise).toEqual({ kind: 'sent' });
    expect(body?.[0]).toBe(9);
    expect(body?.[pieceBytes]).toBe(0);
  });

  it.each<[string, () => Promise<Loan | undefined> | undefined]>([
    ['cannot be had any more', () => Promise.reject(new Error('gone'))],
    ['ends before its length', () => undefined],
    [
      'cannot even be asked for',
      () => {
        throw new Error('gone');
      },
    ],
  ])('law 2: a body that %s is cut off, neither padded nor ended short', async (_, instead) => {
    const reader = new CountingReader(20);
    reader.instead.set(3, instead);
    const { ended, body } = await pumped(reader, 20 * pieceBytes);
    expect(ended.kind).toBe('failed');
    expect(body).toBeUndefined();
    expect(reader).toMatchObject({ lent: 0, closed: 1 });
  });

  it('nothing stays lent to a client that leaves, nor what arrives for it afterwards', async () => {
    const reader = new CountingReader(20);
    const late = Promise.withResolvers<Loan | undefined>();
    reader.instead.set(3, () => late.promise);
    const { ended } = await pumped(reader, 20 * pieceBytes, answer =>
      answer.once('data', () => answer.destroy()),
    );
    expect(ended).toEqual({ kind: 'client-left' });
    expect(reader).toMatchObject({ lent: 0, closed: 1 });
    late.resolve(reader.loan(3));
    await late.promise;
    expect(reader).toMatchObject({ lent: 0, closed: 1 });
  });

  it('gives others their turn while a fast client takes a long body', async () => {
    const lengthBytes = 100 * pieceBytes;
    const reader = new CountingReader(100);
    const end = Promise.withResolvers<PumpOutcome>();
    let turns = 0;
    const count = () => {
      turns++;
      if (!reader.closed) setImmediate(count);
    };
    handle = response => {
      new BodyPump(response, begin(response, lengthBytes), reader, lengthBytes, {
        sends,
        onEnd: end.resolve,
      }).start(undefined);
      setImmediate(count);
    };
    const body = await received();
    expect(await end.promise).toEqual({ kind: 'sent' });
    expect(body?.length).toBe(lengthBytes);
    expect(turns).toBeGreaterThan(3);
  });
});

/** Takes all at once, as the connection of a fast client does. */
class FastAnswer implements Answer {
  readonly #sizes: number[];

  constructor(sizes: number[]) {
    this.#sizes = sizes;
  }

  endWith(): void {
    throw new Error('bodies in pieces end without one');
  }

  write(bytes: Buffer): boolean {
    this.#sizes.push(bytes.length);
    return true;
  }

  end(): void {}
}

it('many answers together send no more in a turn of the event loop than one', async () => {
  const together = new PendingSends(systemClock, { holds: () => 0, claimNeed: () => false });
  const sizes: number[] = [];
  const ends: PumpOutcome[] = [];
  const readers = Array.from({ length: 40 }, () => new CountingReader(20));
  for (const reader of readers) {
    const response = new ServerResponse(new IncomingMessage(new Socket()));
    const onEnd = (end: PumpOutcome) => ends.push(end);
    const answer = new FastAnswer(sizes);
    new BodyPump(response, answer, reader, 20 * pieceBytes, { sends: together, onEnd }).start(undefined);
  }
  const mostBytes = 2 * 1024 * 1024 + pieceBytes;
  for (let turn = 0; ends.length < readers.length && turn < 1000; turn++) {
    expect(sizes.splice(0).length * pieceBytes).toBeLessThan(mostBytes);
    await new Promise<void>(resolve => setImmediate(resolve));
  }
  expect(ends).toEqual(readers.map(() => ({ kind: 'sent' })));
  expect(readers.every(({ lent, closed }) => lent === 0 && closed === 1)).toBe(true);
});

it('gives back what waits for its turn when the client leaves', async () => {
  const together = new PendingSends(systemClock, { holds: () => 0, claimNeed: () => false });
  const ends: PumpOutcome[] = [];
  const readers = Array.from({ length: 40 }, () => new CountingReader(20));
  const responses = readers.map(reader => {
    const response = new ServerResponse(new IncomingMessage(new Socket()));
    const onEnd = (end: PumpOutcome) => ends.push(end);
    new BodyPump(response, new FastAnswer([]), reader, 20 * pieceBytes, { sends: together, onEnd }).start(
      reader.loan(0),
    );
    return response;
  });
  expect(readers.filter(({ lent }) => lent === 1).length).toBeGreaterThan(10);
  for (const response of responses) response.emit('close');
  // some of the next pieces come with a promise
  await Promise.resolve();
  expect(readers.map(({ lent }) => lent)).toEqual(readers.map(() => 0));
  expect(ends).toContainEqual({ kind: 'client-left' });
});

it('gives back what the connection has not taken when the client leaves, once', () => {
  const reader = new CountingReader(20);
  const ends: PumpOutcome[] = [];
  const response = new ServerResponse(new IncomingMessage(new Socket()));
  let onTaken: () => void = () => undefined;
  const answer: Answer = {
    ...{ endWith: () => undefined, end: () => undefined },
    write: (_bytes, taken) => {
      onTaken = taken;
      return false;
    },
  };
  const pump = new BodyPump(response, answer, reader, 20 * pieceBytes, {
    sends,
    onEnd: end => void ends.push(end),
  });
  pump.start(undefined);
  expect(reader).toMatchObject({ lent: 1, closed: 0 });
  response.emit('close');
  expect(reader).toMatchObject({ lent: 0, closed: 1 });
  onTaken();
  response.emit('close');
  expect(reader).toMatchObject({ given: 1, lent: 0, closed: 1 });
  expect(pump.sentBytes).toBe(0);
  expect(ends).toEqual([{ kind: 'client-left' }]);
});
