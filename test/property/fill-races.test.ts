import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { generationsOf } from '../../src/cache/entry.ts';
import { PackedEntry } from '../../src/cache/packed-entry.ts';
import { allocateSharedMemory } from '../../src/cache/shared-memory.ts';
import { SlotEntry } from '../../src/cache/slot-entry.ts';
import { purge } from '../../src/gateway/operate/purge.ts';
import { BucketTable } from '../../src/gateway/request/bucket-table.ts';
import { Peers } from '../../src/gateway/workers/peers.ts';
import { WorkerCache } from '../../src/gateway/workers/worker-cache.ts';
import type { RangeRequest } from '../../src/http/range.ts';
import { collectGarbage } from '../support/collect-garbage.ts';
import { localPorts } from '../support/local-ports.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { testKey } from '../support/object-keys.ts';
import { bucketOf } from '../support/object-reads.ts';
import { ScriptedReader, type WhatIsRead } from '../support/scripted-reader.ts';
import { type ScriptedObject, ScriptedStore } from '../support/scripted-store.ts';

const blockBytes = 1024;
/** Few enough that readers evict what others are about to read. */
const slots = 8;

const plain = { ignoresRange: 'never', ignoresIfMatch: false, partBytes: 700, headers: {} } as const;
const objects: Readonly<Record<string, ScriptedObject>> = {
  a: { ...plain, sizeBytes: 6 * blockBytes + 5, partBytes: 900 },
  b: { ...plain, sizeBytes: 20 * blockBytes, partBytes: 2_500, ignoresIfMatch: true },
  c: { ...plain, sizeBytes: 9 * blockBytes - 1, partBytes: 300, ignoresRange: 'always' },
  d: { ...plain, sizeBytes: 4 * blockBytes, headers: { 'cache-control': 'no-store' } },
  e: { ...plain, sizeBytes: 12 * blockBytes + 1, partBytes: 1_700, ignoresRange: 'every other' },
};
const keys = Object.keys(objects);

/** How many there were: the shared memory of each is some 46 MB. */
let worlds = 0;

type Step =
  | ({ readonly kind: 'read'; readonly worker: number } & WhatIsRead)
  | { readonly kind: 'go' | 'leave'; readonly pick: number }
  | { readonly kind: 'store'; readonly pick: number; readonly lengthBytes: number }
  | { readonly kind: 'break'; readonly pick: number }
  | { readonly kind: 'put' | 'remove' | 'purge' | 'replace'; readonly key: string }
  | { readonly kind: 'purge-all' | 'finish' }
  | { readonly kind: 'wait'; readonly ms: number };

const key = fc.constantFrom(...keys);
const pick = fc.nat(30);
const range: fc.Arbitrary<RangeRequest> = fc.oneof(
  fc.constant({ kind: 'absent' as const }),
  fc.record({ kind: fc.constant('suffix' as const), length: fc.integer({ min: 1, max: 5 * blockBytes }) }),
  fc
    .tuple(fc.nat(20 * blockBytes), fc.oneof(fc.nat(3 * blockBytes), fc.constant(undefined)))
    .map(([first, more]) => ({
      kind: 'from' as const,
      first,
      last: more === undefined ? undefined : first + more,
    })),
);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('read' as const),
      worker: fc.nat(1),
      key,
      method: fc.constantFrom('GET' as const, 'GET' as const, 'GET' as const, 'HEAD' as const),
      range,
      partNumber: fc.oneof({ weight: 2, arbitrary: fc.constant(undefined) }, fc.integer({ min: 1, max: 6 })),
    }),
  },
  { weight: 12, arbitrary: fc.record({ kind: fc.constant('go' as const), pick }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('leave' as const), pick }) },
  {
    weight: 20,
    arbitrary: fc.record({
      kind: fc.constant('store' as const),
      pick,
      lengthBytes: fc.oneof(fc.integer({ min: 1, max: 700 }), fc.constant(30 * blockBytes)),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('break' as const), pick }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constantFrom('put' as const, 'remove' as const, 'purge' as const, 'replace' as const),
      key,
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('purge-all' as const) }) },
  // what was begun ends, so that what follows finds pieces of blocks held
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('finish' as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: fc.constantFrom(0, 50, 1_000, 61_000) }),
  },
);

