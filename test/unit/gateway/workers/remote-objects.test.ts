import { MessageChannel } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Epochs } from '../../../../src/cache/epochs.ts';
import { Generation } from '../../../../src/cache/generation.ts';
import { MemoryTier } from '../../../../src/cache/memory-tier.ts';
import { pack } from '../../../../src/cache/packed-entry.ts';
import { PurgeBarriers } from '../../../../src/cache/purge-barriers.ts';
import { allocateSharedMemory, releaseWorker } from '../../../../src/cache/shared-memory.ts';
import { readContentHead } from '../../../../src/gateway/fill/content-head.ts';
import { RefusedByStoreError } from '../../../../src/gateway/fill/fill-error.ts';
import { SlotLender } from '../../../../src/gateway/fill/slot-lender.ts';
import type { Asker, LookupResult, ObjectSource } from '../../../../src/gateway/read/object-source.ts';
import { lookupFresh } from '../../../../src/gateway/read/record-cache.ts';
import { uncacheableRecord } from '../../../../src/gateway/read/reply-record.ts';
import type { ObjectRead } from '../../../../src/gateway/request/object-read.ts';
import type {
  PeerCalls,
  PeerNotices,
  WireLoan,
  WireLookupResult,
  WireRead,
} from '../../../../src/gateway/workers/messages.ts';
import { PeerLink } from '../../../../src/gateway/workers/peer-link.ts';
import { RemoteObjects, remoteCostBytes } from '../../../../src/gateway/workers/remote-objects.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { testKey } from '../../../support/object-keys.ts';
import { readOf } from '../../../support/object-reads.ts';
import { recordFields } from '../../../support/records.ts';
import { turnsUntil } from '../../../support/turns-until.ts';

const blockBytes = 4096;
const blocksEach = 10;
const recordBytes = 12_000;
const memory = allocateSharedMemory(8 * blockBytes, blockBytes, 2);
const epochs = new Epochs(memory);
const barriers = new PurgeBarriers(memory);

const foundNow = {
  how: 'fetched',
  forwarded: 'uri-miss',
  forwardStatus: 200,
  isCollapsed: false,
  isStored: true,
  isCharged: false,
} as const;

/** The context of each answer. */
const answered = {
  method: 'GET',
  requestedMs: 0,
  receivedMs: 0,
  epoch: 0,
  barrier: 0,
  isUnsettled: false,
} as const;

const unused = (): never => {
  throw new Error('nothing is read here');
};

/** That of an owner which takes the place of the one before. */
function ownerTier(): MemoryTier {
  releaseWorker(memory, 1);
  return new MemoryTier(memory, 1);
}

/** Owns objects of ten blocks, which all lie in one slot, and tells them when it is asked. */
class Owner {
  readonly #tier = ownerTier();
  readonly #slot =
    this.#tier.allocate(blockBytes, { contentHash: 1, evicted: () => undefined, moved: () => undefined }) ??
    -1;
  readonly withdrawn: string[] = [];
  readonly left: number[] = [];
  /** Whether what it finds is kept. */
  isStored = true;
  #position = 0;

  readonly procedures: PeerCalls & PeerNotices = {
    find: async ({ read }) => this.#found(read),
    held: () => 'all',
    open: () => {
      this.#position = 0;
      return { number: 1, held: 'all' };
    },
    next: async () => this.#next(),
    returned: () => undefined,
    close: () => undefined,
    invalidate: () => undefined,
    refusedByStore: () => undefined,
    withdraw: ({ read: { objectKey }, mayBeGone }) =>
      this.withdrawn.push(mayBeGone ? `${objectKey.key}, may be gone` : objectKey.key),
    encode: () => Promise.resolve(undefined),
    left: question => this.left.push(question),
  };

  #found({ objectKey, recordName }: WireRead): WireLookupResult {
    const sizeBytes = blocksEach * blockBytes;
    const named = { entityTag: '"t"', versionId: undefined, sizeBytes };
    const reading = { open: unused, lend: unused };
    const content = new Generation({ ...named, objectKey: objectKey.text }, blockBytes, this.#tier, reading);
    const { contentId } = content;
    const record = recordFields(sizeBytes);
    const entry = { objectKey, records: new Map([[recordName, { ...record, content }]]), barrier: 0 };
    this.#tier.packed.untell(objectKey.text);
    if (this.isStored) this.#tier.packed.tellAlone(objectKey.text, pack(entry, [content]));
    const identity = { ...named, blockBytes, asked: undefined };
    const wire = { contentId, identity, parts: [], partCount: undefined };
    return { ...foundNow, isStored: this.isStored, record: { ...record, content: wire } };
  }

