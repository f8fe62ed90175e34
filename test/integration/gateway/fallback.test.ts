import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { StandInStore } from '../../support/stand-in-store.ts';
import { TestGateway, type TestGatewayOptions } from '../../support/test-gateway.ts';

let primary: StandInStore;
let replica: StandInStore;
let gateway: TestGateway;

beforeEach(async () => {
  primary = await StandInStore.start();
  replica = await StandInStore.start();
  primary.put('b', 'k', 'version one');
  replica.put('b-replica', 'k', 'version two');
});
afterEach(async () => {
  await gateway.close();
  await primary.close().catch(() => undefined);
  await replica.close();
});

async function startGateway(options: Partial<TestGatewayOptions> = {}): Promise<void> {
  gateway = await TestGateway.start({ storeUrl: primary.url, fallbackUrl: replica.url, ...options });
}

async function read(path = '/b/k', headers: Record<string, string> = {}, worker = 0) {
  const answer = await gateway.get(path, headers, worker);
  return {
    status: answer.status,
    text: answer.body.toString(),
    cache: answer.headers['x-cache'],
    how: answer.headers['cache-status'],
  };
}

/** The store breaks each connection that it gets off. */
function failPrimary(): void {
  primary.faults.next(
    { kind: 'answer', status: 500, body: '<Error><Code>InternalError</Code></Error>' },
    1_000,
  );
}

describe('while the store', () => {
  it.each([1, 2])(
    'cannot be reached, reads are answered from the fallback and kept (%d workers)',
    async workers => {
      await startGateway({ workers });
      await primary.close();
      for (let worker = 0; worker < workers; worker++) {
        const answer = await read('/b/k', {}, worker);
        expect(answer).toMatchObject({ status: 200, text: 'version two' });
        expect(answer.how).toContain('detail=fallback');
      }
      expect(await read()).toMatchObject({ text: 'version two', cache: 'HIT' });
      expect(replica.log.requests.map(({ method, url }) => `${method} ${url}`)).toEqual(['GET /b-replica/k']);
    },
  );

  it('answers 500, HEAD and ranges are answered from the fallback as well', async () => {
    await startGateway();
    failPrimary();
    const head = await gateway.head('/b/k');
    expect([head.status, head.headers['content-length']]).toEqual([200, '11']);
    expect(await read('/b/k', { range: 'bytes=8-' })).toMatchObject({ status: 206, text: 'two' });
  });

  it('works, the fallback is not asked', async () => {
    await startGateway();
    expect(await read()).toMatchObject({ text: 'version one' });
    expect(await read('/b/missing')).toMatchObject({ status: 404 });
    expect(replica.log.requests).toEqual([]);
  });
});

it('law 2: what came from one store is never served as that of the other, though their tags are equal', async () => {
  const headers = { etag: '"same"' };
  primary.put('b', 'k', 'of the one', { headers });
  replica.put('b-replica', 'k', 'of another', { headers });
  await startGateway({ policy: { ttlMs: 0 } });
  expect(await read()).toMatchObject({ text: 'of the one' });
  failPrimary();
  expect(await read()).toMatchObject({ text: 'of another' });
  primary.faults.clear();
  expect(await read()).toMatchObject({ text: 'of the one', cache: 'REVALIDATED' });
});

describe.each(['GET', 'HEAD'] as const)('law 6: who may list and not read, with %s', method => {
  it.each(['closed', 'silent'] as const)('gets nothing of the fallback while the store is %s', async how => {
    await startGateway({
      allows: (_caller, _bucket, action) => action === 'ListBucket',
      store: { timeouts: { connectMs: 300, firstByteMs: 300, idleMs: 300 } },
    });
    const gate = primary.hold();
    if (how === 'closed') await primary.close();
    const answer = await (method === 'GET' ? gateway.get('/b/k') : gateway.head('/b/k'));
    gate.release();
    expect(answer.status).toBe(how === 'closed' ? 503 : 504);
    expect(answer.headers.etag).toBeUndefined();
    expect(replica.log.requests).toEqual([]);
  });
});

it('keys have the prefix of the bucket at the fallback, once, and events of either store end what is cached', async () => {
  await startGateway({ buckets: { b: { keyPrefix: 'p/' } } });
  replica.put('b-replica', 'p/k', 'below the prefix');
  await primary.close();
  expect(await read()).toMatchObject({ text: 'below the prefix' });
  expect(replica.log.requests.map(({ url }) => url)).toEqual(['/b-replica/p/k']);
  replica.put('b-replica', 'p/k', 'changed');
  expect(await read()).toMatchObject({ text: 'below the prefix', cache: 'HIT' });
  const changes = [{ bucket: 'b-replica', keys: ['p/k'] }];
  expect(gateway.gateways[0]?.invalidate({ backend: 'main', changes })).toBe(0);
  expect(gateway.gateways[0]?.invalidate({ backend: 'fallback', changes })).toBe(1);
  expect(await read()).toMatchObject({ text: 'changed' });
});

it.each(['purge', 'write'] as const)('law 5: a %s ends what was kept of the fallback as well', async how => {
  await startGateway();
  failPrimary();
  expect(await read()).toMatchObject({ text: 'version two' });
  replica.put('b-replica', 'k', 'version three');
  expect(await read()).toMatchObject({ text: 'version two', cache: 'HIT' });
  if (how === 'write') await gateway.send('DELETE', '/b/k');
  else
    expect(gateway.gateways[0]?.purge({ kind: 'prefix', bucket: 'b', prefix: '' })).toMatchObject({
      objects: 1,
    });
  expect(await read()).toMatchObject({ text: 'version three' });
});

