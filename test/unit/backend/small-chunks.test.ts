import { expect, it } from 'vitest';
import { SmallChunks } from '../../../src/backend/small-chunks.ts';

function recorder() {
  const passed: string[] = [];
  return { passed, chunks: new SmallChunks(bytes => passed.push(bytes.toString())) };
}

it('joins the small chunks of one turn, whose memory is used again', async () => {
  const { passed, chunks } = recorder();
  const memory = Buffer.alloc(1);
  for (const letter of 'abcdef') {
    memory.write(letter);
    chunks.arrived(memory);
  }
  expect(passed).toEqual([]);
  await Promise.resolve();
  expect(passed).toEqual(['abcdef']);
  chunks.arrived(Buffer.from('g'));
  await Promise.resolve();
  expect(passed).toEqual(['abcdef', 'g']);
});

it('keeps the order of small and large chunks, and passes large ones on as they are', () => {
  const { passed, chunks } = recorder();
  const large = 'L'.repeat(4096);
  for (const text of ['a', 'b', large, 'c']) chunks.arrived(Buffer.from(text));
  expect(passed).toEqual(['ab', large]);
  chunks.flush();
  chunks.flush();
  expect(passed).toEqual(['ab', large, 'c']);
});

it('passes on what was gathered when its memory is full', () => {
  const { passed, chunks } = recorder();
  for (let count = 0; count < 17; count++) chunks.arrived(Buffer.alloc(1_000, 'x'));
  expect(passed).toEqual(['x'.repeat(16_000)]);
});

it('passes on nothing of an aborted call', async () => {
  const { passed, chunks } = recorder();
  chunks.arrived(Buffer.from('a'));
  chunks.drop();
  await Promise.resolve();
  expect(passed).toEqual([]);
});

it.each([
  [31, true],
  [32, false],
])('of a body of 20 000 chunks of %i bytes is refused: %s', (lengthBytes, isRefused) => {
  const { chunks } = recorder();
  const chunk = Buffer.alloc(lengthBytes);
  const errors = Array.from({ length: 20_000 }, () => chunks.arrived(chunk)).filter(error => error);
  expect(errors.length > 0).toBe(isRefused);
  for (const error of errors) expect(error?.code).toBe('INVALID');
});

it('passes on nothing while the call is paused, however it was paused', async () => {
  const passed: string[] = [];
  const chunks: SmallChunks = new SmallChunks(bytes => {
    passed.push(bytes.toString());
    if (passed.length === 1) chunks.pause();
  });
  const large = 'L'.repeat(5_000);
  for (const text of ['a', large, 'b', 'c'.repeat(4_000), large, large, 'd'])
    chunks.arrived(Buffer.from(text));
  await Promise.resolve();
  expect(passed, 'the first piece pauses the call').toEqual(['a']);
  chunks.resume();
  expect(passed.join('')).toBe(`a${large}b${'c'.repeat(4_000)}${large}${large}d`);
  chunks.arrived(Buffer.from('e'));
  chunks.pause();
  await Promise.resolve();
  expect(passed.join('').endsWith('d'), 'paused after it was gathered').toBe(true);
  chunks.resume();
  expect(passed.at(-1)).toBe('e');
});
