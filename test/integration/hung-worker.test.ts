import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { GatewayProcess } from '../support/gateway-process.ts';
import { StandInStore } from '../support/stand-in-store.ts';

const hang = new URL('../fixtures/hang-on-request.ts', import.meta.url).href;
const keys = Array.from({ length: 20 }, (_, index) => `k${index}`);

let store: StandInStore;
let gateway: GatewayProcess;
let agents: Agent[];

beforeEach(async () => {
  store = await StandInStore.start();
  for (const key of keys) store.put('b', key, `body of ${key}`);
  agents = [];
});

afterEach(async () => {
  for (const agent of agents) agent.destroy();
  await gateway.stop();
  await store.close();
});

async function start(workers: number): Promise<void> {
  gateway = await GatewayProcess.start({
    ...{ workers, memory: '64MiB', nodeArguments: ['--import', hang] },
    backends: { main: { type: 's3', endpoint: store.url } },
    buckets: {
      b: { backend: 'main', access: 'public', anonymous: [{ actions: ['GetObject'], keys: ['**'] }] },
    },
  });
}

/** One kept connection. */
function connection(): Agent {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  agents.push(agent);
  return agent;
}

interface Answer {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly body: string;
  readonly durationMs: number;
}

/** An answer on that connection; undefined when it is closed without one. */
function get(agent: Agent, path: string, method: 'GET' | 'HEAD' = 'GET'): Promise<Answer | undefined> {
  const sinceMs = performance.now();
  return new Promise(resolve => {
    const sent = request(gateway.url + path, { agent, method }, response => {
      const durationMs = performance.now() - sinceMs;
      const { statusCode = 0, headers } = response;
      text(response).then(
        body => resolve({ status: statusCode, retryAfter: headers['retry-after'], body, durationMs }),
        () => resolve(undefined),
      );
    });
    sent.on('error', () => resolve(undefined)).end();
  });
}

it('objects of a worker that stands still are read at the others within two seconds, cold and warm', async () => {
  await start(2);
  const connections = Array.from({ length: 12 }, connection);
  for (const agent of connections) {
    for (const key of keys.slice(0, 5)) expect((await get(agent, `/b/${key}`))?.status).toBe(200);
    // known without their bytes
    for (const key of keys.slice(5, 10)) expect((await get(agent, `/b/${key}`, 'HEAD'))?.status).toBe(200);
  }
  const hung = get(connection(), '/__hang');
  const readers = connections.map(async agent => {
    const answers: Answer[] = [];
    for (const key of keys) {
      const answer = await get(agent, `/b/${key}`);
      if (!answer) return undefined;
      expect(answer).toMatchObject({ status: 200, body: `body of ${key}` });
      answers.push(answer);
    }
    return answers;
  });
  const served = (await Promise.all(readers)).filter(answers => answers !== undefined);
  expect(served.length).toBeGreaterThan(0);
  const slowestMs = Math.max(...served.flat().map(({ durationMs }) => durationMs));
  expect(slowestMs).toBeLessThan(2_000);
  expect(await hung).toBeUndefined();
}, 60_000);

it.each([1, 2, 4])(
  'of %i workers one stands still: most new connections are answered, 503 at the worst, and the admin port tells',
  async workers => {
    await start(workers);
    const hung = get(connection(), '/__hang');
    await expect.poll(() => notReady(), { timeout: 5_000 }).toMatch(/^worker \d is unresponsive$/);
    expect((await fetch(`${gateway.adminUrl}/healthz`)).status).toBe(200);
    const sinceMs = performance.now();
    expect((await gateway.metrics()).total('build_info')).toBe(1);
    expect(performance.now() - sinceMs).toBeLessThan(2_000);
    const asked = Array.from({ length: 100 }, (_, index) =>
      get(connection(), `/b/${keys[index % keys.length]}`),
    );
    const answers = (await Promise.all(asked)).filter(answer => answer !== undefined);
    for (const { status, retryAfter } of answers)
      expect([status, retryAfter]).toEqual(workers === 1 ? [503, '1'] : [200, undefined]);
    const quick = answers.filter(({ durationMs }) => durationMs < 2_000);
    expect(quick.length).toBeGreaterThan(75);
    expect(await hung).toBeUndefined();
    await expect.poll(() => notReady(), { timeout: 10_000 }).toBe('');
    // whoever answered meanwhile takes what waits at its sockets before it closes them
    await expect.poll(async () => (await get(connection(), '/b/k0'))?.status).toBe(200);
    expect(await get(connection(), '/b/k0')).toMatchObject({ status: 200, body: 'body of k0' });
  },
  60_000,
);

/** Why the gateway is not ready, in its own words. */
async function notReady(): Promise<string> {
  const { reasons = [] } = (await (await fetch(`${gateway.adminUrl}/readyz`)).json()) as {
    reasons?: string[];
  };
  return reasons.join();
}