describe('the client is told of the failure of its own store', () => {
  it.each(['missing', 'failing'])('when the object is %s at the fallback', async how => {
    await startGateway();
    if (how === 'missing') replica.remove('b-replica', 'k');
    else replica.faults.next({ kind: 'answer', status: 502 }, 10);
    failPrimary();
    expect(await read()).toMatchObject({ status: 500, cache: 'MISS' });
    await primary.close();
    if (how === 'failing') replica.faults.next({ kind: 'answer', status: 502 }, 10);
    const answer = await gateway.get('/b/k');
    expect([answer.status, answer.headers['retry-after']]).toEqual([503, '1']);
    expect(answer.headers['cache-status']).toMatch(/^tidegate; fwd=miss; detail=(?:unreachable|broken)$/);
  });

  it('when it writes: writes never go to the fallback', async () => {
    await startGateway();
    await primary.close();
    expect((await gateway.send('DELETE', '/b/k')).status).toBe(503);
    expect(replica.log.requests).toEqual([]);
  });

  it('when it lists', async () => {
    await startGateway();
    failPrimary();
    expect((await read('/b?list-type=2')).status).toBe(500);
    expect(replica.log.requests).toEqual([]);
  });

  it('when the store refuses it', async () => {
    await startGateway();
    primary.faults.next({ kind: 'answer', status: 403, body: '<Error><Code>AccessDenied</Code></Error>' }, 5);
    expect(await read()).toMatchObject({ status: 403 });
    expect(replica.log.requests).toEqual([]);
  });
});

describe('a read that is not kept', () => {
  const without = ['etag'];

  beforeEach(() => {
    primary.put('b', 'k', 'passed one', { without });
    replica.put('b-replica', 'k', 'passed two', { without });
  });

  it('is passed on from the fallback', async () => {
    await startGateway();
    const passed = (how: string) => ({ cache: 'BYPASS', how: `tidegate; fwd=bypass; detail=${how}` });
    expect(await read()).toMatchObject({ text: 'passed one', ...passed('unkeepable') });
    failPrimary();
    expect(await read()).toMatchObject({ status: 200, text: 'passed two', ...passed('fallback') });
    await primary.close();
    expect(await read()).toMatchObject({ status: 200, text: 'passed two', ...passed('fallback') });
  });

  it('has no word of the fallback where that has nothing to answer', async () => {
    await startGateway();
    await read();
    replica.remove('b-replica', 'k');
    failPrimary();
    expect(await read()).toMatchObject({ status: 500, how: 'tidegate; fwd=bypass; detail=unkeepable' });
  });

  it('with a key of its client says so as well', async () => {
    await startGateway();
    const name = 'x-amz-server-side-encryption-customer';
    const key = {
      [`${name}-algorithm`]: 'AES256',
      [`${name}-key`]: Buffer.alloc(32).toString('base64'),
      [`${name}-key-md5`]: createHash('md5').update(Buffer.alloc(32)).digest('base64'),
    };
    expect(await read('/b/k', key)).toMatchObject({ how: 'tidegate; fwd=bypass; detail=sse-c' });
    await primary.close();
    expect(await read('/b/k', key)).toMatchObject({
      text: 'passed two',
      how: 'tidegate; fwd=bypass; detail=fallback',
    });
  });

  it('names nothing of the store that stands in, whose bucket has another name there', async () => {
    const headers = { location: 'http://replica/b-replica/k', link: '</b-replica/k>; rel=x' };
    primary.put('b', 'k', 'passed one', { without, headers: { location: 'http://store/b/k' } });
    replica.put('b-replica', 'k', 'passed two', { without, headers });
    await startGateway();
    expect((await gateway.get('/b/k')).headers.location).toBe('http://store/b/k');
    failPrimary();
    const answer = await gateway.get('/b/k');
    expect(answer.body.toString()).toBe('passed two');
    expect([answer.headers.location, answer.headers.link]).toEqual([undefined, undefined]);
  });

  it('fails as the store has failed, when the fallback redirects', async () => {
    await startGateway();
    await read();
    failPrimary();
    const body = '<Error><Code>PermanentRedirect</Code><Bucket>b-replica</Bucket></Error>';
    replica.faults.next({ kind: 'answer', status: 301, body, headers: { location: 'http://b-replica' } }, 10);
    const answer = await gateway.get('/b/k');
    expect(answer.status).toBe(500);
    expect(JSON.stringify(answer.headers) + answer.body.toString()).not.toContain('b-replica');
  });

  it('is passed on from the fallback when nothing was known of it', async () => {
    await startGateway();
    failPrimary();
    expect(await read()).toMatchObject({ status: 200, text: 'passed two', cache: 'BYPASS' });
  });

  it('fails as the store has failed, when the fallback does not have it', async () => {
    await startGateway();
    await read();
    replica.remove('b-replica', 'k');
    failPrimary();
    expect(await read()).toMatchObject({ status: 500 });
    await primary.close();
    expect(await read()).toMatchObject({ status: 503 });
  });
});
