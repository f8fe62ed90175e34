import { beforeEach, expect, it } from 'vitest';
import { Block } from '../../../../src/cache/block.ts';
import { MemoryTier } from '../../../../src/cache/memory-tier.ts';
import { allocateSharedMemory, releaseWorker } from '../../../../src/cache/shared-memory.ts';
import { SlotPins } from '../../../../src/cache/slot-pins.ts';
import { LOAN_LIMIT_BYTES, SlotLender } from '../../../../src/gateway/fill/slot-lender.ts';

const blockBytes = 2 * 1024 * 1024;
const slotsLimit = 2;
let tier: MemoryTier;
let lender: SlotLender;

beforeEach(() => {
  tier = new MemoryTier(allocateSharedMemory(8 * blockBytes, blockBytes, 1), 0);
  lender = new SlotLender(tier, slotsLimit);
});

function block(fill: number): Block {
  const made = new Block(0, { hashOf: () => fill, remove: () => undefined });
  const slot = tier.allocate(blockBytes, made);
  if (slot === undefined) throw new Error('no slot');
  made.place(slot, tier.view(slot, blockBytes).fill(fill));
  tier.complete(slot);
  return made;
}

it('lends the memory itself, a window of it, and holds it until it is given back', () => {
  const one = block(1);
  const loan = lender.lend(one, 10, blockBytes);
  expect(loan.slot).toBeDefined();
  expect(loan.bytes.length).toBe(LOAN_LIMIT_BYTES);
  expect(loan.bytes.buffer).toBe(one.bytes(0, blockBytes).buffer);
  expect(tier.pins.isHeld(one.slot)).toBe(true);
  loan.release();
  expect(tier.pins.isHeld(one.slot)).toBe(false);
});

it('lends copies of another slot while as many are lent as may be, and memory again afterwards', () => {
  const loans = [block(1), block(2)].map(one => lender.lend(one, 0, blockBytes));
  const third = block(3);
  const copy = lender.lend(third, 0, blockBytes);
  expect(copy.slot).toBeUndefined();
  expect(copy.bytes.length).toBeLessThan(LOAN_LIMIT_BYTES);
  expect(copy.bytes.every(byte => byte === 3)).toBe(true);
  expect(tier.pins.isHeld(third.slot)).toBe(false);
  copy.release();
  for (const loan of loans) loan.release();
  expect(lender.lend(third, 0, blockBytes).slot).toBeDefined();
});

it('what all workers hold of one of them counts together, until a dead one is forgotten', () => {
  const memory = allocateSharedMemory(16 * blockBytes, blockBytes, 2);
  tier = new MemoryTier(memory, 0);
  lender = new SlotLender(tier, slotsLimit);
  const other = new SlotLender(new MemoryTier(memory, 1), slotsLimit);
  const [one, two, three] = [block(1), block(2), block(3)];
  const pins = new SlotPins(memory, 1);
  const heldThere = [one, two].map(({ slot }) => {
    expect(pins.acquire(slot, pins.tag(slot))).toBe(true);
    return other.lendHeld(slot, Buffer.alloc(blockBytes));
  });
  expect(heldThere.map(loan => loan.slot)).toEqual([one.slot, two.slot]);
  expect(lender.lend(three, 0, blockBytes).slot).toBeUndefined();
  releaseWorker(memory, 1);
  expect(lender.lend(three, 0, blockBytes).slot).toBeDefined();
  expect(tier.pins.heldSlots).toBe(1);
});

it('copies are short while many are out, and long again afterwards', () => {
  for (const one of [block(1), block(2)]) lender.lend(one, 0, blockBytes);
  const third = block(3);
  const copies = Array.from({ length: 300 }, () => lender.lend(third, 0, blockBytes));
  const lengths = copies.map(({ bytes }) => bytes.length);
  expect(Math.max(...lengths)).toBe(64 * 1024);
  expect(lengths.at(-1)).toBe(16 * 1024);
  // a copy in a pool of Node's would keep all of the pool
  expect(copies.map(({ bytes }) => bytes.buffer.byteLength)).toEqual(lengths);
  for (const copy of copies) copy.release();
  expect(lender.lend(third, 0, blockBytes).bytes.length).toBe(64 * 1024);
});

it('the memory of copies that were given back is used for the next ones, but for transferred ones', () => {
  for (const one of [block(1), block(2)]) lender.lend(one, 0, blockBytes);
  const [third, fourth] = [block(3), block(4)];
  const first = lender.lend(third, 0, blockBytes);
  const other = lender.lend(third, 0, blockBytes);
  expect(other.bytes.buffer === first.bytes.buffer).toBe(false);
  first.release();
  const next = lender.lend(fourth, 0, blockBytes);
  expect(next.bytes.buffer === first.bytes.buffer).toBe(true);
  expect(next.bytes.every(byte => byte === 4)).toBe(true);
  expect(other.bytes.every(byte => byte === 3)).toBe(true);
  structuredClone(other.bytes.buffer, { transfer: [other.bytes.buffer as ArrayBuffer] });
  other.release();
  expect(lender.lend(third, 0, blockBytes).bytes.length).toBe(64 * 1024);
  next.release();
  expect(lender.lend(third, 0, 100).bytes.buffer.byteLength).toBe(100);
});

it('the memory of a copy that another worker has made is used for the next one here', () => {
  for (const one of [block(1), block(2)]) lender.lend(one, 0, blockBytes);
  const received = lender.lendReceived(Buffer.allocUnsafeSlow(64 * 1024).fill(9));
  expect(received.slot).toBeUndefined();
  const third = block(3);
  expect(lender.lend(third, 0, blockBytes).bytes.buffer === received.bytes.buffer).toBe(false);
  received.release();
  expect(lender.lend(third, 0, blockBytes).bytes.buffer === received.bytes.buffer).toBe(true);
});

it('a few unused copies are kept, whatever was lent at the same time', () => {
  for (const one of [block(1), block(2)]) lender.lend(one, 0, blockBytes);
  const third = block(3);
  const loans = Array.from({ length: 200 }, () => lender.lend(third, 0, blockBytes));
  const memory = new Set(loans.map(({ bytes }) => bytes.buffer));
  for (const loan of loans) loan.release();
  // V8 would free the memory of the others only after tens of MiB of them
  expect([...memory].filter(({ byteLength }) => byteLength > 0).length).toBe(64);
  const again = Array.from({ length: 200 }, () => lender.lend(third, 0, blockBytes));
  expect(again.filter(({ bytes }) => memory.has(bytes.buffer)).length).toBe(64);
});

it('wakes fills that wait for a slot when one is given back', async () => {
  const loan = lender.lend(block(1), 0, 10);
  const freed = new Promise<void>(resolve => tier.whenFreed(resolve));
  loan.release();
  await freed;
});
