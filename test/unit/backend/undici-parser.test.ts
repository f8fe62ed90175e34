/**
 * What ReadBuffer relies on in undici: when it gives undici memory that the next read overwrites, undici must have done
 * with it by then. The argument, to be made anew when one of these fails with another version of undici:
 *
 * 1. What `socket.read()` returns is parsed at once, before anything else is read.
 * 2. Of bytes that are all body, undici makes one view for `onResponseData` and keeps nothing.
 * 3. Names and values of fields are kept as views of what was parsed: so nothing else may lie in the shared memory.
 */
import type { Socket } from 'node:net';
import { Client, type Dispatcher } from 'undici';
import { afterEach, expect, it } from 'vitest';
import { ReadBuffer } from '../../../src/backend/read-buffer.ts';
import { RawOrigin } from '../../support/raw-origin.ts';

type Event =
  | { readonly kind: 'read' | 'data'; readonly bytes: Buffer }
  | { readonly kind: 'head'; readonly fields: readonly Buffer[] };

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
        if (fields[0]?.toString() === 'Content-Length') body = readBuffer.expectBody(Number(fields[1]));
      },
      onResponseData: (_controller, bytes) => {
        seen.push({ kind: 'data', bytes });
        body?.parsed(bytes);
      },
      onResponseEnd: () => resolve(),
      onResponseError: (_controller, error) => reject(error),
    };
    client.dispatch({ method: 'GET', path: '/' }, handler);
  });
  return seen;
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
    while (readBytes(seen) < writtenBytes && !connection.destroyed)
      await new Promise(resolve => setImmediate(resolve));
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

it('an answer in chunks is never parsed in shared memory', async () => {
  const chunked = Buffer.from(
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;x=y\r\nhello\r\n0\r\na: b\r\n\r\n',
  );
  const seen = await events([chunked.subarray(0, 50), chunked.subarray(50)]);
  expect(seen.some(event => event.kind === 'read' && isShared(event.bytes))).toBe(false);
});