  #next(): WireLoan {
    const from = this.#position;
    const to = from + blockBytes;
    if (to > blocksEach * blockBytes) return { kind: 'end' };
    this.#position = to;
    const place = { slot: this.#slot, tag: this.#tier.pins.tag(this.#slot) };
    return { kind: 'block', block: { ...place, blockStart: from, from, to }, from, to };
  }
}

/** What this worker would find itself. */
class Own implements ObjectSource {
  readonly asked: string[] = [];
  readonly stale: number[] = [];
  /** The status that the store refuses with; undefined: it does not. */
  refusal: number | undefined;

  /** Whether the store says, to be remembered, that there is no such object. */
  isMissing = false;

  readonly records = { recordNamed: () => undefined, epochOf: () => 0 };

  async find({ policy }: ObjectRead, withChecksums = false, asker?: Asker): Promise<LookupResult> {
    asker?.gone.throwIfAborted();
    this.stale.push(policy.staleIfErrorMs, policy.staleWhileRevalidateMs, policy.maxStaleMs);
    if (this.refusal !== undefined) {
      const { refusal: status } = this;
      return Promise.reject(new RefusedByStoreError({ status, fields: [], body: Buffer.alloc(0) }));
    }
    return this.#found(withChecksums ? 'findWithChecksums' : 'find');
  }

  invalidate(): void {
    this.asked.push('invalidate');
  }

  refusedByStore(): void {
    this.asked.push('refused');
  }

  #found(name: string): Promise<LookupResult> {
    this.asked.push(name);
    const record = uncacheableRecord(readContentHead({ status: 200, fields: [] }), answered);
    const missing = {
      ...record,
      kind: 'refused',
      isNegative: true,
      status: 404,
      body: Buffer.alloc(0),
    } as const;
    return Promise.resolve({ ...foundNow, record: this.isMissing ? missing : record });
  }
}

let own: Own;
let near: Owner;
let clock: ManualClock;
let channel: MessageChannel;
let remote: RemoteObjects;

beforeEach(() => {
  channel = new MessageChannel();
  near = new Owner();
  own = new Own();
  clock = new ManualClock();
  const options = { clock, onClosed: () => undefined };
  new PeerLink(channel.port2, near.procedures, options);
  const link = new PeerLink(channel.port1, near.procedures, options);
  const tier = new MemoryTier(memory, 0);
  const shared = { link, pins: tier.pins, lender: new SlotLender(tier, 4) };
  remote = new RemoteObjects(shared, tier.textsOf(1), own, { epochs, barriers }, recordBytes);
});

afterEach(() => {
  channel.port1.close();
});

it('law 8: where blocks of near contents lie counts, and what costs too much is forgotten', async () => {
  const reads = Array.from({ length: 6 }, (_, index) => readOf(`k${index}`));
  for (const read of reads) {
    const { record } = await remote.find(read);
    if (record.kind !== 'readable') throw new Error('not readable');
    const beforeBytes = remoteCostBytes(record);
    const reader = record.content.open(0, record.sizeBytes);
    for (let loan = await reader.next(); loan; loan = await reader.next()) loan.release();
    reader.close();
    expect(remoteCostBytes(record)).toBeGreaterThan(beforeBytes + blocksEach * 100);
    expect(contentOf(read)).toBe(record.content);
    expect(remote.costBytes).toBeLessThanOrEqual(recordBytes);
  }
  expect(remote.use.count).toBeLessThan(reads.length);
  expect(remote.costBytes).toBeGreaterThan(recordBytes / 2);
  for (const read of reads) expect(lookupFresh(remote.records, read, 0), 'it is told').toBeDefined();
  expect(remote.costBytes).toBeLessThanOrEqual(recordBytes);
});

function contentOf(read: ObjectRead): unknown {
  const record = lookupFresh(remote.records, read, 0);
  return record?.kind === 'readable' ? record.content : undefined;
}

