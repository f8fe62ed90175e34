import { expect, it, vi } from 'vitest';
import { Block } from '../../../src/cache/block.ts';
import { HeldBlocks } from '../../../src/cache/held-blocks.ts';

const blockBytes = 4;

/** A content of ten blocks, all of them held, and the looks at each. */
function whole() {
  const identity = { objectKey: 'k', versionId: undefined, entityTag: '"k"', sizeBytes: 10 * blockBytes };
  const held = new HeldBlocks(identity, blockBytes, { forget: () => undefined, isTold: () => false });
  const blocks = Array.from({ length: 10 }, (_, index) => {
    const block = new Block(index, { hashOf: () => 0, remove: () => undefined });
    block.restore(index, Buffer.alloc(blockBytes), { start: 0, end: blockBytes });
    held.add(block);
    return block;
  });
  const looks = blocks.map(block => vi.spyOn(block, 'coverage'));
  const looked = () => looks.reduce((sum, { mock }) => sum + mock.calls.length, 0);
  return { held, blocks, looked };
}

it('blocks of a content that is known to be held whole are not looked at again', () => {
  const { held, looked } = whole();
  expect(held.coverage(3, 33)).toBe('all');
  const before = looked();
  expect(held.coverage(0, 40)).toBe('all');
  expect(looked()).toBe(before + 10);
  expect([held.coverage(0, 40), held.coverage(5, 30)]).toEqual(['all', 'all']);
  expect(looked()).toBe(before + 10);
});

it('it is not whole any more when one goes, or all are taken', () => {
  const { held, blocks } = whole();
  expect(held.coverage(0, 40)).toBe('all');
  const [first] = blocks;
  if (first) held.remove(first);
  expect([held.coverage(0, 40), held.coverage(0, 4), held.coverage(4, 40)]).toEqual(['some', 'none', 'all']);
  expect([held.size, held.heldBytes, held.hasIn(0, 4)]).toEqual([9, 36, false]);
  const other = whole().held;
  expect(other.coverage(0, 40)).toBe('all');
  expect(other.take()).toHaveLength(10);
  expect(other.coverage(0, 40)).toBe('none');
});
