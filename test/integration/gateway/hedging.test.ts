import { createServer, type Server, type ServerResponse } from 'node:http';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { HedgeSettings } from '../../../src/backend/hedge/hedge-policy.ts';
import { listenLocally } from '../../support/listen-locally.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { TestGateway } from '../../support/test-gateway.ts';

const FAST_MS = 20;
const SLOW_MS = 500;
/** One answer in fifty takes long. */
const SLOW_EVERY = 50;
const READS = 1_200;
/** Reads from which the gateway learns what is slow. */
const WARM_UP = 100;

let server: Server;
let gateway: TestGateway;
let clock: ManualClock;
/** Called with each request that reaches the store, which answers when the test says so. */
let reached: (response: ServerResponse) => void;

beforeEach(() => {
  clock = new ManualClock();
  server = createServer((_, response) => reached(response));
});

afterEach(async () => {
  await gateway.close();
  server.closeAllConnections();
  server.close();
});

function nextRequest(): Promise<ServerResponse> {
  return new Promise(resolve => {
    reached = resolve;
  });
}

function contentOf(path: string | undefined): string {
  return `content of ${path}`;
}

function answer(response: ServerResponse): void {
  const path = response.req.url;
  const body = contentOf(path);
  response.writeHead(206, {
    etag: `"${path}"`,
    'content-length': body.length,
    'content-range': `bytes 0-${body.length - 1}/${body.length}`,
  });
  response.end(body);
}

/** Reads objects that are not held, one after the other; gives the time of each read, and the requests that it took. */
async function measure(hedge: HedgeSettings | undefined) {
  gateway = await TestGateway.start({ storeUrl: await listenLocally(server), clock, store: { hedge } });
  const times: number[] = [];
  let requests = 0;
  for (let read = 0; read < READS; read++) {
    const startMs = clock.monotonicMs();
    const first = nextRequest();
    const answered = gateway.get(`/b/k${read}`);
    let response = await first;
    requests++;
    const isSlow = read % SLOW_EVERY === SLOW_EVERY - 1;
    if (isSlow && hedge && read >= WARM_UP) {
      const second = nextRequest();
      clock.advance(2 * FAST_MS);
      response = await second;
      requests++;
      clock.advance(FAST_MS);
    } else clock.advance(isSlow ? SLOW_MS : FAST_MS);
    answer(response);
    const { status, body } = await answered;
    expect([status, body.toString()]).toEqual([200, contentOf(`/b/k${read}`)]);
    times.push(clock.monotonicMs() - startMs);
  }
  return { requests, sorted: times.slice(WARM_UP).toSorted((one, other) => one - other) };
}

async function hedges(): Promise<Record<string, number>> {
  const families = (await gateway.metrics[0]?.snapshot()) ?? [];
  const { values } = families.find(({ name }) => name === 'tidegate_backend_hedges_total') ?? { values: [] };
  return Object.fromEntries(values.map(({ labels, value }) => [labels.outcome, value]));
}

const SLOW_READS = (READS - WARM_UP) / SLOW_EVERY;

it('without second requests a store of which one answer in fifty takes long answers as many reads late', async () => {
  const { requests, sorted } = await measure(undefined);
  expect(requests).toBe(READS);
  expect(sorted.filter(time => time >= SLOW_MS)).toHaveLength(SLOW_READS);
  expect(sorted[Math.floor(0.99 * sorted.length)]).toBe(SLOW_MS);
});

it('with them it answers none late, for one request more for each that would have been', async () => {
  const { requests, sorted } = await measure({ quantile: 0.95, share: 0.05 });
  expect(requests).toBe(READS + SLOW_READS);
  expect(requests - READS).toBeLessThanOrEqual(0.05 * READS);
  expect(await hedges()).toEqual({ won: SLOW_READS });
  expect(sorted.at(-1)).toBe(3 * FAST_MS);
});
