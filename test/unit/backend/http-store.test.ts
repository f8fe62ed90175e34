import { expect, it } from 'vitest';
import { HttpStore } from '../../../src/backend/http/http-store.ts';
import { StoreError, type StoreReceiver, type StoreReplyHead } from '../../../src/backend/store.ts';
import { StoreMeter } from '../../../src/backend/store-meter.ts';
import { systemClock } from '../../../src/base/clock.ts';
import { Metrics } from '../../../src/base/metrics.ts';
import { ScriptedOrigin } from '../../support/scripted-origin.ts';

async function withStore(
  answer: Parameters<typeof ScriptedOrigin.start>[0],
  use: (store: HttpStore, origin: ScriptedOrigin) => Promise<void>,
) {
  const origin = await ScriptedOrigin.start(answer);
  const store = new HttpStore({
    name: 'web',
    endpoint: origin.url,
    connections: 2,
    queue: { size: 4, waitMs: 2_000 },
    minRateBytes: 0,
    timeouts: { connectMs: 2_000, firstByteMs: 10_000, idleMs: 10_000 },
    clock: systemClock,
    meter: new StoreMeter(new Metrics()),
  });
  try {
    await use(store, origin);
  } finally {
    await store.close();
    await origin.close();
  }
}

const bare = { bucket: undefined, key: undefined, query: '', fields: [] };

function answered(store: HttpStore, request: Parameters<HttpStore['send']>[0]) {
  return new Promise<{ head: StoreReplyHead; bytes: number }>((resolve, reject) => {
    let head: StoreReplyHead | undefined;
    let bytes = 0;
    const receiver: StoreReceiver = {
      answered: reply => {
        head = reply;
      },
      arrived: chunk => {
        bytes += chunk.length;
      },
      ended: () => head && resolve({ head, bytes }),
      failed: reject,
    };
    store.send(request, receiver);
  });
}

it('sends target and fields as they are, and passes on every field but those of the connection', () =>
  withStore(
    (_asked, response) => {
      response.writeHead(404, { 'x-amz-any': '1', 'set-cookie': ['a=1', 'b=2'], 'keep-alive': 'timeout=9' });
      response.end('x'.repeat(200_000));
    },
    async (store, origin) => {
      const fields = [{ name: 'x-own', value: 'a', store: false }];
      const { head, bytes } = await answered(store, {
        ...bare,
        method: 'GET',
        target: '/a//../b?c=%2f',
        fields,
      });
      expect(origin.lastAsked).toMatchObject({
        method: 'GET',
        url: '/a//../b?c=%2f',
        headers: { 'x-own': 'a' },
      });
      expect(head.status).toBe(404);
      // an error page has any length
      expect(bytes).toBe(200_000);
      const named = head.fields.map(({ name, value, store: ofStore }) => [name, value, ofStore]);
      expect(named).toContainEqual(['x-amz-any', '1', false]);
      expect(named.filter(([name]) => name === 'set-cookie')).toHaveLength(2);
      expect(named.map(([name]) => name)).not.toContain('keep-alive');
    },
  ));

it('sends nothing that means a store', () =>
  withStore(
    (_asked, response) => response.end(),
    async (store, origin) => {
      const sent = answered(store, { ...bare, method: 'GET', bucket: 'b', key: 'k' });
      await expect(sent).rejects.toThrow(StoreError);
      expect(origin.asked).toEqual([]);
    },
  ));
