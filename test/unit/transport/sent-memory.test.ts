import { createHash, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Client } from 'undici';
import { expect, it } from 'vitest';
import { SentMemory } from '../../../src/transport/sent-memory.ts';
import { listenLocally } from '../../support/listen-locally.ts';

const pieceBytes = 64 * 1024;
/** More than the system keeps for a connection. */
const stallBytes = 40 * 1024 * 1024;

interface Reading {
  readonly take: (bytes: Buffer) => void;
  /** How much the sender has sent. */
  readonly sent: () => number;
  readonly end: () => void;
}

const newPiece = () => Buffer.from(randomBytes(pieceBytes).buffer);

it('what was read before a pause is freed when the stream goes on, and nothing that was not', async () => {
  const stream = new Readable({ read: () => undefined, highWaterMark: 1024 * 1024 });
  const memory = new SentMemory(stream);
  const pieces = Array.from({ length: 4 }, newPiece);
  let readCount = 0;
  stream.on('data', () => {
    readCount++;
    stream.pause();
  });
  const lengths: number[][] = [];
  for (const piece of pieces) memory.push(piece);
  for (let turn = 0; turn < pieces.length; turn++) {
    while (readCount === turn) await nextTurn();
    lengths.push(pieces.map(({ length }) => length / pieceBytes));
    stream.resume();
  }
  expect(lengths).toEqual([
    [1, 1, 1, 1],
    [0, 1, 1, 1],
    [0, 0, 1, 1],
    [0, 0, 0, 1],
  ]);
});

it('whoever has lent memory is told when all that was passed until then was taken, and not before', async () => {
  const stream = new Readable({ read: () => undefined, highWaterMark: 1024 * 1024 });
  const memory = new SentMemory(stream);
  const told: string[] = [];
  memory.whenTaken(() => told.push('nothing was passed'));
  stream.on('data', () => stream.pause());
  const [first, second] = [newPiece(), newPiece()];
  memory.push(first, true);
  memory.whenTaken(() => told.push('first'));
  memory.push(second, true);
  memory.whenTaken(() => told.push('second'));
  while (!stream.isPaused()) await nextTurn();
  expect(told).toEqual(['nothing was passed']);
  stream.resume();
  await nextTurn();
  expect(told).toEqual(['nothing was passed', 'first']);
  stream.resume();
  await nextTurn();
  expect(told).toEqual(['nothing was passed', 'first', 'second']);
  expect([first.length, second.length]).toEqual([pieceBytes, pieceBytes]);
});

it('what is given out behind a pause that has ended, before the stream tells so, is not taken yet', async () => {
  const stream = new Readable({ read: () => undefined, highWaterMark: 1024 * 1024 });
  const memory = new SentMemory(stream);
  const [first, second] = [newPiece(), newPiece()];
  stream.on('data', () => stream.pause());
  memory.push(first);
  while (!stream.isPaused()) await nextTurn();
  // the stream emits `resume` after this turn, although it is paused again by then
  stream.resume();
  memory.push(second);
  await nextTurn();
  expect([stream.isPaused(), second.length]).toEqual([true, pieceBytes]);
  stream.resume();
  await nextTurn();
  expect([first.length, second.length]).toEqual([0, 0]);
});

it('a part of memory that holds more is not freed', async () => {
  const stream = new Readable({ read: () => undefined, highWaterMark: 1024 * 1024 });
  const memory = new SentMemory(stream);
  const whole = newPiece();
  memory.push(whole.subarray(0, -1));
  stream.once('data', () => stream.pause());
  await nextTurn();
  stream.resume();
  await nextTurn();
  expect(whole.length).toBe(pieceBytes);
});

it('undici has written what it was given before it takes more: all arrives, and memory is freed before the end', async () => {
  const received = createHash('sha256');
  const pieces: Buffer[] = [];
  const server = createServer((request, reply) => {
    readSlowly(request, {
      take: bytes => received.update(bytes),
      sent: () => pieces.length,
      end: () => reply.end(),
    });
  });
  const client = new Client(await listenLocally(server));
  try {
    const sent = createHash('sha256');
    let freed = 0;
    const count = 1500;
    const body = new Readable({
      highWaterMark: pieceBytes,
      read: () => {
        if (pieces.length === count) {
          body.push(null);
          return;
        }
        const piece = newPiece();
        sent.update(piece);
        pieces.push(piece);
        freed = pieces.filter(({ length }) => length === 0).length;
        memory.push(piece);
      },
    });
    const memory = new SentMemory(body);
    const answer = await client.request({ path: '/', method: 'PUT', body });
    await answer.body.dump();
    expect(received.digest('hex')).toBe(sent.digest('hex'));
    expect(freed).toBeGreaterThan(count / 2);
  } finally {
    await client.close();
    server.close();
  }
});

/** Stops reading again and again, each time until the sender cannot go on, and writes to what memory has become free. */
function readSlowly(request: IncomingMessage, { take, sent, end }: Reading): void {
  let readBytes = stallBytes;
  request.on('data', (bytes: Buffer) => {
    take(bytes);
    readBytes += bytes.length;
    if (readBytes < stallBytes) return;
    readBytes = 0;
    request.pause();
    void overwriteFreeMemory(sent).then(() => request.resume());
  });
  request.on('end', end);
}

async function overwriteFreeMemory(sent: () => number): Promise<void> {
  const taken: Buffer[] = [];
  let before = -1;
  for (let quietTurns = 0; quietTurns < 20; before = sent()) {
    await nextTurn();
    quietTurns = sent() === before ? quietTurns + 1 : 0;
    if (quietTurns > 0) taken.push(Buffer.alloc(pieceBytes, quietTurns));
  }
}
