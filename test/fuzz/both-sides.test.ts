import { afterAll, beforeAll, expect, it } from 'vitest';
import { GatewayProcess } from '../support/gateway-process.ts';
import type { RawStore } from '../support/raw-store.ts';
import { converse, credentials } from './fuzzing-client.ts';
import { startFuzzingStore } from './fuzzing-store.ts';
import { Random } from './random.ts';

const seconds = Number(process.env.TIDEGATE_FUZZ_SECONDS ?? 60);
const seed = Number(process.env.TIDEGATE_FUZZ_SEED ?? Date.now() % 2 ** 31);
const conversationsAtOnce = 12;
const restLimitMs = 60_000;

let store: RawStore;
let gateway: GatewayProcess;

beforeAll(async () => {
  process.stdout.write(`fuzzing for ${seconds} s with TIDEGATE_FUZZ_SEED=${seed}\n`);
  store = await startFuzzingStore(seed);
  const bucket = {
    backend: 'main',
    bucket: 's',
    cache: { ttl: '1s', negativeTtl: '100ms', blockSize: '64KiB' },
  };
  gateway = await GatewayProcess.start({
    workers: 2,
    memory: '32MiB',
    backends: {
      main: {
        ...{ type: 's3', endpoint: store.url, credentials: 'none', headerPrefix: 'x-amz-', connections: 64 },
        timeouts: { connect: '1s', firstByte: '2s', idle: '2s' },
      },
    },
    buckets: {
      b: { ...bucket, access: 'public', anonymous: [{ actions: ['*'], keys: ['**'] }] },
      v: { ...bucket, access: 'verify' },
    },
    clients: [{ ...credentials, allow: [{ buckets: ['b', 'v'], keys: ['**'], actions: ['*'] }] }],
  });
});

afterAll(async () => {
  await gateway?.stop();
  await store?.close();
});

it(
  'no input of clients or stores ends a worker, goes unanswered, or brings wrong bytes',
  async () => {
    const untilMs = performance.now() + seconds * 1000;
    const port = Number(new URL(gateway.url).port);
    const wrong: string[] = [];
    let count = 0;
    const talk = async (client: number) => {
      for (let turn = 0; performance.now() < untilMs && wrong.length < 5; turn++) {
        const found = await converse(port, Random.for(seed, `client ${client} ${turn}`));
        if (found) wrong.push(found);
        count++;
      }
    };
    await Promise.all(Array.from({ length: conversationsAtOnce }, (_, client) => talk(client)));
    const rest = await atRest();
    const requests = (await gateway.metrics()).total('requests_total');
    process.stdout.write(
      `${count} connections, ${requests} requests, ${store.requests.length} at the store\n`,
    );
    const trouble = gateway.output
      .split('\n')
      .filter(line => /"level":"error"|uncaught|\bdied\b/i.test(line));
    expect(trouble).toEqual([]);
    expect(wrong).toEqual([]);
    expect(rest).toEqual({ restarts: 0, faults: 0, answering: 0, filling: 0 });
    expect(requests).toBeGreaterThan(count / 4);
  },
  (seconds + 120) * 1000,
);

/** What is left when nobody asks any more. */
async function atRest() {
  const untilMs = performance.now() + restLimitMs;
  for (;;) {
    const metrics = await gateway.metrics();
    const left = {
      restarts: metrics.total('worker_restarts_total'),
      faults: metrics.total('request_faults_total'),
      answering: metrics.total('requests_in_flight'),
      filling: metrics.total('fills_in_flight'),
    };
    if ((left.answering === 0 && left.filling === 0) || performance.now() > untilMs) return left;
    await new Promise(resolve => setTimeout(resolve, 100));
  }
}
