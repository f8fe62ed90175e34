import { createServer, type Server } from 'node:http';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { TestGateway } from '../../../support/test-gateway.ts';

let store: Server;
let gateway: TestGateway;

/** Answers with the status that the key begins with. */
beforeEach(async () => {
  store = createServer((request, response) => {
    const status = Number(/\/(\d{3})[^/]*$/.exec(request.url?.split('?')[0] ?? '')?.[1] ?? 200);
    response.writeHead(status, { 'content-type': 'application/xml' }).end();
  });
  await new Promise<void>(resolve => store.listen(0, '127.0.0.1', resolve));
  const address = store.address();
  if (!address || typeof address === 'string') throw new Error('the store does not listen');
  gateway = await TestGateway.start({
    storeUrl: `http://127.0.0.1:${address.port}`,
    allows: (_caller, _bucket, action, key) =>
      ['GetObject', 'GetObjectTagging'].includes(action) && !key.startsWith('private/'),
  });
});
afterEach(async () => {
  await gateway.close();
  await new Promise(resolve => store.close(resolve));
});

/** The labels of a family's samples that are not zero. */
async function counted(name: string) {
  const snapshot = (await gateway.metrics[0]?.snapshot()) ?? [];
  const values = snapshot.find(family => family.name === name)?.values ?? [];
  return values.filter(({ value }) => value > 0).map(({ labels }) => labels);
}

it('an absent key is counted as the verdict of the store, the lack of a grant as that of the gateway', async () => {
  expect((await gateway.get('/b/404')).status).toBe(403);
  expect((await gateway.get('/b/404')).status).toBe(403);
  expect((await gateway.get('/b/404-tags?tagging')).status).toBe(403);
  expect((await gateway.get('/b/403')).status).toBe(403);
  expect(await counted('tidegate_error_responses_total')).toEqual([
    { bucket: 'b', code: 'AccessDenied', by: 'store' },
  ]);
  expect((await gateway.get('/b/private/1')).status).toBe(403);
  expect(await counted('tidegate_error_responses_total')).toContainEqual({
    ...{ bucket: 'b', code: 'AccessDenied', by: 'gateway' },
  });
});

it('requests to a backend are counted under the operation that is passed on', async () => {
  await gateway.get('/b/404-tags?tagging');
  await gateway.get('/b/404');
  expect(await counted('tidegate_backend_requests_total')).toEqual([
    expect.objectContaining({ operation: 'GetObjectTagging', status: '404' }),
    expect.objectContaining({ operation: 'GetObject', status: '404' }),
  ]);
});
