import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PutBucketVersioningCommand, paginateListObjectsV2 } from '@aws-sdk/client-s3';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Account } from '../../../src/embedded-store/access/caller.ts';
import { grantPolicy } from '../../../src/gateway/request/grant-policy.ts';
import { readXml, textOf, type XmlElement } from '../../../src/s3/xml-reader.ts';
import { clientCalled } from '../../support/callers.ts';
import { Lab } from '../../support/conformance/lab.ts';
import { OWNER } from '../../support/embedded-store/store-under-test.ts';
import { TestGateway } from '../../support/test-gateway.ts';

const actions = ['ListBucket', 'ListObjectVersions', 'ListMultipartUploads'];
const shown = ['a', 'b/1', 'b/2', 'certs/ca.pem', 'z end', 'ü/1'];
const hidden = [
  ...['a-private', 'b/secret.key', 'certs/server.key', 'private/1', 'private/2', 'private/3', 'private/4'],
  ...['private/5/deep', 'zz.key', 'zzz.key'],
];
const patterns = ['**', '!private/**', '!**.key', '!a-private'];
const poor: Account = { accessKeyId: 'poor', secretAccessKey: 'poor-secret', grants: [{ actions }] };

/** What one page says. */
interface Page {
  readonly text: string;
  readonly names: readonly string[];
  readonly isTruncated: boolean;
  readonly element: (name: string) => string | undefined;
}

function readPage(text: string): Page {
  const root = readXml(text, { length: 1e6, depth: 9, nodes: 1e6, memberLength: 1e6 });
  const children = (element: XmlElement | undefined) =>
    (element?.children ?? []).filter((child): child is XmlElement => typeof child !== 'string');
  const element = (name: string) => {
    const found = children(root).find(each => each.name === name);
    return found && textOf(found);
  };
  const listed = children(root).filter(({ name }) =>
    ['Contents', 'Version', 'DeleteMarker', 'CommonPrefixes', 'Upload'].includes(name),
  );
  const names = listed.map(entry => {
    const named = children(entry).find(({ name }) => name === 'Key' || name === 'Prefix');
    return named ? textOf(named) : '';
  });
  return { text, names, isTruncated: element('IsTruncated') === 'true', element };
}

/** The parameters that ask for the page behind `page`. */
const goingOn = {
  'list-type=2': (page: Page) => ({ 'continuation-token': page.element('NextContinuationToken') }),
  'list-type=1': (page: Page) => ({ marker: page.element('NextMarker') ?? page.names.at(-1) }),
  versions: (page: Page) => ({
    'key-marker': page.element('NextKeyMarker'),
    'version-id-marker': page.element('NextVersionIdMarker'),
  }),
  uploads: (page: Page) => ({
    'key-marker': page.element('NextKeyMarker'),
    'upload-id-marker': page.element('NextUploadIdMarker'),
  }),
};
type Listing = keyof typeof goingOn;

