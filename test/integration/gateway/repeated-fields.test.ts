import { expect, it } from 'vitest';
import { rawRequest } from '../../support/raw-request.ts';
import { RawStore } from '../../support/raw-store.ts';
import { TestGateway } from '../../support/test-gateway.ts';

it('repeated fields reach the store as a list without spaces, as in signatures', async () => {
  const store = await RawStore.start(socket => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'));
  const gateway = await TestGateway.start({ storeUrl: store.url });
  const ask = (method: string, path: string, name: string) =>
    rawRequest(gateway.url(), {
      method,
      path,
      body: '',
      headers: { host: 'g', [name]: ['ETag', 'ObjectSize'] },
    });
  await ask('PUT', '/b/k', 'x-amz-meta-a');
  await ask('GET', '/b/k?attributes', 'x-amz-object-attributes');
  expect(store.requests[0]).toMatch(/^x-amz-meta-a: ETag,ObjectSize\r$/m);
  expect(store.requests[1]).toMatch(/^x-amz-object-attributes: ETag,ObjectSize\r$/m);
  await gateway.close();
  await store.close();
});
