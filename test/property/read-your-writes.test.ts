import { request } from 'node:http';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { OWNER, StoreUnderTest } from '../support/embedded-store/store-under-test.ts';
import { SlowStore } from '../support/slow-store.ts';
import { TestGateway } from '../support/test-gateway.ts';

/** What one key is after each write to it; `gone` after a deletion. Each writer has its key for itself. */
class History {
  readonly states: string[] = ['gone'];
  /** How many writes have been answered. */
  answered = 0;
}

interface Step {
  readonly kind: 'put' | 'delete' | 'delete objects' | 'get' | 'head';
  readonly key: number;
  readonly worker: number;
}

const KEYS = 2;

/** Readers of any key, and a writer for each. A writer also reads what it has just written. */
const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom('put', 'put', 'delete', 'delete objects', 'get', 'get', 'get', 'head'),
  key: fc.nat(KEYS - 1),
  worker: fc.nat(1),
});
const actor = fc.array(step, { minLength: 4, maxLength: 14 });

/** The state that an answer shows. */
function send(gateway: TestGateway, { kind, key, worker }: Step, content: string): Promise<string> {
  const method = { put: 'PUT', delete: 'DELETE', 'delete objects': 'POST', get: 'GET', head: 'HEAD' }[kind];
  const path = kind === 'delete objects' ? '/b?delete' : `/b/k${key}`;
  const { port, hostname } = new URL(gateway.url(worker % gateway.gateways.length));
  return new Promise((resolve, reject) => {
    const sent = request({ host: hostname, port, method, path, agent: false }, answer => {
      let body = '';
      answer.on('data', chunk => {
        body += chunk;
      });
      answer.on('error', reject);
      answer.on('end', () => {
        const { statusCode = 0 } = answer;
        if (statusCode !== 404 && statusCode >= 300) reject(new Error(`${method}: ${statusCode} ${body}`));
        else if (statusCode === 404) resolve('gone');
        else resolve(kind === 'head' ? `v${answer.headers['content-length']}` : `v${body.length}`);
      });
    });
    sent.on('error', reject);
    sent.end(kind === 'put' || kind === 'delete objects' ? content : undefined);
  });
}

async function write(gateway: TestGateway, history: History, step: Step): Promise<void> {
  const number = history.states.length;
  // the length tells the version
  history.states.push(step.kind === 'put' ? `v${number}` : 'gone');
  const list = `<Delete><Object><Key>other</Key></Object><Object><Key>k${step.key}</Key></Object></Delete>`;
  await send(gateway, step, step.kind === 'delete objects' ? list : 'x'.repeat(number));
  history.answered = number;
}

async function read(gateway: TestGateway, history: History, step: Step): Promise<void> {
  const { answered } = history;
  const seen = await send(gateway, step, '');
  const possible = history.states.slice(answered);
  expect(possible, `after ${answered} of ${history.states}`).toContain(seen);
}

/** Runs all actors at the same time; the first `KEYS` of them write, each its own key. */
async function run(gateway: TestGateway, actors: readonly (readonly Step[])[]): Promise<void> {
  const histories = Array.from({ length: KEYS }, () => new History());
  const act = async (steps: readonly Step[], index: number) => {
    for (const each of steps) {
      const isWrite = each.kind !== 'get' && each.kind !== 'head';
      const own = histories[index];
      const read1 = histories[each.key];
      if (isWrite && own) {
        await write(gateway, own, { ...each, key: index });
        await read(gateway, own, { kind: 'get', key: index, worker: each.worker + 1 });
      } else if (read1) await read(gateway, read1, { ...each, kind: each.kind === 'head' ? 'head' : 'get' });
    }
  };
  await Promise.all(actors.map(act));
}

const actors = fc.array(actor, { minLength: KEYS, maxLength: 6 });

it.each([1, 2])(
  'law 5 with %d workers: after a write was answered nobody reads what was before',
  async workers => {
    await fc.assert(
      fc.asyncProperty(actors, fc.array(fc.nat(6), { minLength: 1 }), async (histories, delays) => {
        let turn = 0;
        const next = () => delays[turn++ % delays.length] ?? 0;
        const store = await SlowStore.start(() => ({ effectMs: next(), answerMs: next() }));
        const gateway = await TestGateway.start({
          storeUrl: store.url,
          workers,
          arenaBytes: 16 * 1024 * 1024,
        });
        try {
          await run(gateway, histories);
        } finally {
          await gateway.close();
          await store.close();
        }
      }),
      { numRuns: 12 },
    );
  },
);

it.each([1, 2])('the same with %d workers in front of the embedded store', async workers => {
  const store = await StoreUnderTest.start({});
  await store.put('/box');
  const gateway = await TestGateway.start({
    ...{ storeUrl: store.url, store: { credentials: { kind: 'static', ...OWNER } } },
    buckets: { b: { bucketAtStore: 'box' } },
    ...{ workers, clock: store.clock, arenaBytes: 16 * 1024 * 1024 },
  });
  try {
    await fc.assert(
      fc.asyncProperty(actors, async histories => {
        for (const key of [0, 1]) await send(gateway, { kind: 'delete', key, worker: 0 }, '');
        await run(gateway, histories);
      }),
      { numRuns: 6 },
    );
  } finally {
    await gateway.close();
    await store.stop();
  }
});
