import { expect, it } from 'vitest';
import { Block } from '../../../src/cache/block.ts';
import { CheckedBlock } from '../../../src/cache/checked-block.ts';
import { Generation } from '../../../src/cache/generation.ts';
import { MemoryTier } from '../../../src/cache/memory-tier.ts';
import { allocateSharedMemory } from '../../../src/cache/shared-memory.ts';
import { UNWRITTEN_BYTE, UnwrittenBytesError, WrittenBytes } from '../../../src/cache/written-bytes.ts';

const blockBytes = 4096;
const unused = () => {
  throw new Error('nothing is read here');
};

function blockOf(blocks: 'checked' | 'unchecked'): Block | undefined {
  const tier = new MemoryTier(allocateSharedMemory(8 * blockBytes, blockBytes, 1, { blocks }), 0);
  const identity = { objectKey: 'k', versionId: undefined, entityTag: '"t"', sizeBytes: 2 * blockBytes };
  const generation = new Generation(identity, blockBytes, tier, { open: unused, lend: unused });
  generation.openBlock(blockBytes);
  generation.write(blockBytes, Buffer.from('abc'));
  return generation.blockAt(blockBytes);
}

it('blocks are checked where the memory says so, and are plain ones elsewhere', () => {
  expect(blockOf('checked')).toBeInstanceOf(CheckedBlock);
  expect(blockOf('unchecked')?.constructor).toBe(Block);
  expect(WrittenBytes.of(allocateSharedMemory(1, blockBytes, 1))).toBeUndefined();
});

it('hands out what was written, and names the object and the bytes where not all were', () => {
  const block = blockOf('checked');
  expect(block?.text(0, 3)).toBe('abc');
  expect(block?.bytes(1, 3).toString()).toBe('bc');
  expect(() => block?.text(0, 4)).toThrow(new UnwrittenBytesError('k', blockBytes, blockBytes + 4));
  expect(() => block?.bytes(2, 5)).toThrow('bytes 4098-4100 of "k"');
});

it('a slot that is given out anew has a pattern in it and counts as unwritten', () => {
  const memory = allocateSharedMemory(8 * blockBytes, blockBytes, 1, { blocks: 'checked' });
  const told: unknown[] = [];
  const written = WrittenBytes.of(memory, error => told.push(error));
  const slot = Buffer.from(memory.segments[0] ?? new SharedArrayBuffer(0), blockBytes, blockBytes);
  slot.fill(7);
  written?.note(slot);
  written?.check(slot, 'k', 0, blockBytes);
  expect(() => written?.check(slot, 'k', 0, blockBytes + 1), 'more than there is').toThrow('not all written');
  written?.given(slot);
  expect(slot.every(byte => byte === UNWRITTEN_BYTE)).toBe(true);
  expect(() => written?.check(slot.subarray(9, 10), 'k', 9, 10)).toThrow(UnwrittenBytesError);
  expect(told).toHaveLength(2);
});