const steps = fc.array(step, { maxLength: 200, size: 'max' });

/** What a worker has: the objects that it owns, and how it asks for those of others. */
interface Worker {
  readonly cache: WorkerCache;
  readonly peers: Peers;
}

/** The caches of some workers between scripted readers and a scripted store. */
class World {
  readonly store = new ScriptedStore();
  readonly clock = new ManualClock();
  readonly bucket = bucketOf(this.store);
  readonly workers: readonly Worker[];
  readonly readers: ScriptedReader[] = [];
  /** Codes of errors that a reader may fail with after what has happened. */
  readonly reasons: string[] = [];
  readonly #buckets = new BucketTable(new Map([['b', this.bucket]]), undefined);
  /** The oldest version of each object that may still be found. */
  readonly #oldest = new Map<string, number>();

  readonly #ignoresRange: ScriptedObject['ignoresRange'] | undefined;

  /**
   * @param recordBytes that what is known of objects may cost, and near records of what others own as much.
   * @param ignoresRange how the store takes ranges of all objects; undefined for what each says.
   */
  constructor(
    workers: number,
    recordBytes: number,
    ignoresRange: ScriptedObject['ignoresRange'] | undefined,
  ) {
    this.#ignoresRange = ignoresRange;
    const memory = allocateSharedMemory(workers * slots * blockBytes, blockBytes, workers, {
      blocks: 'checked',
    });
    this.workers = Array.from({ length: workers }, (_, worker) => {
      const cache = new WorkerCache({
        memory,
        worker,
        recordBytes,
        clock: this.clock,
        random: () => 0.5,
        retried: () => undefined,
      });
      return {
        cache,
        peers: new Peers(cache, { bucketOf: name => this.#buckets.find(name) }, workers, {
          webBytes: recordBytes / 4,
          objectBytes: (recordBytes * 3) / 4,
        }),
      };
    });
    connect(this.workers);
    // what the owner forgets under another worker may be gone before that worker asks for more of it
    // and a second that passes in one step is one in which no worker said a word
    if (workers > 1) this.reasons.push('OBJECT_CHANGED', 'BUSY');
    for (const name of keys) this.put(name);
  }

