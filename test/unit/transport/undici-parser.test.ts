/**
 * What ReadBuffer relies on in undici: when it gives undici memory that the next read overwrites, undici must have done
 * with it by then. The argument, to be made anew when one of these fails with another version of undici:
 *
 * 1. What `socket.read()` returns is parsed at once, before anything else is read.
 * 2. Of data, undici makes one view for `onResponseData` and keeps nothing.
 * 3. Of the lines between chunks its parser, which works on a copy of its own, tells it nothing.
 * 4. Names and values of fields, trailers too, are kept as views of what was parsed: so nothing of them may lie in the
 *    shared memory.
 * 5. What `BodyFraming` says of chunks is what the parser finds in them.
 *
 * And what OriginCall relies on: when undici ends a body because the connection was reset, the socket tells of the error.
 */
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import fc from 'fast-check';
import { Client, type Dispatcher } from 'undici';
import { afterEach, expect, it } from 'vitest';
import { acceptedSocketOf } from '../../../src/transport/accepted-socket.ts';
import { type BodyEnd, BodyFraming } from '../../../src/transport/body-framing.ts';
import { ReadBuffer } from '../../../src/transport/read-buffer.ts';
import { Llhttp, parserImports } from '../../support/llhttp.ts';
import { ask, RawOrigin } from '../../support/raw-origin.ts';
import { turnsUntil } from '../../support/turns-until.ts';

type Event =
  | { readonly kind: 'read' | 'data'; readonly bytes: Buffer }
  | { readonly kind: 'head' | 'trailers'; readonly fields: readonly Buffer[] };

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanups.splice(0).reverse()) await cleanUp();
});

/** All that undici reads and reports while it takes the answer whose `pieces` are written one after the other. */
async function events(pieces: readonly Buffer[]): Promise<Event[]> {
  const seen: Event[] = [];
  const origin = await RawOrigin.start(
    'http',
    (_path, connection) => void writeAll(connection, pieces, seen),
  );
  const readBuffer = new ReadBuffer();
  const connect = readBuffer.connector({ connectMs: 5_000, lookup: undefined });
  const client = new Client(origin.url, {
    useMilo: false,
    connect: (options, callback) =>
      connect(options, (...[error, socket]) => {
        if (error) return callback(error, null);
        const read = socket.read.bind(socket);
        socket.read = size => {
          const bytes: Buffer | null = read(size);
          if (bytes) seen.push({ kind: 'read', bytes });
          return bytes;
        };
        callback(null, socket);
      }),
  });
  cleanups.push(
    () => origin.close(),
    () => client.destroy(),
  );
  await new Promise<void>((resolve, reject) => {
    let body: ReturnType<ReadBuffer['expectBody']>;
    const handler: Dispatcher.DispatchHandler = {
      onRequestStart: () => undefined,
      onResponseStart: ({ rawHeaders }) => {
        const fields = (rawHeaders as Buffer[]) ?? [];
        seen.push({ kind: 'head', fields });
        body = readBuffer.expectBody(endOf(fields.map(String)));
      },
      onResponseData: (_controller, bytes) => {
        seen.push({ kind: 'data', bytes });
        body?.parsed(bytes);
      },
      onResponseEnd: ({ rawTrailers }) => {
        seen.push({ kind: 'trailers', fields: (rawTrailers as Buffer[]) ?? [] });
        resolve();
      },
      onResponseError: (_controller, error) => reject(error),
    };
    client.dispatch({ method: 'GET', path: '/' }, handler);
  });
  return seen;
}

function endOf([name, value]: readonly string[]): BodyEnd {
  return name === 'Content-Length' ? { kind: 'length', lengthBytes: Number(value) } : { kind: 'chunked' };
}

/** Writes each piece when undici has read the one before. */
async function writeAll(
  connection: Socket,
  pieces: readonly Buffer[],
  seen: readonly Event[],
): Promise<void> {
  let writtenBytes = 0;
  for (const piece of pieces) {
    connection.write(piece);
    writtenBytes += piece.length;
    await turnsUntil('the piece is read', () => readBytes(seen) >= writtenBytes || connection.destroyed);
  }
}

