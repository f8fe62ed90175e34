import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { grantPolicy } from '../../../src/gateway/request/grant-policy.ts';
import { TestGateway } from '../../support/test-gateway.ts';

const hidden = Array.from({ length: 9300 }, (_, index) => `private/c${String(index * 7).padStart(6, '0')}`);
const actions = ['ListBucket', 'ListMultipartUploads', 'ListParts'];
let server: Server;
let gateway: TestGateway;
/** Queries that the store was asked. */
const asked: URLSearchParams[] = [];

afterEach(async () => {
  await gateway.close();
  server.closeAllConnections();
  server.close();
  asked.length = 0;
});

type Answer = (query: URLSearchParams) => readonly [status: number, body: string];

async function start(
  answer: Answer,
  bucket: { keys?: 'path'; bucketAtStore?: string; keyPrefix?: string } = {},
): Promise<void> {
  server = createServer(({ url = '' }, reply) => {
    const query = new URL(url, 'http://store').searchParams;
    asked.push(query);
    const [status, body] = answer(query);
    reply.writeHead(status, { 'content-type': 'application/xml' }).end(body);
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  gateway = await TestGateway.start({
    storeUrl: `http://127.0.0.1:${port}`,
    buckets: { b: bucket },
    allows: grantPolicy({ b: [{ actions, keys: ['**', '!private/**', '!**.key'] }] }, []),
  });
}

/** A store with these keys, which lists them by name alone. */
function listing(names: readonly string[]): Answer {
  const sorted = names.toSorted();
  return query => {
    const after = query.get('continuation-token') ?? query.get('start-after') ?? query.get('marker') ?? '';
    const from = sorted.findIndex(name => name > after);
    const limit = Number(query.get('max-keys') ?? 1000);
    const page = from < 0 ? [] : sorted.slice(from, from + limit);
    const isTruncated = from >= 0 && from + limit < sorted.length;
    const token =
      isTruncated && query.has('list-type')
        ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>`
        : '';
    const entries = page.map(name => `<Contents><Key>${name}</Key></Contents>`).join('');
    return [
      200,
      `<ListBucketResult><IsTruncated>${isTruncated}</IsTruncated>${token}${entries}</ListBucketResult>`,
    ];
  };
}

async function get(query: string): Promise<readonly [number, string]> {
  const { status, body } = await gateway.get(`/b?${query}`);
  return [status, body.toString()];
}

describe('thousands of hidden keys in a row', () => {
  it.each(['marker', 'list-type=2&start-after'])(
    'answer the same, wherever among them a client begins with %s',
    async parameter => {
      await start(listing(['aaa', ...hidden, 'zzz']));
      const markers = [
        'private/',
        'private/c0',
        ...[0, 1, 999, 2299, 2300, 5000, 9298, 9299].map(at => hidden[at]),
      ];
      for (const limit of [1, 2, 100]) {
        for (const marker of [...markers, 'b', 'privat', 'private/zz', 'q']) {
          const [status, text] = await get(
            `max-keys=${limit}&${parameter}=${encodeURIComponent(marker ?? '')}`,
          );
          expect([marker, status, text.match(/<Key>.*?</g)]).toEqual([marker, 200, ['<Key>zzz<']]);
          expect(text).toContain('<IsTruncated>false<');
        }
      }
    },
  );

  it('cost no more than a few, and no page is empty for them', async () => {
    await start(listing(['aaa', ...hidden, 'zzz']));
    for (const query of ['list-type=2', 'list-type=1']) {
      asked.length = 0;
      expect((await get(query))[1].match(/<Key>.*?</g)).toEqual(['<Key>aaa<', '<Key>zzz<']);
      expect(asked.length).toBeLessThan(4);
    }
  });

  it('are gone through one by one where they stand behind the last character of all', async () => {
    const behind = Array.from({ length: 2500 }, (_, index) => `private/\u{10ffff}${index}`);
    await start(listing(['aaa', ...behind, 'zzz']));
    expect((await get('max-keys=3'))[1].match(/<Key>.*?</g)).toEqual(['<Key>aaa<', '<Key>zzz<']);
  });
});

describe('a store that refuses', () => {
  const quoting = (query: URLSearchParams) =>
    `<Error><Code>InvalidArgument</Code><Message>bad ${query.get('key-marker')}</Message><ArgumentValue>${query.get('upload-id-marker')} ${query.get('key-marker')}</ArgumentValue></Error>`;
  const first = (key: string) =>
    `<ListMultipartUploadsResult><IsTruncated>true</IsTruncated><NextKeyMarker>${key}</NextKeyMarker><NextUploadIdMarker>secret-id</NextUploadIdMarker><Upload><Key>${key}</Key><UploadId>secret-id</UploadId></Upload></ListMultipartUploadsResult>`;

  it.each([
    [400, 502],
    [404, 502],
    [503, 503],
  ])('the gateway’s own next question with %i is not quoted: %i', async (refusal, status) => {
    await start(query => (query.has('key-marker') ? [refusal, quoting(query)] : [200, first('private/x')]));
    const [answered, text] = await get('uploads&max-uploads=1');
    expect(answered).toBe(status);
    expect(text).not.toMatch(/private|secret-id/);
    expect(asked.some(query => query.has('key-marker'))).toBe(true);
  });

  it('a marker of the gateway’s is not quoted', async () => {
    await start(() => [200, first('x.key')]);
    const [, page] = await get('uploads');
    const marker = /<NextKeyMarker>(.*?)</.exec(page)?.[1] ?? '';
    expect(marker).toMatch(/^~tidegate~/);
    server.removeAllListeners('request');
    server.on('request', ({ url = '' }, reply) =>
      reply.writeHead(400).end(quoting(new URL(url, 'http://store').searchParams)),
    );
    const [status, text] = await get(`uploads&key-marker=${marker}`);
    expect([status, text]).toEqual([502, expect.not.stringMatching(/x\.key|secret-id/)]);
  });

  it('the client’s own question is quoted: its words tell nothing else', async () => {
    await start(query => [400, quoting(query)]);
    const [status, text] = await get('uploads&key-marker=mine&upload-id-marker=my-id');
    expect([status, text]).toEqual([400, expect.stringContaining('my-id mine')]);
  });

  it('a beginning among hidden names, which the gateway moves, is not quoted', async () => {
    await start(query => [400, quoting(query)]);
    expect((await get('uploads&key-marker=private/x'))[0]).toBe(502);
  });
});

describe('parts of an upload in a bucket of another name', () => {
  const parts = (more: string) =>
    `<ListPartsResult xmlns="x"><Bucket>real</Bucket><Key>tenantA/k</Key><UploadId>1</UploadId>${more}</ListPartsResult>`;
  const renamed = { bucketAtStore: 'real', keyPrefix: 'tenantA/' };

  it('are listed in the names that clients use', async () => {
    await start(
      () => [200, parts('<Part><PartNumber>1</PartNumber><ETag>&quot;a&quot;</ETag></Part>')],
      renamed,
    );
    const { status, body } = await gateway.get('/b/k?uploadId=1');
    expect([status, body.toString()]).toEqual([
      200,
      '<?xml version="1.0" encoding="UTF-8"?>\n<ListPartsResult xmlns="x"><Bucket>b</Bucket><Key>k</Key><UploadId>1</UploadId><Part><PartNumber>1</PartNumber><ETag>&quot;a&quot;</ETag></Part></ListPartsResult>',
    ]);
  });

  it.each(['', 'x', '<Other>real</Other>', parts(' '.repeat(5_000_000))])(
    'are 502 when they are none',
    async body => {
      await start(() => [200, body], renamed);
      const reply = await gateway.get('/b/k?uploadId=1');
      expect([reply.status, reply.body.toString()]).toEqual([502, expect.not.stringContaining('real')]);
    },
  );

  it('are refused as the store refuses', async () => {
    const words = '<Error><Code>NoSuchUpload</Code><Message>m</Message><Key>tenantA/k</Key></Error>';
    await start(() => [404, words], renamed);
    const reply = await gateway.get('/b/k?uploadId=1');
    expect([reply.status, reply.body.toString()]).toEqual([404, expect.stringContaining('<Key>k</Key>')]);
  });
});

it('a key that begins as sealed markers do is a key', async () => {
  await start(listing(['~tidegate~x', '~tidegate~y', '~z']));
  expect((await get('max-keys=1&marker=~tidegate~x'))[1]).toContain('<Key>~tidegate~y<');
  const pages: string[] = [];
  for (let marker = ''; pages.length < 5; marker = /<Key>(.*?)</.exec(pages.at(-1) ?? '')?.[1] ?? '') {
    const [status, text] = await get(`max-keys=1&marker=${marker}`);
    expect(status).toBe(200);
    pages.push(text);
    if (!text.includes('<IsTruncated>true')) break;
  }
  expect(pages.map(text => /<Key>(.*?)</.exec(text)?.[1])).toEqual(['~tidegate~x', '~tidegate~y', '~z']);
});

it('keys that are refused at a store of paths are not listed, and stop no listing', async () => {
  await start(listing(['.sgwtmp/multipart/a', 'a', 'a\\b', 'b', 'b/.snapshot/1', 'c']), { keys: 'path' });
  const names: (string | undefined)[] = [];
  for (let marker = ''; names.length < 9; ) {
    const [status, text] = await get(`max-keys=1&marker=${encodeURIComponent(marker)}`);
    expect(status).toBe(200);
    const name = /<Key>(.*?)</.exec(text)?.[1];
    names.push(name);
    if (!text.includes('<IsTruncated>true')) break;
    marker = /<NextMarker>(.*?)</.exec(text)?.[1] ?? name ?? '';
  }
  expect(names).toEqual(['a', 'b', 'c']);
});