  put(name: string): void {
    const object = objects[name];
    if (!object) return;
    this.store.put(name, { ...object, ignoresRange: this.#ignoresRange ?? object.ignoresRange });
  }

  async take(one: Step): Promise<void> {
    if (one.kind === 'read') {
      const { bucket, clock } = this;
      const at = one.worker % this.workers.length;
      const source = this.workers[at]?.peers.sourceOf(testKey('main', 'b', one.key).hash);
      const oldest = this.#oldest.get(one.key) ?? 0;
      if (source)
        this.readers.push(new ScriptedReader({ source, bucket, nowMs: clock.nowMs() }, one, oldest));
    }
    if (one.kind === 'go') chosen(this.running, one.pick)?.go();
    if (one.kind === 'leave') chosen(this.running, one.pick)?.leave();
    if (one.kind === 'store') chosen(this.store.open, one.pick)?.step(one.lengthBytes);
    if (one.kind === 'break') {
      this.reasons.push('BROKEN');
      chosen(this.store.open, one.pick)?.breakOff();
    }
    if (one.kind === 'put' || one.kind === 'replace') {
      this.reasons.push('OBJECT_CHANGED');
      this.put(one.key);
    }
    if (one.kind === 'remove') {
      this.reasons.push('REFUSED_BY_STORE', 'OBJECT_CHANGED');
      this.store.remove(one.key);
    }
    if (one.kind === 'purge' || one.kind === 'replace')
      this.#purge([one.key], { kind: 'key', bucket: 'b', key: one.key });
    if (one.kind === 'purge-all') this.#purge(keys, { kind: 'bucket', bucket: 'b' });
    if (one.kind === 'finish') await this.finish();
    if (one.kind === 'wait') this.clock.advance(one.ms);
    await settled();
  }

  get running(): readonly ScriptedReader[] {
    return this.readers.filter(reader => !reader.isOver);
  }

  get fills(): number {
    return this.workers.reduce((sum, { cache }) => sum + cache.filler.inFlight, 0);
  }

  /** Nothing goes wrong meanwhile, and everybody gets on. */
  async finish(): Promise<void> {
    for (let round = 0; round < 2_000; round++) {
      if (this.running.length === 0 && this.store.open.length === 0 && this.fills === 0) return;
      for (const call of this.store.open) call.step(30 * blockBytes);
      for (const reader of this.running) reader.go();
      this.clock.advance(50);
      await settled();
    }
    const stuck = this.running.map(reader => reader.toString());
    throw new Error(`${stuck.join(', ')}; ${this.store.open.length} calls; ${this.fills} fills`);
  }

  #purge(names: readonly string[], request: Parameters<typeof purge>[0]): void {
    for (const name of names) this.#oldest.set(name, this.store.current(name));
    // one worker purges for all
    const [first] = this.workers;
    if (first) purge(request, first.cache, this.#buckets);
  }
}

/** Every worker speaks with every other. */
function connect(workers: readonly Worker[]): void {
  for (const [one, { peers }] of workers.entries()) {
    for (let other = one + 1; other < workers.length; other++) {
      const [here, there] = localPorts();
      peers.connect(other, here);
      workers[other]?.peers.connect(one, there);
    }
  }
}

function chosen<One>(ones: readonly One[], index: number): One | undefined {
  return ones[index % Math.max(1, ones.length)];
}

/** All that follows from what has happened has happened. */
function settled(): Promise<void> {
  return new Promise(resolve => setImmediate(resolve));
}

/** Nothing is left over in a worker that nobody reads from. */
function checkLeft({ cache: { tier, table, filler } }: Worker): void {
  expect(filler.inFlight, 'fills that nobody needs').toBe(0);
  expect(tier.pins.heldSlots, 'slots that nobody reads').toBe(0);
  const known = [...table];
  const unpacked = known.flatMap(one => table.peek(one) ?? []);
  const held = unpacked.flatMap(entry => [...generationsOf(entry)]);
  const packed = known.filter(one => one instanceof PackedEntry);
  const packedSlots = packed.reduce((sum, { slots }) => sum + slots.length, 0);
  const bare = packed.filter(one => one instanceof SlotEntry && one.slots.length === 0);
  const heldBlocks = held.reduce((sum, generation) => sum + generation.heldBlocks, packedSlots);
  // what other workers have asked for is told in slots of its own
  const told = known.filter(({ text }) => tier.packed.isToldAlone(text));
  expect(tier.usage.slots, 'law 9').toBe(heldBlocks + bare.length + told.length);
  const heldOf = known.filter(one => one.heldBytes > 0).map(({ text }) => text);
  for (const text of heldOf) expect(text, 'not to be stored').not.toMatch(/d$/);
}

describe.each([
  ['ignores ranges of some objects', undefined],
  ['ignores all ranges', 'always'],
  ['ignores ranges at times', 'every other'],
] as const)('a store that %s', (_how, ignoresRange) => {
  it.each([1, 2])(
    'laws 1, 2, 5 and 8, %d workers: readers come and go, objects change, are purged and evicted, transfers break',
    async workers => {
      await fc.assert(
        fc.asyncProperty(
          steps,
          fc.constantFrom(8_000, 20_000, 40_000, 1_000_000),
          async (script, recordBytes) => {
            const world = new World(workers, recordBytes, ignoresRange);
            for (const one of script) await world.take(one);
            await world.finish();
            for (const reader of world.readers) reader.check(world.reasons);
            // what is kept for nobody goes once nobody can ask for it any more
            world.clock.advance(1_000);
            for (const worker of world.workers) checkLeft(worker);
            if (++worlds % 20 === 0) collectGarbage();
          },
        ),
        { numRuns: 200 },
      );
    },
  );
});