it('law 6: once the store refuses bytes of what the owner has told, that is no longer known near', async () => {
  const read = readOf('k');
  const { record } = await remote.find(read);
  const refusal = (status: number) => ({ status, fields: [], body: Buffer.alloc(0) });
  remote.refusedByStore(read, record, refusal(503));
  expect(lookupFresh(remote.records, read, 0)).toBeDefined();
  remote.refusedByStore(read, record, refusal(404));
  expect(lookupFresh(remote.records, read, 0), 'though it is told still').toBeUndefined();
  await remote.find(read);
  expect(lookupFresh(remote.records, read, 0), 'its owner has answered since').toBeDefined();
});

it('what turned out to be outdated is not known near until its owner has answered, though that tells it still', async () => {
  const read = readOf('k');
  const { record } = await remote.find(read);
  const { record: later } = await remote.find(read);
  remote.invalidate(read, record);
  expect(lookupFresh(remote.records, read, 0), 'another content is told').toBeDefined();
  remote.invalidate(read, later);
  expect(lookupFresh(remote.records, read, 0)).toBeUndefined();
});

it('law 5: what is purged by its beginning is no longer known near, and nothing else is forgotten', async () => {
  const names = ['a/1', 'a/2', 'b/a/1', 'a', '\na/1'];
  const reads = [
    ...names.map(key => readOf(key)),
    readOf('a/3', { objectKey: testKey('main', 'other', 'a/3') }),
    readOf('a/4', { objectKey: testKey('other', 'b', 'a/4') }),
  ];
  const versions = readOf('a/5', { versionId: 'v1' });
  for (const read of [...reads, versions]) await remote.find(read);
  const range = { backend: 'main', bucket: 'b', keyPrefix: 'a/' };
  barriers.raise({ kind: 'range', range }, 'hard', 0);
  expect(reads.map(read => lookupFresh(remote.records, read, 0) !== undefined)).toEqual([
    ...[false, false, true, true, true],
    ...[true, true],
  ]);
  expect(lookupFresh(remote.records, versions, 0)).toBeUndefined();
});

describe('while the owner stands still, this worker is asked itself', () => {
  const reply = { status: 404, fields: [], body: Buffer.alloc(0) };
  let still: MessageChannel;
  let asking: RemoteObjects;

  beforeEach(() => {
    still = new MessageChannel();
    const link = new PeerLink(still.port1, new Owner().procedures, { clock, onClosed: () => undefined });
    const tier = new MemoryTier(memory, 0);
    const shared = { link, pins: tier.pins, lender: new SlotLender(tier, 4) };
    asking = new RemoteObjects(shared, tier.textsOf(1), own, { epochs, barriers }, recordBytes);
  });

  afterEach(() => still.port1.close());

  it('what was found here is invalidated at its owner, and stored nowhere here', async () => {
    const finding = asking.find(readOf('k'));
    clock.advance(1_000);
    const { record } = await finding;
    expect(lookupFresh(asking.records, readOf('k'), 0)).toBeUndefined();
    await asking.find(readOf('k'), true);
    asking.invalidate(readOf('k'), record);
    asking.refusedByStore(readOf('k'), record, reply);
    expect(own.asked).toEqual(['find', 'findWithChecksums', 'invalidate', 'refused']);
  });

  it('law 6: nothing stale is served in its place, and it learns of what the store refuses', async () => {
    const owner = new Owner();
    new PeerLink(still.port2, owner.procedures, { clock, onClosed: () => undefined });
    const read = (key: string) => {
      const plain = readOf(key);
      const stale = { staleIfErrorMs: 1, staleWhileRevalidateMs: 2, maxStaleMs: 3 };
      return asking.find({ ...plain, policy: { ...plain.policy, ...stale } });
    };
    const finding = read('k');
    clock.advance(1_000);
    await finding;
    expect(own.stale).toEqual([0, 0, 0]);
    for (const [key, status] of [
      ['failing', 503],
      ['forbidden', 403],
      ['no part', 404],
    ] as const) {
      own.refusal = status;
      await expect(read(key)).rejects.toThrow(String(status));
    }
    own.refusal = undefined;
    own.isMissing = true;
    expect((await read('missing')).record.kind).toBe('refused');
    own.isMissing = false;
    const { record } = await read('bytes');
    for (const status of [503, 403])
      asking.refusedByStore(readOf(`bytes ${status}`), record, { ...reply, status });
    await turnsUntil('the owner goes on', () => owner.withdrawn.length > 3);
    expect(owner.withdrawn).toEqual([
      ...['forbidden', 'no part, may be gone', 'missing, may be gone', 'bytes 403'],
    ]);
  });

  it('law 6: what may be gone is not known here, though its owner tells it still', async () => {
    await remote.find(readOf('k'));
    const isKnown = () => lookupFresh(asking.records, readOf('k'), 0) !== undefined;
    const refused = async (status: number) => {
      own.refusal = status;
      const finding = expect(asking.find(readOf('k'))).rejects.toThrow(String(status));
      clock.advance(1_000);
      await finding;
      return isKnown();
    };
    expect([isKnown(), await refused(403), await refused(404)]).toEqual([true, true, false]);
  });

  it('who has left is told to it, and asks nothing here', async () => {
    const owner = new Owner();
    const leaving = new AbortController();
    const finding = expect(
      asking.find(readOf('k'), false, { gone: leaving.signal, client: 'one' }),
    ).rejects.toThrow('left');
    leaving.abort(new Error('left'));
    clock.advance(1_000);
    await finding;
    new PeerLink(still.port2, owner.procedures, { clock, onClosed: () => undefined });
    await turnsUntil('the owner goes on', () => owner.left.length > 0);
    expect(new Set(owner.left)).toEqual(new Set([1]));
    expect(own.asked).toEqual([]);
    await expect(asking.find(readOf('k'), false, { gone: leaving.signal, client: 'one' })).rejects.toThrow(
      'left',
    );
  });

  it('and when it is gone', async () => {
    const finding = asking.find(readOf('k'));
    still.port2.close();
    await finding;
    expect(own.asked).toEqual(['find']);
  });
});

