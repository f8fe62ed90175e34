import { afterEach, beforeEach, expect, it } from 'vitest';
import { StandInStore } from '../../support/stand-in-store.ts';
import { TestGateway } from '../../support/test-gateway.ts';

const content = 'the first part and the second one';
let store: StandInStore;
let gateway: TestGateway;

beforeEach(async () => {
  store = await StandInStore.start();
  gateway = await TestGateway.start({ storeUrl: store.url });
  store.put('b', 'k', content, { headers: { etag: '"t-2"' } });
});

afterEach(async () => {
  await gateway.close();
  await store.close();
});

/** The store says once that the first bytes are at `place`. */
function misplace(place: string): void {
  const headers = { etag: '"t-2"', 'content-range': `bytes ${place}/${content.length}` };
  store.faults.next({ kind: 'answer', status: 206, body: content.slice(0, 14), headers });
}

it.each(['GET', 'HEAD'])(
  'a first part that is said to begin behind the first byte is a wrong answer, of which nothing is kept: %s',
  async method => {
    misplace('4-17');
    const path = '/b/k?partNumber=1';
    const wrong = await (method === 'GET' ? gateway.get(path) : gateway.head(path));
    expect([wrong.status, wrong.headers['cache-status']]).toEqual([
      502,
      'tidegate; fwd=miss; detail=wrong-answer',
    ]);
    expect((await gateway.get('/b/k')).body.toString()).toBe(content);
    misplace('0-13');
    const right = await gateway.get(path);
    expect([right.status, right.headers['content-range']]).toEqual([206, 'bytes 0-13/33']);
    expect(right.body.toString()).toBe(content.slice(0, 14));
  },
);