const readBytes = (seen: readonly Event[]) =>
  seen.reduce((sum, event) => (event.kind === 'read' ? sum + event.bytes.length : sum), 0);

const sharedBytes = 256 * 1024;
const isShared = (bytes: Buffer) => bytes.buffer.byteLength === sharedBytes;
const body = Buffer.alloc(600_000, 'body');
const head = Buffer.from(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\nx-field: a value\r\n\r\n`);

it('body bytes in shared memory are handed on at once, in one view of all of them', async () => {
  const seen = await events([head, body]);
  const shared = seen.flatMap((event, index) =>
    event.kind === 'read' && isShared(event.bytes) ? [index] : [],
  );
  expect(shared.length).toBeGreaterThan(0);
  for (const index of shared) expect(seen[index + 1]).toEqual({ ...seen[index], kind: 'data' });
  for (const index of shared) {
    const [read, data] = [seen[index], seen[index + 1]];
    if (read?.kind !== 'read' || data?.kind !== 'data') throw new Error('not handed on');
    expect([data.bytes.buffer, data.bytes.byteOffset]).toEqual([read.bytes.buffer, read.bytes.byteOffset]);
  }
});

it('fields are kept as views of what was parsed, which never lies in shared memory', async () => {
  const seen = await events([head.subarray(0, 30), head.subarray(30), body]);
  const answered = seen.findIndex(event => event.kind === 'head');
  const reads = seen.slice(0, answered).flatMap(event => (event.kind === 'read' ? [event.bytes] : []));
  expect(reads.some(isShared)).toBe(false);
  const fields = seen.flatMap(event => (event.kind === 'head' ? event.fields : []));
  expect(fields.map(String)).toEqual(['Content-Length', String(body.length), 'x-field', 'a value']);
  expect(fields.some(isShared)).toBe(false);
  const views = fields.filter(field => reads.some(read => read.buffer === field.buffer));
  expect(views.length).toBeGreaterThan(0);
});

const chunkedHead = Buffer.from('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n');
const trailers = Buffer.from('0\r\nx-trailer: of-this-answer\r\nx-other: too\r\n\r\n');

it.each([1, 3, 10, 20, 40])(
  'trailers are kept as views, which never lie in shared memory: cut at %i',
  async at => {
    const chunks = Buffer.from('5\r\nhello\r\n6\r\nworld!\r\n');
    const whole = Buffer.concat([chunks, trailers]);
    const seen = await events([
      chunkedHead,
      whole.subarray(0, chunks.length + at),
      whole.subarray(chunks.length + at),
    ]);
    const shared = seen.flatMap(event =>
      event.kind === 'read' && isShared(event.bytes) ? [event.bytes.length] : [],
    );
    expect(shared[0]).toBeGreaterThanOrEqual(chunks.length);
    const fields = seen.flatMap(event => (event.kind === 'trailers' ? event.fields : []));
    expect(fields.map(String)).toEqual(['x-trailer', 'of-this-answer', 'x-other', 'too']);
    expect(fields.some(isShared)).toBe(false);
  },
);

it('chunks behind an extension are not parsed in shared memory', async () => {
  const extended = Buffer.from('5;x=y\r\nhello\r\n5\r\nhello\r\n0\r\na: b\r\n\r\n');
  const seen = await events([chunkedHead, extended]);
  const shared = seen.flatMap(event =>
    event.kind === 'read' && isShared(event.bytes) ? [event.bytes.length] : [],
  );
  expect(shared).toEqual([1]);
  expect(seen.flatMap(event => (event.kind === 'data' ? [String(event.bytes)] : []))).toEqual([
    'hello',
    'hello',
  ]);
});

it('the parser has no callback for the lines between chunks', () => {
  expect(parserImports()).toEqual(
    [
      'body',
      'header_field',
      'header_value',
      'headers_complete',
      'message_begin',
      'message_complete',
      'status',
      'url',
    ].map(name => `wasm_on_${name}`),
  );
});

const line = fc.constantFrom('\r\n', '\r\n', '\r\n', '\r\n', '\n', '\r', ' \r\n', ';a=b\r\n', '\t\r\n', '');
const size = (lengthBytes: number) =>
  fc.constantFrom(
    lengthBytes.toString(16),
    lengthBytes.toString(16).toUpperCase(),
    lengthBytes.toString(16).padStart(4, '0'),
    lengthBytes.toString(16).padStart(16, '0'),
    (lengthBytes + 1).toString(16),
    `+${lengthBytes}`,
    `0x${lengthBytes}`,
    `ffffffffffffffff${lengthBytes}`,
  );
const chunk = fc
  .string({ maxLength: 40 })
  .chain(text =>
    fc
      .tuple(
        fc.oneof({ weight: 4, arbitrary: fc.constant(text.length.toString(16)) }, size(text.length)),
        line,
        line,
      )
      .map(([digits, afterSize, afterData]) => digits + afterSize + text + afterData),
  );
const ending = fc.constantFrom(
  '0\r\n\r\n',
  '000\r\n\r\n',
  '0\r\na: b\r\n\r\n',
  '0\r\n\r\nHTTP/1.1 200 OK\r\n',
  '',
  'g',
);
const chunks = fc.tuple(fc.array(chunk, { maxLength: 6 }), ending).map(([all, end]) => all.join('') + end);

it('what is certain of chunks, however they are spelt, is what the parser finds in them', () => {
  fc.assert(
    fc.property(chunks, fc.array(fc.nat(60), { maxLength: 8 }), (text, lengths) => {
      const parser = new Llhttp();
      parser.execute(chunkedHead);
      const framing = BodyFraming.of({ kind: 'chunked' });
      const wire = Buffer.from(text, 'latin1');
      for (let at = 0, cut = 0; at < wire.length && !framing.isUnknown; cut++) {
        const bytes = wire.subarray(at, at + 1 + (lengths[cut] ?? wire.length));
        const known = framing.follow(bytes);
        const certain = parser.execute(bytes.subarray(0, known.lengthBytes));
        expect(certain).toEqual({ isRight: true, dataBytes: known.dataBytes, fields: 0 });
        at += bytes.length;
      }
    }),
    { numRuns: 3_000 },
  );
});

/** 5 of what may be more bytes, all on their way before `end`. */
const openEnded =
  (status: number, end: (connection: Socket) => void) => (_path: string, connection: Socket) =>
    connection.write(`HTTP/1.1 ${status} Any\r\nconnection: close\r\n\r\nbegun`, () => end(connection));

it.each(['http', 'https'] as const)(
  'a body that ends with its connection (%s) is whole when the connection ends in good order, and broken when it is reset',
  async protocol => {
    let received = Promise.withResolvers<void>();
    const reset = await RawOrigin.start(
      protocol,
      openEnded(200, connection => void received.promise.then(() => resetBelow(connection))),
    );
    const error = await RawOrigin.start(
      protocol,
      openEnded(404, connection => void received.promise.then(() => resetBelow(connection))),
    );
    const orderly = await RawOrigin.start(
      protocol,
      openEnded(200, connection => connection.end()),
    );
    for (const origin of [reset, error]) {
      received = Promise.withResolvers();
      const pool = origin.pool();
      cleanups.push(() => pool.close());
      await expect(ask(pool, '/', () => received.resolve())).rejects.toMatchObject({ code: 'BROKEN' });
    }
    const pool = orderly.pool();
    cleanups.push(
      () => pool.close(),
      () => orderly.close(),
      () => reset.close(),
      () => error.close(),
    );
    expect((await ask(pool, '/')).body.toString()).toBe('begun');
  },
);

function resetBelow(connection: Socket): void {
  const accepted = connection instanceof TLSSocket ? acceptedSocketOf(connection) : connection;
  accepted?.resetAndDestroy();
}
