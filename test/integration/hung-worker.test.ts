import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { GatewayProcess } from '../support/gateway-process.ts';
import { StandInStore } from '../support/stand-in-store.ts';

const hang = new URL('../fixtures/hang-on-request.ts', import.meta.url).href;
const keys = Array.from({ length: 20 }, (_, index) => `k${index}`);

/** A gateway of some workers and its store, for one test. */
class Stage {
  readonly gateway: GatewayProcess;
  readonly #store: StandInStore;
  readonly #agents: Agent[] = [];

  private constructor(gateway: GatewayProcess, store: StandInStore) {
    this.gateway = gateway;
    this.#store = store;
  }

  static async start(workers: number): Promise<Stage> {
    const store = await StandInStore.start();
    for (const key of keys) store.put('b', key, `body of ${key}`);
    const gateway = await GatewayProcess.start({
      ...{ workers, memory: '64MiB', nodeArguments: ['--import', hang] },
      backends: { main: { type: 's3', endpoint: store.url } },
      buckets: {
        b: { backend: 'main', access: 'public', anonymous: [{ actions: ['GetObject'], keys: ['**'] }] },
      },
    });
    return new Stage(gateway, store);
  }

  /** One kept connection. */
  connection(): Agent {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    this.#agents.push(agent);
    return agent;
  }

  /** An answer on that connection; undefined when it is closed without one. */
  get(agent: Agent, path: string, method: 'GET' | 'HEAD' = 'GET'): Promise<Answer | undefined> {
    const sinceMs = performance.now();
    return new Promise(resolve => {
      const sent = request(this.gateway.url + path, { agent, method }, response => {
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

  /** Why the gateway is not ready, in its own words. */
  async notReady(): Promise<string> {
    const { reasons = [] } = (await (await fetch(`${this.gateway.adminUrl}/readyz`)).json()) as {
      reasons?: string[];
    };
    return reasons.join();
  }

  async stop(): Promise<void> {
    for (const agent of this.#agents) agent.destroy();
    await this.gateway.stop();
    await this.#store.close();
  }
}

interface Answer {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly body: string;
  readonly durationMs: number;
}

// a worker is given up after ten seconds: all gateways are started first, and then wait together
const stages = new Map<string, Stage>();

beforeAll(async () => {
  const workers = Object.entries({ 'two and their objects': 2, one: 1, two: 2, four: 4 });
  await Promise.all(workers.map(async ([name, count]) => stages.set(name, await Stage.start(count))));
}, 120_000);

afterAll(async () => {
  await Promise.all([...stages.values()].map(stage => stage.stop()));
});

function stageOf(name: string): Stage {
  const stage = stages.get(name);
  if (!stage) throw new Error(`no gateway called ${name} was started`);
  return stage;
}

describe.concurrent('a worker that stands still', () => {
  it('keeps no other one from serving its objects within two seconds, cold and warm', async ({ expect }) => {
    const stage = stageOf('two and their objects');
    const connections = Array.from({ length: 12 }, () => stage.connection());
    for (const agent of connections) {
      for (const key of keys.slice(0, 5)) expect((await stage.get(agent, `/b/${key}`))?.status).toBe(200);
      // known without their bytes
      for (const key of keys.slice(5, 10))
        expect((await stage.get(agent, `/b/${key}`, 'HEAD'))?.status).toBe(200);
    }
    const hung = stage.get(stage.connection(), '/__spin');
    const readers = connections.map(async agent => {
      const answers: Answer[] = [];
      for (const key of keys) {
        const answer = await stage.get(agent, `/b/${key}`);
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
  });

  it.for(['one', 'two', 'four'])(
    'of %s: most new connections are answered, 503 at the worst, and the admin port tells',
    async (workers, { expect }) => {
      const stage = stageOf(workers);
      const { gateway } = stage;
      const hung = stage.get(stage.connection(), '/__hang');
      await expect.poll(() => stage.notReady()).toMatch(/^worker \d is unresponsive$/);
      expect((await fetch(`${gateway.adminUrl}/healthz`)).status).toBe(200);
      const sinceMs = performance.now();
      expect((await gateway.metrics()).total('build_info')).toBe(1);
      expect(performance.now() - sinceMs).toBeLessThan(2_000);
      const asked = Array.from({ length: 100 }, (_, index) =>
        stage.get(stage.connection(), `/b/${keys[index % keys.length]}`),
      );
      const answers = (await Promise.all(asked)).filter(answer => answer !== undefined);
      for (const { status, retryAfter } of answers)
        expect([status, retryAfter]).toEqual(workers === 'one' ? [503, '1'] : [200, undefined]);
      const quick = answers.filter(({ durationMs }) => durationMs < 2_000);
      expect(quick.length).toBeGreaterThan(75);
      expect(await hung).toBeUndefined();
      await expect.poll(() => stage.notReady()).toBe('');
      // whoever answered meanwhile takes what waits at its sockets before it closes them
      await expect.poll(async () => (await stage.get(stage.connection(), '/b/k0'))?.status).toBe(200);
      expect(await stage.get(stage.connection(), '/b/k0')).toMatchObject({ status: 200, body: 'body of k0' });
    },
  );
});