it('an answer is for the one who has asked: what the owner does not tell is known nowhere here', async () => {
  near.isStored = false;
  await remote.find(readOf('k'));
  expect(lookupFresh(remote.records, readOf('k'), 0)).toBeUndefined();
  near.isStored = true;
  const { record } = await remote.find(readOf('k'));
  expect(contentOf(readOf('k'))).toBe(record.kind === 'readable' ? record.content : record);
});

it('while the owner answers, this worker is asked nothing', async () => {
  const { record } = await remote.find(readOf('k'));
  await remote.find(readOf('k'), true);
  remote.refusedByStore(readOf('k'), record, { status: 404, fields: [], body: Buffer.alloc(0) });
  expect(own.asked).toEqual([]);
});

it('the owner is told which of the questions nobody waits for any more, and of no other', async () => {
  const channel = new MessageChannel();
  const owner = new Owner();
  new PeerLink(channel.port2, owner.procedures, { clock: new ManualClock(), onClosed: () => undefined });
  const link = new PeerLink(channel.port1, owner.procedures, {
    clock: new ManualClock(),
    onClosed: () => undefined,
  });
  const tier = new MemoryTier(memory, 0);
  const asking = new RemoteObjects(
    { link, pins: tier.pins, lender: new SlotLender(tier, 4) },
    tier.textsOf(1),
    new Own(),
    { epochs, barriers },
    recordBytes,
  );
  const [answered, left] = [new AbortController(), new AbortController()];
  await asking.find(readOf('a'), false, { gone: answered.signal, client: 'one' });
  const finding = asking.find(readOf('b'), false, { gone: left.signal, client: 'one' });
  answered.abort(new Error('left'));
  left.abort(new Error('left'));
  await finding;
  await asking.find(readOf('c'));
  expect(owner.left).toEqual([2]);
  channel.port1.close();
});

it('what is told of a name without bytes is read without a question, and each time counts for its place', () => {
  const { objectKey } = readOf('not there');
  const record = uncacheableRecord(readContentHead({ status: 404, fields: [] }), answered);
  const owner = ownerTier();
  owner.packed.addBare(
    objectKey.text,
    pack({ objectKey, records: new Map([['', record]]), barrier: 0 }, []),
    false,
  );
  const slot = owner.texts.get(objectKey.text, () => true)?.slot ?? -1;
  for (const visits of [1, 2]) {
    expect(remote.recordNamed(readOf('not there'), '')).toMatchObject({ kind: 'uncacheable' });
    expect(owner.pins.visits(slot)).toBe(visits);
  }
  owner.packed.take(objectKey.text);
  expect(remote.recordNamed(readOf('not there'), '')).toBeUndefined();
});
