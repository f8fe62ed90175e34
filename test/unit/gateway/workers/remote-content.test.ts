import { MessageChannel } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Coverage } from '../../../../src/cache/coverage.ts';
import { MemoryTier } from '../../../../src/cache/memory-tier.ts';
import { allocateSharedMemory, releaseWorker } from '../../../../src/cache/shared-memory.ts';
import type { WrittenBytes } from '../../../../src/cache/written-bytes.ts';
import { SlotLender } from '../../../../src/gateway/fill/slot-lender.ts';
import type {
  PeerCalls,
  PeerNotices,
  WireRange,
  WireSpan,
} from '../../../../src/gateway/workers/messages.ts';
import { PeerLink } from '../../../../src/gateway/workers/peer-link.ts';
import { RemoteContent, type RemoteMemory } from '../../../../src/gateway/workers/remote-content.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { testKey } from '../../../support/object-keys.ts';

const blockBytes = 4096;
const owner = 1;
const memory = allocateSharedMemory(32 * blockBytes, blockBytes, 2);
const tier = new MemoryTier(memory, owner);
const reading = new MemoryTier(memory, 0);
const lentAtMost = 2;
const identity = {
  ...{ entityTag: '"t"', versionId: undefined, sizeBytes: blockBytes, blockBytes, asked: undefined },
};
const wire = { contentId: 1, identity, parts: [], partCount: undefined };
const object = { bucketName: 'b', objectKey: testKey('store', 'b', 'k') };
let shared: RemoteMemory;
let channel: MessageChannel;
let remote: RemoteContent;
let slot: number;
let opened: WireRange[];
let heldThere: Coverage | undefined;
let heldOf: WireSpan[];

beforeEach(() => {
  opened = [];
  heldThere = 'all';
  heldOf = [];
  const allocated = tier.allocate(blockBytes, {
    contentHash: 1,
    evicted: () => undefined,
    moved: () => undefined,
  });
  if (allocated === undefined) throw new Error('no slot');
  slot = allocated;
  tier.view(slot, blockBytes).fill(7);
  tier.complete(slot);
  const place = { slot, tag: tier.pins.tag(slot), blockStart: 0 };
  const owning: PeerCalls & PeerNotices = {
    find: () => Promise.reject(new Error('nobody asks')),
    open: range => ({ number: opened.push(range), held: range.begun ? undefined : heldThere }),
    held: span => {
      heldOf.push(span);
      return heldThere;
    },
    next: async () => ({
      kind: 'block',
      block: { ...place, from: 0, to: blockBytes },
      from: 0,
      to: blockBytes,
    }),
    returned: () => undefined,
    close: () => undefined,
    invalidate: () => undefined,
    refusedByStore: () => undefined,
    withdraw: () => undefined,
    encode: () => Promise.resolve(undefined),
    left: () => undefined,
  };
  channel = new MessageChannel();
  const options = { clock: new ManualClock(), onClosed: () => undefined };
  new PeerLink(channel.port2, owning, options);
  const link = new PeerLink(channel.port1, owning, options);
  shared = { link, pins: reading.pins, lender: new SlotLender(reading, lentAtMost) };
  remote = new RemoteContent(wire, shared, object);
});

afterEach(() => channel.port1.close());

/** The second block of a content, of which ten bytes are known to lie in the slot. */
function withSecondBlock(of = shared): RemoteContent {
  const content = new RemoteContent(
    { ...wire, identity: { ...identity, sizeBytes: 2 * blockBytes } },
    of,
    object,
  );
  tier.view(slot, blockBytes).write('abcdefghij', 10, 'latin1');
  const tag = tier.pins.tag(slot);
  content.place({ slot, tag, blockStart: blockBytes, from: blockBytes + 10, to: blockBytes + 20 });
  return content;
}