describe.each([
  ['box', ''],
  ['tenant', 'tenantA/'],
])('the bucket %s, below the prefix "%s"', (bucket, keyPrefix) => {
  let lab: Lab;

  beforeAll(async () => {
    lab = await Lab.start({
      accounts: [OWNER],
      buckets: { box: {}, tenant: { bucketAtStore: 'box', keyPrefix: 'tenantA/' } },
      gateway: {
        authenticate: () => clientCalled('poor'),
        allows: grantPolicy({}, [
          { accessKeyId: 'poor', allow: [{ buckets: ['*'], keys: patterns, actions }] },
        ]),
      },
    });
    await lab.store.put('/box');
    const versioning = { VersioningConfiguration: { Status: 'Enabled' as const } };
    await lab.store.sdk().send(new PutBucketVersioningCommand({ Bucket: 'box', ...versioning }));
    for (const key of [...shown, ...hidden]) {
      const path = `/box/${keyPrefix}${key.split('/').map(encodeURIComponent).join('/')}`;
      await lab.store.put(path, 'one');
      await lab.store.put(path, 'two');
      await lab.store.signed({ method: 'POST', path: `${path}?uploads` });
    }
    if (keyPrefix !== '') for (const key of ['tenantB/x', 'other']) await lab.store.put(`/box/${key}`, 'x');
  });
  afterAll(() => lab.stop());

  async function pageOf(parameters: Record<string, string | undefined>, listing: Listing): Promise<Page> {
    const given = Object.entries(parameters).filter(([, value]) => value !== undefined && value !== '');
    const query = given.map(([name, value]) => `${name}=${encodeURIComponent(value ?? '')}`);
    const reply = await lab.gateway.get(`/${bucket}?${[listing, ...query].join('&')}`);
    expect([reply.status, reply.body.toString()]).toEqual([200, expect.any(String)]);
    return readPage(reply.body.toString());
  }

  async function pagesOf(parameters: Record<string, string>, listing: Listing): Promise<readonly Page[]> {
    const pages: Page[] = [];
    let more: Record<string, string | undefined> = {};
    do {
      const page = await pageOf({ ...parameters, ...more }, listing);
      pages.push(page);
      const next = Object.entries(page.isTruncated ? goingOn[listing](page) : {});
      const decode = (text = '') => ('encoding-type' in parameters ? decodeURIComponent(text) : text);
      more = Object.fromEntries(next.map(([name, value]) => [name, decode(value)]));
    } while (pages.at(-1)?.isTruncated && pages.length < 60);
    expect(pages.length).toBeLessThan(60);
    return pages;
  }

  const listings: readonly Listing[] = ['list-type=2', 'list-type=1', 'versions', 'uploads'];
  const limits = ['1', '2', '3', '5', '1000'];
  it.each(listings.flatMap(listing => limits.map(limit => [listing, limit] as const)))(
    'lists with %s, %s a page: every name that may be seen, no other anywhere, and no gaps',
    async (listing, limit) => {
      const copies = listing === 'versions' ? 2 : 1;
      for (const encoded of [{}, { 'encoding-type': 'url' }]) {
        const parameters = { ...encoded, [listing === 'uploads' ? 'max-uploads' : 'max-keys']: limit };
        const pages = await pagesOf(parameters, listing);
        const names = pages.flatMap(page => page.names).map(name => decodeURIComponent(name));
        expect(names).toEqual(shown.flatMap(name => Array(copies).fill(name)));
        for (const { text } of pages) for (const name of hidden) expect(text).not.toContain(`>${name}`);
        for (const { text } of pages) expect(text).not.toContain('tenant' === bucket ? 'tenantA' : 'private');
        for (const page of pages.slice(0, -1)) expect(page.names).toHaveLength(Number(limit));
        expect(pages.at(-1)?.names).not.toEqual([]);
        for (const page of pages)
          if (listing === 'list-type=2') expect(page.element('KeyCount')).toBe(String(page.names.length));
      }
    },
  );

  it.each(['1', '2', '1000'])('lists folders, %s a page, but none that is hidden whole', async limit => {
    for (const listing of ['list-type=2', 'list-type=1', 'versions'] as const) {
      const pages = await pagesOf({ delimiter: '/', 'max-keys': limit }, listing);
      const names = pages.flatMap(page => page.names);
      const twice = listing === 'versions' ? ['a', 'z end'] : [];
      expect(names.toSorted()).toEqual(['a', 'b/', 'certs/', 'z end', 'ü/', ...twice].toSorted());
      for (const { text } of pages) expect(text).not.toContain('private');
    }
  });

  it('tells no beginning of a hidden name with a delimiter of the caller’s choice', async () => {
    for (const delimiter of ['e', 'r', '.', 'server.k', 'iv']) {
      const pages = await pagesOf({ delimiter, 'max-keys': '2' }, 'list-type=2');
      for (const { names, text } of pages) {
        for (const name of names) expect(shown).toContain(name);
        expect(text).not.toMatch(/certs\/s|>priv|>zz/);
      }
    }
  });

  it('answers the same behind any marker, whether hidden names stand there or not', async () => {
    const markers = ['priv', 'private/', 'private/2', 'private/4zz', 'q', 'private/5/d'];
    const answers = await Promise.all(
      markers.map(async marker => {
        const page = await pageOf({ 'start-after': marker, 'max-keys': '1' }, 'list-type=2');
        return [page.names, page.isTruncated, page.element('StartAfter')];
      }),
    );
    expect(answers).toEqual(markers.map(marker => [['z end'], true, marker]));
    for (const prefix of ['certs/server.k', 'certs/nothing', 'private/1'])
      if (!prefix.startsWith('private'))
        expect((await pageOf({ prefix, 'max-keys': '1' }, 'list-type=2')).names).toEqual([]);
  });

  it('tells what the client wanted to start after beside a token too', async () => {
    const first = { 'start-after': 'a', 'encoding-type': 'url', 'max-keys': '1' };
    const token = (await pageOf(first, 'list-type=2')).element('NextContinuationToken');
    const next = await pageOf({ ...first, 'start-after': 'ü', 'continuation-token': token }, 'list-type=2');
    expect([next.names, next.element('StartAfter')]).toEqual([['b/2'], '%C3%BC']);
    const other = await pageOf({ 'max-keys': '1', 'continuation-token': token }, 'list-type=2');
    expect([other.names, other.element('StartAfter')]).toEqual([['b/2'], undefined]);
  });

  it('tells not by going on that a hidden name is behind the last one', async () => {
    for (const [prefix, count] of [
      ['b/', '2'],
      ['certs/', '1'],
      ['z', '1'],
    ] as const) {
      for (const listing of ['list-type=2', 'list-type=1'] as const) {
        const page = await pageOf({ prefix, 'max-keys': count }, listing);
        expect([page.names.length, page.isTruncated]).toEqual([Number(count), false]);
        expect(page.text).not.toContain('~tidegate~');
      }
    }
  });

  it('takes its own markers back for the same listing alone', async () => {
    const page = await pageOf({ 'max-keys': '2' }, 'list-type=2');
    const token = page.element('NextContinuationToken') ?? '';
    const ask = (query: string) => lab.gateway.get(`/${bucket}?${query}`);
    for (const query of [
      `list-type=2&continuation-token=${token}&prefix=b`,
      `list-type=2&continuation-token=${token}&delimiter=/`,
      `list-type=2&continuation-token=${token.slice(0, -2)}AA`,
      'list-type=2&continuation-token=',
      `list-type=2&continuation-token=${Buffer.from('private/').toString('base64url')}`,
      'list-type=2&continuation-token=private/1',
      `marker=${token}`,
      `versions&key-marker=${token}`,
    ]) {
      const reply = await ask(query);
      expect([query, reply.status]).toEqual([query, 400]);
      expect(reply.body.toString()).toContain('<Code>InvalidArgument</Code>');
    }
    expect((await ask(`list-type=2&continuation-token=${token}`)).status).toBe(200);
  });

  it('stays below the prefix, whatever is asked for', async () => {
    for (const query of [
      'prefix=../',
      'prefix=/',
      'marker=../',
      'prefix=..%2FtenantB',
      'marker=%00',
      'prefix=x',
    ]) {
      const page = readPage((await lab.gateway.get(`/${bucket}?${query}`)).body.toString());
      for (const name of page.names) expect(shown).toContain(name);
    }
  });

  it('is walked to its end by the SDK', async () => {
    const names: (string | undefined)[] = [];
    const client = lab.sdk(poor);
    for await (const page of paginateListObjectsV2({ client, pageSize: 1 }, { Bucket: bucket }))
      names.push(...(page.Contents ?? []).map(({ Key }) => Key));
    expect(names).toEqual(shown);
  });
});

