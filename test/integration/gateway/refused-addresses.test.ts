import { afterEach, beforeEach, expect, it } from 'vitest';
import { RawStore } from '../../support/raw-store.ts';
import { TestGateway } from '../../support/test-gateway.ts';

let store: RawStore;
let gateway: TestGateway;

beforeEach(async () => {
  store = await RawStore.start(socket => socket.destroy());
  gateway = await TestGateway.start({ storeUrl: store.url, buckets: { own: {} }, domain: 'gateway.test' });
});
afterEach(async () => {
  await gateway.close();
  await store.close();
});

const long = 'k'.repeat(1_025);

it.each([
  ['217: a key that is too long', `/own/${long}`, {}, 'x-amz-', 'KeyTooLongError'],
  ['one below a bucket in the host', `/${long}`, { host: 'own.gateway.test' }, 'x-amz-', 'KeyTooLongError'],
  ['one of a client that speaks', `/own/${long}`, { 'x-store-a': 'b' }, 'x-store-', 'KeyTooLongError'],
  ['one of no bucket', `/other/${long}`, {}, 'x-store-', 'KeyTooLongError'],
  ['a name of no bucket', `/!/${long}`, {}, 'x-store-', 'InvalidBucketName'],
])('%s is refused in the dialect of its bucket', async (_, path, headers, prefix, code) => {
  const answer = await gateway.get(path, headers);
  expect(answer.status).toBe(400);
  expect(answer.body.toString()).toContain(`<Code>${code}</Code>`);
  const ids = Object.keys(answer.headers).filter(name => name.endsWith('request-id'));
  expect(ids).toEqual([`${prefix}request-id`]);
});