it('reads text where its block lies, of what is known to be there alone, and counts that', () => {
  const content = withSecondBlock();
  const textOf = (from: number, to: number) => content.peekText(blockBytes + from, blockBytes + to);
  expect([textOf(12, 15), textOf(10, 20)]).toEqual(['cde', 'abcdefghij']);
  expect(tier.pins.visits(slot)).toBe(2);
  expect([textOf(9, 12), textOf(12, 21), textOf(20, 21)]).toEqual([undefined, undefined, undefined]);
  expect(content.lendFrom(blockBytes + 20, blockBytes + 21)).toBeUndefined();
  expect(reading.pins.heldSlots).toBe(0);
});

it('forgets a block whose slot has another content', () => {
  const content = withSecondBlock();
  const { costBytes } = content;
  tier.free(slot);
  expect(content.peekText(blockBytes + 10, blockBytes + 20)).toBeUndefined();
  expect(content.costBytes).toBeLessThan(costBytes);
  expect(reading.pins.heldSlots).toBe(0);
});

it('laws 1 and 2: reads no text of bytes that are found not to be those of the object', () => {
  const check = () => {
    throw new Error('not written');
  };
  const content = withSecondBlock({ ...shared, written: { check } as unknown as WrittenBytes });
  expect(() => content.peekText(blockBytes + 10, blockBytes + 20)).toThrow('not written');
  expect(reading.pins.heldSlots).toBe(0);
});

it('holds what its owner lends by itself, so that the bytes outlive the thread of the owner', async () => {
  const reader = remote.open(0, blockBytes);
  const loan = await reader.next();
  releaseWorker(memory, owner);
  expect(tier.pins.isHeld(slot)).toBe(true);
  expect(loan?.bytes.every(byte => byte === 7)).toBe(true);
  loan?.release();
  reader.close();
  expect(tier.pins.isHeld(slot)).toBe(false);
});

it('the owner is told what the content is by readers that have had its beginning, and by no others', async () => {
  const two = { ...identity, sizeBytes: 2 * blockBytes };
  const long = new RemoteContent({ ...wire, identity: two }, shared, object);
  const first = long.open(0, blockBytes);
  (await first.next())?.release();
  // what is remembered is read without the owner
  const reader = long.open(0, 2 * blockBytes);
  (await reader.next())?.release();
  const next = { ...two, asked: { versionId: 'v', requestPayer: undefined } };
  long.learn({ ...wire, identity: next });
  (await reader.next())?.release();
  expect(opened.map(({ from, begun }) => [from, begun])).toEqual([
    [0, undefined],
    [blockBytes, next],
  ]);
});

it('how much is held is told by the owner, before its first bytes, and by nobody where it is known here', async () => {
  heldThere = 'some';
  const first = remote.open(0, blockBytes);
  expect(first.held).toBeUndefined();
  (await first.next())?.release();
  expect(first.held).toBe('some');
  await first.next();
  expect(first.held).toBe('some');
  const second = remote.open(0, blockBytes);
  (await second.next())?.release();
  expect(second.held).toBeUndefined();
  expect(opened).toHaveLength(1);
});