describe('a caller who may list a part of the bucket', () => {
  let lab: Lab;

  beforeAll(async () => {
    const allow = (key: string) => [{ buckets: ['box'], keys: [key], actions }];
    const policy = grantPolicy({}, [
      { accessKeyId: 'poor', allow: allow('pub/**') },
      { accessKeyId: 'nobody', allow: [{ buckets: ['box'], keys: ['**'], actions: ['GetObject'] }] },
    ]);
    lab = await Lab.start({
      accounts: [OWNER],
      buckets: { box: {} },
      gateway: {
        authenticate: ({ headers }) => clientCalled(String(headers['x-caller'])),
        allows: policy,
      },
    });
    await lab.store.put('/box');
    await lab.store.put('/box/pub/a', 'a');
  });
  afterAll(() => lab.stop());

  const list = async (caller: string, prefix: string) => {
    const reply = await lab.gateway.get(`/box?list-type=2&prefix=${prefix}`, { 'x-caller': caller });
    return { status: reply.status, message: /<Message>(.*?)<\/Message>/.exec(reply.body.toString())?.[1] };
  };

  it('is told to ask for a prefix, in words that are the same for every prefix', async () => {
    expect(await list('poor', 'pub/')).toEqual({ status: 200, message: undefined });
    for (const prefix of ['', 'p', 'pub', 'x', 'private/']) {
      const { status, message } = await list('poor', prefix);
      expect([prefix, status]).toEqual([prefix, 403]);
      expect(message).toMatch(/^Access Denied\. Only parts of this bucket may be listed: the prefix/);
      expect(message).not.toContain('pub');
    }
  });

  it('and who may list nothing is told nothing', async () => {
    expect(await list('nobody', '')).toEqual({ status: 403, message: 'Access Denied' });
  });
});

