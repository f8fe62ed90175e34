import { expect, it } from 'vitest';
import { GatewayProcess } from '../support/gateway-process.ts';
import { SlowStore } from '../support/slow-store.ts';

const dies = new URL('../fixtures/die-after-sending.ts', import.meta.url).href;

it('law 5: what the store does with a write whose worker has died is seen by whoever reads then', async () => {
  let fate: 'answered' | 'silence' = 'answered';
  const store = await SlowStore.start(
    () => ({ effectMs: 0, answerMs: 0 }),
    () => fate,
  );
  const put = (origin: string, content: string) =>
    fetch(`${origin}/b/k`, { method: 'PUT', body: content, headers: { connection: 'close' } });
  await put(store.url, 'old');
  const gateway = await GatewayProcess.start({
    ...{ workers: 2, memory: '64MiB', nodeArguments: ['--import', dies] },
    backends: { main: { type: 's3', endpoint: store.url } },
    buckets: {
      b: {
        ...{ backend: 'main', access: 'public', cache: { ttl: '1h' } },
        anonymous: [{ actions: ['GetObject', 'PutObject'], keys: ['**'] }],
      },
    },
  });
  /** What is read on some new connections, so that both workers are asked. */
  const read = async () => {
    const seen = new Set<string>();
    for (let asked = 0; asked < 12; asked++) {
      const answer = await fetch(`${gateway.url}/b/k`, { headers: { connection: 'close' } });
      seen.add(await answer.text());
    }
    return [...seen];
  };
  try {
    expect(await read()).toEqual(['old']);
    fate = 'silence';
    await expect(put(gateway.url, 'new')).rejects.toThrow();
    expect(await read()).toEqual(['old']);
    const restarts = async () => (await gateway.metrics()).total('worker_restarts_total');
    await expect.poll(restarts).toBe(1);
    expect(await read()).toEqual(['old']);
    store.carryOut();
    expect(await read()).toEqual(['new']);
  } finally {
    await gateway.stop();
    await store.close();
  }
});
