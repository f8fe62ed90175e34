import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { LineBatches } from '../../../src/base/line-batches.ts';
import { ManualClock } from '../../support/manual-clock.ts';

const KIBIBYTE = 1024;

/** Batches that reach a reader, which reads each when it is told to. */
function started(maxWaitingBytes?: number) {
  const clock = new ManualClock();
  const unread: { readonly lines: Uint8Array; readonly taken: () => void }[] = [];
  const batches = new LineBatches({
    clock,
    send: lines => new Promise<void>(taken => unread.push({ lines, taken })),
    ...(maxWaitingBytes !== undefined && { maxWaitingBytes }),
  });
  const text: string[] = [];
  const read = async (count = unread.length) => {
    for (const { lines, taken } of unread.splice(0, count)) {
      text.push(Buffer.from(lines).toString());
      taken();
    }
    await Promise.resolve();
  };
  return { batches, clock, unread, read, text: () => text.join('') };
}

const lineOf = (index: number, length = 400) => `${index} ä€😀${'x'.repeat(length)}\n`;

it('passes on lines a tenth of a second after the first at the latest, and at once when flushed', async () => {
  const { batches, clock, unread, read, text } = started();
  batches.write('a\n');
  clock.advance(99);
  batches.write('b\n');
  expect(unread).toHaveLength(0);
  clock.advance(1);
  expect(unread).toHaveLength(1);
  batches.write('c\n');
  batches.flush();
  batches.flush();
  clock.advance(1_000);
  expect(unread).toHaveLength(2);
  await read();
  expect(text()).toBe('a\nb\nc\n');
});

it('loses no line and none of its bytes, in whole batches and in their order, with memory that is used again', async () => {
  const { batches, unread, read, text } = started();
  const memories = new Set<ArrayBufferLike>();
  const expected: string[] = [];
  for (let index = 0; index < 10_000; index++) {
    const line = lineOf(index, index % 700);
    expected.push(line);
    batches.write(line);
    for (const { lines } of unread) {
      expect(lines.at(-1)).toBe(0x0a);
      if (lines.buffer instanceof SharedArrayBuffer) memories.add(lines.buffer);
    }
    if (unread.length > 1) await read();
  }
  batches.flush();
  await read();
  expect(text()).toBe(expected.join(''));
  expect(memories.size).toBeLessThanOrEqual(4);
});

it('passes on a line that is longer than a batch', async () => {
  const { batches, read, text } = started();
  const long = lineOf(2, 300 * KIBIBYTE);
  batches.write(lineOf(1));
  batches.write(long);
  batches.write(lineOf(3));
  batches.flush();
  await read();
  expect(text()).toBe(lineOf(1) + long + lineOf(3));
});

it('keeps no memory that is larger than a batch for the next lines', async () => {
  const { batches, unread, read } = started();
  // three bytes each
  batches.write('€'.repeat(100 * KIBIBYTE));
  batches.flush();
  await read();
  for (let pieces = 0; pieces < 50; pieces++) batches.write('x'.repeat(4 * KIBIBYTE));
  batches.flush();
  expect(unread[0]?.lines.buffer.byteLength).toBe(256 * KIBIBYTE);
});

it('has the memory of lines again whose reader has gone', async () => {
  const batches = new LineBatches({
    ...{ clock: new ManualClock(), maxWaitingBytes: 1 * KIBIBYTE },
    send: () => Promise.reject(new Error('gone')),
  });
  for (let index = 0; index < 10; index++) {
    batches.write(lineOf(index));
    batches.flush();
    await nextTurn();
  }
  expect(batches.droppedLines).toBe(0);
});

it('drops lines, and counts them, while their reader holds as much memory as it may', async () => {
  const { batches, unread, read, text } = started(512 * KIBIBYTE);
  const lines = Array.from({ length: 3_000 }, (_, index) => lineOf(index));
  for (const line of lines) batches.write(line);
  batches.flush();
  expect(unread).toHaveLength(2);
  await read();
  const kept = text().split('\n').length - 1;
  expect(text()).toBe(lines.slice(0, kept).join(''));
  expect(batches.droppedLines).toBe(lines.length - kept);
  batches.write('again\n');
  batches.flush();
  await read();
  expect(text().endsWith('\nagain\n')).toBe(true);
});

it('holds no more memory for a few lines than they have', async () => {
  const { batches, read, text } = started(1 * KIBIBYTE);
  for (let index = 0; index < 10; index++) {
    batches.write('0123456789\n');
    batches.flush();
  }
  expect(batches.droppedLines).toBe(0);
  await read();
  expect(text()).toBe('0123456789\n'.repeat(10));
});