describe('a store that answers what it should not', () => {
  let answer: string;
  let server: Server;
  let gateway: TestGateway;
  afterEach(async () => {
    await gateway.close();
    server.closeAllConnections();
    server.close();
  });

  const listOf = (content: string) => `<ListBucketResult>${content}</ListBucketResult>`;
  const entryOf = (key: string, more = '') => `<Contents><Key>${key}</Key>${more}</Contents>`;

  async function answering(body: string) {
    answer = body;
    server = createServer((_request, reply) => reply.end(answer));
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    gateway = await TestGateway.start({
      storeUrl: `http://127.0.0.1:${port}`,
      buckets: { b: {}, tenant: { keyPrefix: 'tenantA/' } },
      allows: (_caller, _bucket, _action, key) => !key.startsWith('private/'),
    });
  }

  it.each([
    ['nothing', ''],
    ['no XML', 'x'],
    ['another root', '<ListVersionsResult></ListVersionsResult>'],
    ['a document type', '<!DOCTYPE a [<!ENTITY b "c">]><ListBucketResult>&b;</ListBucketResult>'],
    [
      'elements in elements',
      `<ListBucketResult>${'<a>'.repeat(10_000)}${'</a>'.repeat(10_000)}</ListBucketResult>`,
    ],
    ['an open end', '<ListBucketResult><Contents><Key>a</Key></Contents>'],
    ['an entry without a name', '<ListBucketResult><Contents></Contents></ListBucketResult>'],
    [
      'bad escapes',
      '<ListBucketResult><EncodingType>url</EncodingType><Contents><Key>%zz</Key></Contents></ListBucketResult>',
    ],
    ['more than a listing can be', listOf(`<a>${' '.repeat(16_000)}</a>`.repeat(1060))],
    ['more elements than a listing can have', listOf(entryOf('k', '<Owner/>'.repeat(1000)).repeat(100))],
    ['elements beside the entries without end', listOf('<a/>'.repeat(100_000))],
    ['an entry that is longer than one can be', listOf(entryOf('k'.repeat(17_000)))],
    [
      'names that take more than a page may have when they are escaped',
      listOf(entryOf('\u0001'.repeat(15_000)).repeat(500)),
    ],
  ])('%s: 502', async (_name, body) => {
    await answering(body);
    const reply = await gateway.get('/b?list-type=2');
    expect([reply.status, reply.body.toString()]).toEqual([502, expect.stringContaining('BadGateway')]);
  });

  it.each([
    ['ListBucketResult', 'Contents', 'list-type=2&max-keys', 0],
    ['ListBucketResult', 'Contents', 'list-type=2&max-keys', 5],
    ['ListBucketResult', 'Contents', 'max-keys', 1000],
    ['ListVersionsResult', 'Version', 'versions&max-keys', 0],
    ['ListMultipartUploadsResult', 'Upload', 'uploads&max-uploads', 5],
  ])(
    '%s with more entries (%s) than were asked for with %s=%i passes, as at real stores',
    async (root, item, query, limit) => {
      const entries = `<${item}><Key>k</Key></${item}>`.repeat(limit + 7);
      await answering(`<${root}><IsTruncated>false</IsTruncated>${entries}</${root}>`);
      const asked: string[] = [];
      server.on('request', ({ url = '' }) => asked.push(url));
      const { status, body } = await gateway.get(`/b?${query}=${limit}`);
      expect([status, readPage(body.toString()).names.length, asked.length]).toEqual([200, limit + 7, 1]);
    },
  );

  it('a store that gives more than was asked for, and hidden names among them, is asked a few times at most', async () => {
    const entries = entryOf('private/x') + entryOf('k').repeat(9);
    await answering(
      listOf(`<IsTruncated>true</IsTruncated><NextContinuationToken>t</NextContinuationToken>${entries}`),
    );
    const asked: string[] = [];
    server.on('request', ({ url = '' }) => asked.push(url));
    for (const limit of [0, 1, 9, 12]) {
      asked.length = 0;
      const page = readPage((await gateway.get(`/b?list-type=2&max-keys=${limit}`)).body.toString());
      expect(page.names).toEqual(Array(9).fill('k'));
      expect(asked.length).toBeLessThan(8);
    }
  });

  it.each([
    ['list-type=2&max-keys=5000', 'max-keys=1000'],
    ['list-type=2&max-keys=999', 'max-keys=999'],
    ['list-type=2', 'max-keys=1000'],
    ['uploads', 'max-uploads=1000'],
    ['list-type=2&max-keys=', 'max-keys='],
    ['uploads&max-uploads=2147483647', 'max-uploads=1000'],
    // the store refuses it in its own words
    ['list-type=2&max-keys=2147483648', 'max-keys=2147483648'],
  ])('for %s the store is asked for no more than a page: %s', async (query, passed) => {
    await answering(listOf(''));
    const asked: string[] = [];
    server.on('request', ({ url = '' }) => asked.push(url));
    await gateway.get(`/b?${query}`);
    expect(asked[0]?.split(/[?&]/)).toContain(passed);
  });

  it.each([
    ['elements', `<Owner>${'<ID/>'.repeat(1000)}</Owner>`.repeat(200)],
    ['bytes when names are escaped', `<Owner><ID>${'\u0001'.repeat(15_000)}</ID></Owner>`.repeat(200)],
  ])('a list of parts with more %s than it may have: 502', async (_name, content) => {
    await answering(`<ListPartsResult>${content}</ListPartsResult>`);
    expect((await gateway.get('/tenant/k?uploadId=u')).status).toBe(502);
    answer = '<ListPartsResult><Part><PartNumber>1</PartNumber></Part></ListPartsResult>';
    expect((await gateway.get('/tenant/k?uploadId=u')).status).toBe(200);
  });

  it('a list of parts may have more than were asked for, as at versitygw', async () => {
    await answering(
      `<ListPartsResult>${'<Part><PartNumber>1</PartNumber></Part>'.repeat(6)}</ListPartsResult>`,
    );
    const { status, body } = await gateway.get('/tenant/k?uploadId=u&max-parts=0');
    expect([status, body.toString().match(/<Part>/g)?.length]).toEqual([200, 6]);
  });

  it('all parts that an upload may have are listed, as at MinIO, where no number was asked for', async () => {
    const part = (number: number) =>
      `<Part><PartNumber>${number}</PartNumber><ETag>"${'a'.repeat(32)}"</ETag><Size>1</Size><LastModified>2026-01-01T00:00:00Z</LastModified></Part>`;
    const parts = Array.from({ length: 10_000 }, (_, index) => part(index + 1)).join('');
    await answering(`<ListPartsResult>${parts}</ListPartsResult>`);
    const { status, body } = await gateway.get('/tenant/k?uploadId=u');
    expect([status, body.toString().match(/<Part>/g)?.length]).toEqual([200, 10_000]);
  });

  it.each([
    [
      'ListBucketResult',
      'list-type=2',
      'Contents',
      '<RestoreStatus><IsRestoreInProgress>false</IsRestoreInProgress></RestoreStatus>',
    ],
    ['ListVersionsResult', 'versions', 'Version', '<VersionId>v</VersionId><IsLatest>true</IsLatest>'],
    ['ListVersionsResult', 'versions', 'DeleteMarker', '<VersionId>v</VersionId>'],
    [
      'ListMultipartUploadsResult',
      'uploads',
      'Upload',
      '<UploadId>u</UploadId><Initiator><ID>1</ID></Initiator>',
    ],
  ])(
    'of the entries of %s (%s, %s) the elements pass that the API knows, and no attribute',
    async (root, query, item, more) => {
      const told = `<Key>a</Key><Owner><ID>1</ID><DisplayName>d</DisplayName></Owner><Size>1</Size>${more}`;
      const untold = `text<Resource>/box/a</Resource><Owner x="tenantA"><Path>tenantA/</Path></Owner><ETag of="tenantA"><!-- tenantA -->1<b>tenantA</b></ETag>`;
      await answering(
        `<${root} xmlns="n" at="tenantA"><MaxKeys of="tenantA">1<b>tenantA</b></MaxKeys><${item} at="tenantA">${told}${untold}</${item}><IsTruncated>false</IsTruncated></${root}>`,
      );
      const text = (await gateway.get(`/b?${query}`)).body.toString();
      expect(text).not.toMatch(/tenantA|\/box/);
      expect(text).toContain(`<${root} xmlns="n"><MaxKeys>1</MaxKeys>`);
      expect(text).toContain(`<${item}>${told}<Owner></Owner><ETag>1</ETag></${item}>`);
    },
  );

  it('a page of a thousand long keys is read and written in many turns, others are answered in between', async () => {
    const keys = Array.from({ length: 1000 }, (_, index) => `${index}/${'&amp;'.repeat(1000)}`);
    await answering(
      `<ListBucketResult><IsTruncated>false</IsTruncated>${keys.map(key => `<Contents><Key>${key}</Key></Contents>`).join('')}</ListBucketResult>`,
    );
    let answeredBetween = 0;
    let isListed = false;
    const listing = gateway
      .get('/b?list-type=2')
      .then(reply => reply.body.toString())
      .finally(() => (isListed = true));
    while (!isListed) {
      await gateway.get('/nobody');
      answeredBetween++;
    }
    const text = await listing;
    expect(text.match(/<Key>/g)).toHaveLength(1000);
    expect(text).toContain(`<Key>${keys.at(-1)}</Key>`);
    // each of them is answered within a few turns of a few milliseconds, and the listing takes hundreds
    expect(answeredBetween).toBeGreaterThan(20);
  });

  it('names outside of what was asked for, and elements that nobody knows, are left out', async () => {
    const entry = (key: string) => `<Contents><Key>${key}</Key><ETag>&quot;1&quot;</ETag></Contents>`;
    await answering(
      `<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>b</Name><__proto__>x</__proto__>${entry('tenantB/b')}${entry('tenantA/p&#47;a')}${entry('tenantA/other')}<CommonPrefixes><Prefix>tenantB/</Prefix></CommonPrefixes><IsTruncated>false</IsTruncated></ListBucketResult>`,
    );
    const text = (await gateway.get('/tenant?prefix=p/')).body.toString();
    expect(text).toBe(
      '<?xml version="1.0" encoding="UTF-8"?>\n<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>tenant</Name><IsTruncated>false</IsTruncated><Contents><Key>p/a</Key><ETag>&quot;1&quot;</ETag></Contents></ListBucketResult>',
    );
  });

  it.each(['m&#x1;x', 'm\u0001x', 'm\uffffx'])(
    'a key with a character that XML does not have is listed: %j',
    async key => {
      await answering(
        `<ListBucketResult><IsTruncated>false</IsTruncated><Contents><Key>${key}</Key></Contents></ListBucketResult>`,
      );
      const reply = await gateway.get('/b?list-type=2');
      expect(reply.status).toBe(200);
      expect(reply.body.toString()).toContain(`<Key>m&#x${key.includes('\uffff') ? 'FFFF' : '1'};x</Key>`);
    },
  );

  it('pages that never end: the client’s request does', async () => {
    const entry = '<Contents><Key>other</Key></Contents>';
    await answering(
      `<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>t</NextContinuationToken>${entry}</ListBucketResult>`,
    );
    const asked: string[] = [];
    server.on('request', ({ url = '' }) => asked.push(url));
    const page = readPage((await gateway.get('/tenant?list-type=2&max-keys=5')).body.toString());
    expect(page).toMatchObject({ names: [], isTruncated: true });
    expect(page.element('NextContinuationToken')).toMatch(/^~tidegate~/);
    expect(asked).toHaveLength(8);
  });

  it.each([
    ['ListBucketResult', '/tenant?max-keys=5', 'Contents', 'NextMarker'],
    ['ListVersionsResult', '/tenant?versions', 'Version', 'NextKeyMarker'],
    ['ListMultipartUploadsResult', '/tenant?uploads', 'Upload', 'NextKeyMarker'],
  ])('%s goes on behind thousands of hidden names without telling one', async (root, path, item, next) => {
    const entry = `<${item}><Key>tenantA/private/x</Key></${item}>`;
    const more = `<${next}>tenantA/private/x</${next}><NextVersionIdMarker>v</NextVersionIdMarker><NextUploadIdMarker>u</NextUploadIdMarker>`;
    await answering(`<${root}><IsTruncated>true</IsTruncated>${more}${entry}</${root}>`);
    const asked: string[] = [];
    server.on('request', ({ url = '' }) => asked.push(url));
    const page = readPage((await gateway.get(path)).body.toString());
    expect(page).toMatchObject({ names: [], isTruncated: true });
    expect(page.text).not.toMatch(/private|<NextVersionIdMarker>|<NextUploadIdMarker>/);
    const marker = page.element(next) ?? '';
    expect(marker).toMatch(/^~tidegate~/);
    const parameter = next === 'NextMarker' ? 'marker' : 'key-marker';
    asked.length = 0;
    expect((await gateway.get(`${path}&${parameter}=${marker}`)).status).toBe(200);
    expect(asked[0]).toContain(`${parameter}=tenantA%2Fprivate%2F%F4%8F%BF%BF`);
    expect(asked[0]).not.toContain('id-marker=');
  });
});

it('the store’s call ends when the client leaves', async () => {
  const arrived = Promise.withResolvers<void>();
  const closed = Promise.withResolvers<void>();
  const server = createServer((_request, reply) => {
    reply.once('close', closed.resolve);
    arrived.resolve();
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const gateway = await TestGateway.start({ storeUrl: `http://127.0.0.1:${port}` });
  try {
    const left = new AbortController();
    const asked = fetch(`${gateway.url()}/b?list-type=2`, { signal: left.signal });
    await arrived.promise;
    left.abort();
    await expect(asked).rejects.toThrow('abort');
    // a store that nobody gives up is waited for until the test fails
    await closed.promise;
  } finally {
    await gateway.close();
    server.closeAllConnections();
    server.close();
  }
}, 5_000);
