import { expect, it } from 'vitest';
import type { Content, Loan } from '../../../../src/cache/content.ts';
import { PartMap } from '../../../../src/cache/part-map.ts';
import { Collections } from '../../../../src/gateway/web/collected-body.ts';
import { copiedContent } from '../../../../src/gateway/web/copied-content.ts';

const mebibyte = 2 ** 20;
const body = Buffer.alloc(3 * mebibyte, 'what is read');

/** Lends pieces of half a MiB, some later; evicted from one moment on. */
function evictable(isLate = false) {
  const state = { isEvicted: false, lent: 0, isClosed: false };
  const content: Content = {
    sizeBytes: body.length,
    parts: new PartMap(),
    coverage: () => 'all',
    lend: () => undefined,
    peekText: () => undefined,
    open: (from, to) => {
      let position = from;
      const piece = (): Loan | undefined => {
        if (state.isEvicted) throw new Error('its bytes are gone');
        const end = Math.min(to, position + mebibyte / 2);
        if (end === position) return undefined;
        state.lent++;
        const bytes = body.subarray(position, end);
        position = end;
        return { bytes, slot: 0, release: () => state.lent-- };
      };
      return {
        next: () => (isLate ? Promise.resolve().then(piece) : piece()),
        close: () => {
          state.isClosed = true;
        },
      };
    },
  };
  return { state, content };
}

it.each([false, true])(
  'all is copied before the first byte goes out (bytes that come later: %s)',
  async isLate => {
    const { state, content } = evictable(isLate);
    const reader = copiedContent(content, new Collections(), 'one').open(5, body.length);
    const pieces = [await reader.next()];
    state.isEvicted = true;
    for (let piece = await reader.next(); piece; piece = await reader.next()) pieces.push(piece);
    expect(Buffer.concat(pieces.map(piece => piece?.bytes ?? Buffer.alloc(0))).equals(body.subarray(5))).toBe(
      true,
    );
    expect(pieces.every(piece => piece?.slot === undefined)).toBe(true);
    expect(state.lent).toBe(0);
    reader.close();
    expect(state.isClosed).toBe(true);
  },
);

it('what another worker tells of how much is held is told', async () => {
  const { content } = evictable();
  const open: Content['open'] = (from, to) => ({ ...content.open(from, to), held: 'some' });
  const reader = copiedContent({ ...content, open }, new Collections(), 'one').open(0, body.length);
  expect(reader.held).toBe('some');
});

it('what is gone before the first byte has failed by then', () => {
  const { state, content } = evictable();
  const reader = copiedContent(content, new Collections(), 'one').open(0, body.length);
  state.isEvicted = true;
  expect(() => reader.next()).toThrow('gone');
});

it('where there is no room for a copy it is read as it lies, and a copy is free again when it is read', () => {
  const copies = new Collections();
  const open = () => copiedContent(evictable().content, copies, 'one').open(0, body.length);
  const copying = Array.from({ length: 5 }, open);
  const slots = () => [...copying, open()].map(reader => reader.next()).map(loan => (loan as Loan).slot);
  expect(slots()).toEqual([...Array(5).fill(undefined), 0]);
  for (const reader of copying.splice(0)) reader.close();
  expect(slots()).toEqual([undefined]);
});