describe('who knows that the beginning is held', () => {
  let begun: RemoteContent;

  beforeEach(() => {
    begun = new RemoteContent(
      { ...wire, identity: { ...identity, sizeBytes: 2 * blockBytes } },
      shared,
      object,
    );
    begun.place({ slot, tag: tier.pins.tag(slot), blockStart: 0, from: 0, to: blockBytes });
  });

  it.each(['all', 'some'] as const)(
    'asks the owner about the rest, once, before the first byte: %s',
    async there => {
      heldThere = there;
      const reader = begun.open(0, 2 * blockBytes);
      const first = reader.next();
      expect(first).toBeInstanceOf(Promise);
      (await first)?.release();
      expect(heldOf).toEqual([{ contentId: 1, object, from: 0, to: 2 * blockBytes }]);
      expect([reader.held, opened]).toEqual([there, []]);
      (await reader.next())?.release();
      expect(reader.held).toBe(there);
      expect(opened.map(({ from }) => from)).toEqual([blockBytes]);
      expect(heldOf).toHaveLength(1);
      expect(tier.pins.isHeld(slot)).toBe(false);
    },
  );

  it('does not where no more than the beginning is read', () => {
    const loan = begun.open(0, blockBytes).next();
    if (loan === undefined || loan instanceof Promise) throw new Error('not read at once');
    loan.release();
    expect(heldOf).toEqual([]);
  });

  it('goes by that where the owner does not know the content any more', async () => {
    heldThere = undefined;
    const reader = begun.open(0, 2 * blockBytes);
    (await reader.next())?.release();
    expect([reader.held, opened]).toEqual(['some', []]);
  });

  it('goes by that where the owner is lost', async () => {
    const reader = begun.open(0, 2 * blockBytes);
    const first = reader.next();
    channel.port1.close();
    (await first)?.release();
    expect([reader.held, opened]).toEqual(['some', []]);
  });

  it('and leaves meanwhile reads nothing', async () => {
    const reader = begun.open(0, 2 * blockBytes);
    const first = reader.next();
    reader.close();
    expect(await first).toBeUndefined();
    expect([tier.pins.isHeld(slot), opened]).toEqual([false, []]);
  });
});

it('lends nothing from memory whose owner has died', async () => {
  const reader = remote.open(0, blockBytes);
  (await reader.next())?.release();
  reader.close();
  expect(remote.coverage(0, blockBytes)).toBe('all');
  releaseWorker(memory, owner);
  expect(remote.coverage(0, blockBytes)).toBe('none');
  expect(remote.lend(0, blockBytes)).toBeUndefined();
  await expect(remote.open(0, blockBytes).next()).rejects.toThrow('died');
});

it('lends copies while this worker holds as many slots as it may, of whomever', async () => {
  const reader = remote.open(0, blockBytes);
  (await reader.next())?.release();
  reader.close();
  const others = Array.from({ length: lentAtMost }, () => {
    const other =
      tier.allocate(blockBytes, { contentHash: 2, evicted: () => undefined, moved: () => undefined }) ?? -1;
    expect(reading.pins.acquire(other, tier.pins.tag(other))).toBe(true);
    return other;
  });
  const copy = remote.lend(0, blockBytes);
  expect(copy?.slot).toBeUndefined();
  expect(copy?.bytes.every(byte => byte === 7)).toBe(true);
  expect(tier.pins.isHeld(slot)).toBe(false);
  for (const other of others) reading.pins.release(other);
  const loan = remote.lend(0, blockBytes);
  expect(loan?.slot).toBeDefined();
  expect(tier.pins.isHeld(slot)).toBe(true);
  loan?.release();
});

it('a copy tells where its bytes are in memory: who reads them next asks nobody', () => {
  expect(remote.coverage(0, blockBytes)).toBe('none');
  const place = { slot, tag: tier.pins.tag(slot), blockStart: 0 };
  const bytes = new Uint8Array(16).fill(7);
  const loan = remote.borrowed({
    kind: 'copy',
    bytes,
    from: 0,
    block: { ...place, from: 0, to: blockBytes },
  });
  expect(loan?.bytes).toEqual(Buffer.alloc(16, 7));
  expect(remote.coverage(0, blockBytes)).toBe('all');
  const next = remote.lend(0, blockBytes);
  expect(next?.bytes.every(byte => byte === 7)).toBe(true);
  next?.release();
});

it('law 8: names of a content that others choose count', () => {
  const selecting = [{ name: 'cookie', value: 'x'.repeat(1_000), store: false }];
  const asked = { versionId: undefined, requestPayer: undefined, selecting };
  const named = { ...identity, entityTag: 't'.repeat(1_000), versionId: 'v'.repeat(1_000), asked };
  const { costBytes } = new RemoteContent({ ...wire, identity: named }, shared, { ...object, place: 'p' });
  expect(costBytes - remote.costBytes).toBeGreaterThanOrEqual(4_000);
});
