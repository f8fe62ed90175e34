import { afterEach, expect, it } from 'vitest';
import type { Account } from '../../../src/embedded-store/access/caller.ts';
import { Lab } from '../../support/conformance/lab.ts';
import { OWNER } from '../../support/embedded-store/store-under-test.ts';
import { RawStore } from '../../support/raw-store.ts';
import { TestGateway } from '../../support/test-gateway.ts';

const reader: Account = {
  accessKeyId: 'reader',
  secretAccessKey: 'reader-secret',
  grants: [{ buckets: ['plums', 'mine'], actions: ['ListBucket'], keys: ['public/**'] }],
};

let close: () => Promise<unknown> = async () => undefined;
afterEach(() => close());

async function start() {
  const lab = await Lab.start({
    accounts: [OWNER, reader],
    buckets: { mine: { bucketAtStore: 'real' } },
    anonymous: { '*': [{ actions: ['GetObject'], keys: ['**'] }] },
    gateway: { hasOthers: true },
  });
  close = () => lab.stop();
  for (const name of ['plums', 'apples', 'real', 'mine']) await lab.store.put(`/${name}`);
  return lab;
}

const names = (text: string) => Array.from(text.matchAll(/<Name>([^<]*)<\/Name>/g), ([, name]) => name);

it('the buckets of the store are named where the caller may list them, configured ones by their own name', async () => {
  const lab = await start();
  const all = await lab.ask({ path: '/' });
  expect(names(all.text)).toEqual(['apples', 'mine', 'plums', 'real']);
  expect(all.text).toMatch(/<Name>apples<\/Name><CreationDate>20\d\d-/);
  expect(names((await lab.ask({ path: '/', as: reader })).text)).toEqual(['mine', 'plums']);
  expect(names((await lab.ask({ path: '/?prefix=p' })).text)).toEqual(['plums']);
  const first = await lab.ask({ path: '/?max-buckets=2' });
  const token = /<ContinuationToken>(.*)<\/ContinuationToken>/.exec(first.text)?.[1] ?? '';
  expect(names((await lab.ask({ path: `/?continuation-token=${token}` })).text)).toEqual(['plums', 'real']);
});

it('no store is asked for callers who may list none, nor for a malformed query', async () => {
  const lab = await start();
  const before = await lab.requests();
  // shows the dialect
  const fields = { 'expected-bucket-owner': '000000000000' };
  expect((await lab.ask({ path: '/', as: 'anonymous', fields })).status).toBe(403);
  expect((await lab.ask({ path: '/?max-buckets=many' })).status).toBe(400);
  expect(await lab.requests()).toBe(before);
});

it.each([
  ['403 Forbidden', '<Error><Code>AccessDenied</Code></Error>', 200, ['b']],
  ['503 Slow', '<Error><Code>SlowDown</Code></Error>', 503, []],
  ['200 OK', '<Something/>', 502, []],
  ['200 OK', '<ListAllMyBucketsResult><Buckets><Bucket/></Buckets></ListAllMyBucketsResult>', 200, ['b']],
])('a store that answers %s with %s', async (status, body, told, listed) => {
  const store = await RawStore.start(socket =>
    socket.write(`HTTP/1.1 ${status}\r\ncontent-length: ${body.length}\r\n\r\n${body}`),
  );
  const gateway = await TestGateway.start({ storeUrl: store.url, hasOthers: true });
  close = async () => {
    await gateway.close();
    await store.close();
  };
  const reply = await gateway.get('/');
  expect([reply.status, names(reply.body.toString()).filter(Boolean)]).toEqual([told, listed]);
});
