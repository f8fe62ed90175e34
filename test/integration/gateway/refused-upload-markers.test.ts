import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { grantPolicy } from '../../../src/gateway/request/grant-policy.ts';
import { markerBefore } from '../../../src/s3/listing/entries-after-upload.ts';
import { TestGateway } from '../../support/test-gateway.ts';

const actions = ['ListMultipartUploads'];
const refusal =
  '<Error><Code>InvalidArgument</Code><Message>Invalid uploadId marker</Message><ArgumentValue>ID</ArgumentValue></Error>';
let server: Server;
let gateway: TestGateway;
let asked: string[] = [];

afterEach(async () => {
  await gateway.close();
  server.closeAllConnections();
  server.close();
  asked = [];
});

type Upload = readonly [key: string, id: string];

/** A store of `uploads` (in order) that refuses the markers which it gives out, as versitygw does. */
async function start(uploads: readonly Upload[], keyPrefix = ''): Promise<void> {
  server = createServer(({ url = '' }, reply) => {
    asked.push(url);
    const query = new URL(url, 'http://store').searchParams;
    const [status, body] = list(uploads, query);
    reply.writeHead(status, { 'content-type': 'application/xml' }).end(body);
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  gateway = await TestGateway.start({
    storeUrl: `http://127.0.0.1:${port}`,
    buckets: { b: { keyPrefix } },
    allows: grantPolicy({ b: [{ actions, keys: ['**', '!private/**', '!**.key'] }] }, []),
  });
}

function list(uploads: readonly Upload[], query: URLSearchParams): readonly [number, string] {
  const marker = query.get('key-marker') ?? '';
  const prefix = query.get('prefix') ?? '';
  const known = uploads.filter(
    ([key]) => key.startsWith(prefix) && Buffer.compare(Buffer.from(key), Buffer.from(marker)) > 0,
  );
  const id = query.get('upload-id-marker');
  const from = id ? known.findIndex(upload => upload[1] === id) : 0;
  if (from < 0 || id) return [400, refusal.replace('ID', id ?? '')];
  const limit = Number(query.get('max-uploads') ?? 1000);
  const page = known.slice(0, limit);
  const last = page.at(-1);
  const isTruncated = known.length > limit && last !== undefined;
  const next = isTruncated
    ? `<NextKeyMarker>${last[0]}</NextKeyMarker><NextUploadIdMarker>${last[1]}</NextUploadIdMarker>`
    : '';
  const entries = page.map(
    upload => `<Upload><Key>${upload[0]}</Key><UploadId>${upload[1]}</UploadId></Upload>`,
  );
  return [
    200,
    `<ListMultipartUploadsResult><MaxUploads>${limit}</MaxUploads><IsTruncated>${isTruncated}</IsTruncated>${next}${entries.join('')}</ListMultipartUploadsResult>`,
  ];
}

/** All uploads that a client gets by walking with `limit` a page. */
async function walk(limit: number): Promise<readonly (readonly Upload[])[]> {
  const pages: Upload[][] = [];
  let more = '';
  do {
    const { status, body } = await gateway.get(`/b?uploads&max-uploads=${limit}${more}`);
    const text = body.toString();
    expect([status, text]).toEqual([200, expect.stringContaining(`<MaxUploads>${limit}</MaxUploads>`)]);
    expect(text).not.toMatch(/private|\.key|tenant/);
    const found = text.matchAll(/<Upload><Key>(.*?)<\/Key><UploadId>(.*?)<\/UploadId>/g);
    pages.push(Array.from(found, ([, key = '', id = '']): Upload => [key, id]));
    const told = (name: string) => encodeURIComponent(new RegExp(`<${name}>(.*?)</`).exec(text)?.[1] ?? '');
    const isTruncated = text.includes('<IsTruncated>true');
    more = isTruncated
      ? `&key-marker=${told('NextKeyMarker')}&upload-id-marker=${told('NextUploadIdMarker')}`
      : '';
  } while (more !== '' && pages.length < 50);
  return pages;
}

const visible: readonly Upload[] = [
  ['a', 'a-2'],
  ['a', 'a-1'],
  ['a', 'a-3'],
  ['b/.', 'dot'],
  ['b/é', 'accent'],
  ['q', 'q-1'],
  ['q', 'q-2'],
  ['z', 'z-1'],
];
const hidden: readonly Upload[] = [
  ['a.key', 'h-1'],
  ['private/1', 'h-2'],
  ['private/1', 'h-3'],
  ['zz.key', 'h-4'],
];
const all = [...visible, ...hidden].sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)));

it.each(['', 'tenant/'])('below "%s" uploads are walked to their end, however many a page', async prefix => {
  await start(
    [...all, ['other', 'x'] as const]
      .map(([key, id]): Upload => [key === 'other' ? key : prefix + key, id])
      .filter(([key]) => key !== 'other' || prefix !== ''),
    prefix,
  );
  for (const limit of [1, 2, 3, 5, 1000]) {
    const pages = await walk(limit);
    expect([limit, pages.flat()]).toEqual([limit, visible]);
    for (const page of pages.slice(0, -1)) expect(page).toHaveLength(limit);
  }
});

it('the first page of uploads that are all visible is answered', async () => {
  await start(visible);
  expect((await gateway.get('/b?uploads&max-uploads=2')).status).toBe(200);
});

it('an id that the store does not know is refused in its words, and no id of a hidden upload is told', async () => {
  await start(all);
  const { status, body } = await gateway.get('/b?uploads&key-marker=a&upload-id-marker=never');
  expect([status, body.toString()]).toEqual([400, expect.stringContaining('<ArgumentValue>never<')]);
  const first = await gateway.get('/b?uploads&max-uploads=1&prefix=private');
  expect(first.body.toString()).not.toContain('h-');
});

it('a marker before a key has nothing between itself and the key', () => {
  const before = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b)) < 0;
  for (const key of ['a', 'b/é', '\u{10000}', '\ue000', 'x\u0000', '\u{1f600}', 'a/']) {
    const marker = markerBefore(key);
    expect(marker.isWellFormed()).toBe(true);
    expect(before(marker, key)).toBe(true);
  }
  expect(before('a', markerBefore('b'))).toBe(true);
  expect(before('azzz', markerBefore('b'))).toBe(true);
});
