import { expect, it } from 'vitest';
import { copyOf, SpareCopies } from '../../../../src/gateway/fill/spare-copies.ts';

it('a copy has the bytes, in memory of its own', () => {
  const bytes = Buffer.from('hello');
  const copy = copyOf(bytes);
  bytes.fill(0);
  expect(copy.toString()).toBe('hello');
  expect(copy.buffer.byteLength).toBe(5);
});

it('memory of a usual length is used again, with the new bytes', () => {
  const copies = new SpareCopies([5, 6]);
  const first = copies.copyOf(Buffer.from('first'));
  copies.takeBack(first);
  const second = copies.copyOf(Buffer.from('other'));
  expect(second).toBe(first);
  expect(second.toString()).toBe('other');
  expect(copies.copyOf(Buffer.from('third')), 'it is in use').not.toBe(first);
  expect(copies.copyOf(Buffer.from('longer'))).not.toBe(first);
});

it('memory of other lengths, and more than 64 of one, is freed at once', () => {
  const copies = new SpareCopies([5]);
  const odd = copies.copyOf(Buffer.from('odd'));
  copies.takeBack(odd);
  expect(odd.buffer.detached).toBe(true);
  const all = Array.from({ length: 65 }, () => copies.copyOf(Buffer.from('hello')));
  for (const copy of all) copies.takeBack(copy);
  expect(all.map(({ buffer }) => buffer.detached)).toEqual([...Array(64).fill(false), true]);
});

it('a copy that was transferred to another thread is not kept', () => {
  const copies = new SpareCopies([0, 5]);
  const copy = copies.copyOf(Buffer.from('hello'));
  structuredClone(copy.buffer, { transfer: [copy.buffer] });
  copies.takeBack(copy);
  expect(copies.copyOf(Buffer.alloc(0))).not.toBe(copy);
});
