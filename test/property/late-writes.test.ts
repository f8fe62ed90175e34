import { request } from 'node:http';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ManualClock } from '../support/manual-clock.ts';
import { SlowStore } from '../support/slow-store.ts';
import { TestGateway } from '../support/test-gateway.ts';

const KEYS = 2;

/** What is done at the same time. A write that fails may be carried out by the store in a later batch, or never. */
interface Batch {
  readonly writes: readonly {
    readonly method: 'PUT' | 'DELETE';
    readonly fate: 'answered' | 'reset' | 'error';
    readonly worker: number;
  }[];
  readonly reads: readonly {
    readonly method: 'GET' | 'HEAD';
    readonly key: number;
    readonly worker: number;
  }[];
  /** How many failed writes the store carries out. */
  readonly late: number;
  /** Time that passes afterwards. */
  readonly thenMs: number;
}

interface Stage {
  readonly gateway: TestGateway;
  readonly store: SlowStore;
  readonly clock: ManualClock;
  /** What becomes of the next write, by path. */
  readonly fates: Map<string, Batch['writes'][number]['fate']>;
}

const worker = fc.nat(1);
const write = fc.record({
  method: fc.constantFrom('PUT', 'PUT', 'DELETE'),
  fate: fc.constantFrom('answered', 'reset', 'error'),
  worker,
});
const batch: fc.Arbitrary<Batch> = fc.record({
  writes: fc.array(write, { maxLength: KEYS }),
  reads: fc.array(
    fc.record({
      method: fc.constantFrom('GET', 'HEAD'),
      key: fc.nat(KEYS - 1),
      worker,
    }),
    {
      minLength: 1,
      maxLength: 5,
    },
  ),
  late: fc.nat(2),
  thenMs: fc.constantFrom(0, 0, 0, 9_000),
});

/** The length of the content tells which one it is; 0: there is none. */
function send(
  gateway: TestGateway,
  method: string,
  key: number,
  asked: number,
  content = '',
): Promise<{ readonly status: number; readonly length: number }> {
  const { port, hostname } = new URL(gateway.url(asked % gateway.gateways.length));
  return new Promise((resolve, reject) => {
    const options = { host: hostname, port, method, path: `/b/k${key}`, agent: false };
    const sent = request(options, answer => {
      answer.resume().on('end', () => {
        const { statusCode: status = 0 } = answer;
        resolve({ status, length: status === 404 ? 0 : Number(answer.headers['content-length'] ?? 0) });
      });
      answer.on('error', reject);
    });
    sent.on('error', reject);
    sent.end(content);
  });
}

/** Each state that a key has at the store, one after the other. */
class Truth {
  readonly #store: SlowStore;
  readonly #key: number;
  states: number[] = [];

  constructor(store: SlowStore, key: number) {
    this.#store = store;
    this.#key = key;
  }

  look(): void {
    this.states.push(this.#store.contentOf(`/b/k${this.#key}`)?.length ?? 0);
  }

  /** Only what it is now counts from here on. */
  forgetPast(): void {
    this.states = [];
    this.look();
  }
}

async function run({ gateway, store, clock, fates }: Stage, batches: readonly Batch[]): Promise<void> {
  const truths = Array.from({ length: KEYS }, (_, key) => new Truth(store, key));
  let version = 0;
  for (const { writes, reads, late, thenMs } of batches) {
    for (const truth of truths) truth.forgetPast();
    const written = writes.map(async ({ method, fate, worker: asked }, key) => {
      const content = method === 'PUT' ? 'x'.repeat(++version) : '';
      fates.set(`/b/k${key}`, fate);
      const { status } = await send(gateway, method, key, asked, content);
      expect(status < 300).toBe(fate === 'answered');
      truths[key]?.look();
    });
    const seen = reads.map(async ({ method, key, worker: asked }) => ({
      key,
      ...(await send(gateway, method, key, asked)),
    }));
    for (let count = 0; count < late; count++) {
      store.carryOut();
      for (const truth of truths) truth.look();
    }
    const [answers] = await Promise.all([Promise.all(seen), Promise.all(written)]);
    for (const { key, length } of answers) expect(truths[key]?.states, `k${key}`).toContain(length);
    clock.advance(thenMs);
  }
}

it.each([1, 2])(
  'law 5 with %d workers: what the store does with a failed write within a minute is seen by whoever reads then',
  async workers => {
    const histories = fc.array(batch, { minLength: 3, maxLength: 7 });
    const delays = fc.array(fc.nat(4), { minLength: 1 });
    await fc.assert(
      fc.asyncProperty(histories, delays, async (batches, waits) => {
        let turn = 0;
        const next = () => waits[turn++ % waits.length] ?? 0;
        const fates: Stage['fates'] = new Map();
        const store = await SlowStore.start(
          () => ({ effectMs: next(), answerMs: next() }),
          ({ url = '' }) => fates.get(url) ?? 'answered',
        );
        const clock = new ManualClock();
        const gateway = await TestGateway.start({
          ...{ storeUrl: store.url, workers, clock, arenaBytes: 16 * 1024 * 1024 },
          policy: { ttlMs: 3_600_000, negativeTtlMs: 3_600_000 },
        });
        try {
          await run({ gateway, store, clock, fates }, batches);
        } finally {
          await gateway.close();
          await store.close();
        }
      }),
      { numRuns: 40 },
    );
  },
);
