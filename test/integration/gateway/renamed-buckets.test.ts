import { createHash } from 'node:crypto';
import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { contentMd5 } from '../../support/content-md5.ts';
import { RawStore } from '../../support/raw-store.ts';
import { TestGateway } from '../../support/test-gateway.ts';

const buckets = {
  own: {},
  renamed: { bucketAtStore: 'real.name' },
  part: { bucketAtStore: 'real.name', keyPrefix: 'tenant a/' },
  'real.name': {},
};
type Name = keyof typeof buckets;
const key = Buffer.alloc(32, 7);
const customerKey = {
  'x-amz-server-side-encryption-customer-key': key.toString('base64'),
  'x-amz-server-side-encryption-customer-key-md5': createHash('md5').update(key).digest('base64'),
};

let store: RawStore;
let gateway: TestGateway;
/** What the store answers. */
let says = '';

beforeEach(async () => {
  store = await RawStore.start(socket => socket.write(says));
  gateway = await TestGateway.start({
    storeUrl: store.url,
    buckets,
  });
});
afterEach(async () => {
  await gateway.close();
  await store.close();
});

function refusing(status: number, code: string, message: string, more: string): void {
  const body = `<Error><Code>${code}</Code><Message>${message}</Message>${more}</Error>`;
  const location = 'http://real.name.s3.elsewhere.test/tenant%20a/k';
  says = `HTTP/1.1 ${status} x\r\nlocation: ${location}\r\nx-amz-bucket-region: mars-1\r\ncontent-type: application/xml\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
}

const named = ['real.name', 'tenant a/', 'tenant%20a', 'elsewhere'];
const redirected =
  '<Endpoint>real.name.s3.elsewhere.test</Endpoint><Bucket>real.name</Bucket><Key>tenant a/k</Key><Resource>/real.name/k</Resource>';
const paths = ['k', 'k?tagging', '?list-type=2', '?location'];

describe.each([
  [301, 'PermanentRedirect'],
  [307, 'TemporaryRedirect'],
] as const)('a %i %s', (status, code) => {
  it.each(paths)('to /%s names nothing that the client does not know', async path => {
    for (const bucket of ['renamed', 'part'] as const) {
      refusing(status, code, 'Send all requests for real.name to real.name.s3.elsewhere.test.', redirected);
      const { status: told, headers, body } = await gateway.get(`/${bucket}/${path}`);
      const text = body.toString();
      expect([told, headers['x-amz-bucket-region']]).toEqual([status, 'mars-1']);
      const heard = `${text}${JSON.stringify(headers)}`;
      for (const name of bucket === 'part' ? named : ['real.name', 'elsewhere'])
        expect(heard).not.toContain(name);
      expect(text).toContain(`<Code>${code}</Code>`);
      expect(text).toContain(`<Bucket>${bucket}</Bucket>`);
      if (bucket === 'part') expect(text).toContain('<Key>k</Key>');
      gateway.gateways[0]?.purge({ kind: 'bucket', bucket });
    }
  });

  it('of a bucket that the store calls the same is passed whole (rows 121 and 283)', async () => {
    refusing(status, code, 'Elsewhere.', '<Endpoint>own.s3.test</Endpoint><Bucket>own</Bucket>');
    const { headers, body } = await gateway.get('/own/k');
    expect(headers.location).toBe('http://real.name.s3.elsewhere.test/tenant%20a/k');
    expect(body.toString()).toContain(
      '<Message>Elsewhere.</Message><Endpoint>own.s3.test</Endpoint><Bucket>own</Bucket>',
    );
  });
});

it.each<[Name, string, string, string]>([
  ['renamed', 'AccessDenied', 'No access to real.name', 'Access Denied'],
  ['renamed', 'AccessDenied', 'No access to "real.name".', 'Access Denied'],
  ['renamed', 'OfItsOwn', 'arn:aws:s3:::real.name/k', 'The store refused the request (OfItsOwn).'],
  ['renamed', 'AccessDenied', 'Ask real.name.s3.test', 'Access Denied'],
  ['renamed', 'AccessDenied', 'No surreal.name here', 'No surreal.name here'],
  ['part', 'AccessDenied', 'No access to tenant a/k', 'Access Denied'],
  ['part', 'AccessDenied', 'No access to /tenant%20a%2Fk', 'Access Denied'],
  ['part', 'AccessDenied', 'No access to k', 'No access to k'],
  ['own', 'AccessDenied', 'No access to own', 'No access to own'],
])('%s: of %s "%s" the client hears "%s"', async (bucket, code, message, heard) => {
  for (const path of ['k', 'k?tagging']) {
    refusing(403, code, message, `<Detail>${message}</Detail><HostName>real.name.x</HostName>`);
    const text = (await gateway.get(`/${bucket}/${path}`)).body.toString();
    expect(text).toContain(`<Code>${code}</Code><Message>${heard}</Message>`);
    expect(text.includes('<Detail>')).toBe(message === heard);
    expect(text.includes('<HostName>')).toBe(bucket === 'own');
  }
});

const configurations = ['policy', 'policyStatus', 'lifecycle', 'cors', 'notification', 'logging', 'website'];
const others = ['versioning', 'acl', 'tagging', 'encryption', 'replication', 'object-lock', 'inventory'];

describe('a bucket that is a part of another one', () => {
  it.each([...configurations, ...others])('?%s is not passed: it is for keys of others too', async name => {
    for (const method of ['GET', 'PUT', 'DELETE']) {
      const { status, body } = await gateway.send(method, `/part?${name}`);
      if (status === 405 && method !== 'GET') continue; // there is no such operation
      expect([method, status]).toEqual([method, 501]);
      expect(body.toString()).toContain('<Code>NotImplemented</Code><Message>This bucket is a part of');
    }
    expect(store.requests).toEqual([]);
    says = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}';
    expect((await gateway.get(`/renamed?${name}`)).status).toBe(200);
  });

  it.each(['PUT', 'DELETE'])('%s of the bucket itself is not passed either', async method => {
    expect((await gateway.send(method, '/part')).status).toBe(501);
    expect(store.requests).toEqual([]);
  });

  it('is found, is somewhere, and has listings', async () => {
    says = 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n';
    expect((await gateway.send('HEAD', '/part')).status).toBe(200);
    expect((await gateway.get('/part?location')).status).toBe(200);
    const body = '<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>';
    says = `HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
    expect((await gateway.get('/part?list-type=2')).status).toBe(200);
  });
});

it('a 204 has no length, whatever the store wrote (RFC 9110 §8.6)', async () => {
  says = 'HTTP/1.1 204 No Content\r\ncontent-length: 5\r\n\r\n';
  const { port } = new URL(gateway.url());
  const socket = connect(Number(port), '127.0.0.1');
  let received = '';
  const whole = new Promise(resolve => socket.once('close', resolve));
  socket.on('data', bytes => {
    received += bytes.toString('latin1');
  });
  socket.write('GET /own/k?tagging HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
  await whole;
  expect(received).toMatch(/^HTTP\/1\.1 204 /);
  expect(received.toLowerCase()).not.toMatch(/content-length|transfer-encoding/);
  expect(received).toMatch(/\r\n\r\n$/);
});

it.each(['/renamed?versioning', '/renamed?tagging', '/part/k?tagging'])(
  'fields that name the bucket of the store do not pass: %s',
  async path => {
    const fields =
      'x-amz-bucket-arn: arn:aws:s3:::real.name\r\ncontent-location: /real.name/k\r\nlink: </real.name>\r\n';
    says = `HTTP/1.1 200 x\r\n${fields}x-amz-bucket-region: mars-1\r\ncontent-length: 0\r\n\r\n`;
    const reply = await fetch(gateway.url() + path);
    expect(reply.status).toBe(200);
    expect(JSON.stringify([...reply.headers])).not.toContain('real.name');
    expect(reply.headers.get('x-amz-bucket-region')).toBe('mars-1');
  },
);

it.each([
  ['PUT', '/k'],
  ['DELETE', '/k'],
  ['PUT', '/k?tagging'],
])('bodies of successes that have none do not pass: %s %s', async (method, path) => {
  const text = 'real.name';
  for (const length of [
    `content-length: ${text.length}\r\n\r\n${text}`,
    `transfer-encoding: chunked\r\n\r\n9\r\n${text}\r\n0\r\n\r\n`,
  ]) {
    says = `HTTP/1.1 200 x\r\netag: "e"\r\n${length}`;
    const answers = [];
    for (const bucket of ['renamed', 'real.name']) {
      const reply = await fetch(`${gateway.url()}/${bucket}${path}`, { method });
      answers.push([reply.status, await reply.text()]);
    }
    expect(answers).toEqual([
      [200, ''],
      [200, text],
    ]);
  }
});

it.each([201, 202, 206])('a document under %i is none that the gateway understands', async status => {
  const list = '<Delete><Object><Key>k</Key></Object></Delete>';
  const asked = [
    ['GET', '/renamed?list-type=2', undefined],
    ['GET', '/renamed/k?uploadId=u', undefined],
    ['POST', '/renamed?delete', list],
  ] as const;
  for (const [method, path, body] of asked) {
    says = `HTTP/1.1 ${status} x\r\ncontent-range: bytes 0-3/9\r\ncontent-length: 4\r\n\r\n<a/>`;
    const reply = await fetch(gateway.url() + path, {
      method,
      ...(body && { body, headers: contentMd5(body) }),
    });
    expect([path, reply.status]).toEqual([path, 502]);
    await reply.text();
  }
});

it('a success whose body does not end is answered, and cut off', async () => {
  const closed = Promise.withResolvers<void>();
  const endless = await RawStore.start(socket => {
    socket.on('close', closed.resolve);
    const go = () => {
      while (socket.write(`1000\r\n${'x'.repeat(4096)}\r\n`));
    };
    socket.on('drain', go);
    socket.write('HTTP/1.1 200 x\r\ntransfer-encoding: chunked\r\n\r\n');
    go();
  });
  const other = await TestGateway.start({ storeUrl: endless.url, buckets });
  const reply = await fetch(`${other.url()}/renamed/k`, { method: 'DELETE' });
  expect([reply.status, await reply.text()]).toEqual([200, '']);
  await closed.promise;
  await other.close();
  await endless.close();
});

describe('of objects', () => {
  const naming = [
    ...['x-amz-bucket-arn: arn:aws:s3:::real.name', 'x-amz-error-detail-key: real.name/k'],
    ...['content-location: /real.name/k', 'link: </real.name>', 'location: /real.name/k'],
  ];
  const head = (status: number, more: readonly string[]) =>
    [`HTTP/1.1 ${status} x`, 'etag: "e"', 'x-amz-meta-note: kept', ...naming, ...more, '', ''].join('\r\n');
  const names = (headers: object) => JSON.stringify(headers).includes('real.name');

  it.each<[string, number, string, Record<string, string>]>([
    ['GET', 200, 'content-length: 0', {}],
    ['HEAD', 200, 'content-length: 9', {}],
    ['GET', 206, 'content-length: 1\r\ncontent-range: bytes 0-0/1', { range: 'bytes=0-0' }],
    ['GET', 304, 'content-length: 0', { 'if-none-match': '"e"' }],
  ])(
    'fields of %s %i that name the bucket of the store are not for clients that call it otherwise',
    async (...asked) => {
      const [method, status, length, headers] = asked;
      // a client that may know the names comes in between: what is kept is the same for both
      for (const bucket of ['renamed', 'plain', 'renamed', 'part'] as const) {
        says = head(status === 304 ? 200 : status, [length]) + (status === 206 ? 'b' : '');
        const answer = await gateway.send(method, `/${bucket === 'plain' ? 'real.name' : bucket}/k`, headers);
        expect([bucket, answer.status]).toEqual([bucket, status]);
        expect(names(answer.headers)).toBe(bucket === 'plain' && status !== 304);
        expect(answer.headers['x-amz-meta-note']).toBe(status === 304 ? undefined : 'kept');
      }
    },
  );

  it.each<[string, number]>([
    ['no-store', 200],
    ['no-store', 206],
    ['no-store', 304],
  ])('nor when they are passed on: %s %i', async (control, status) => {
    const length = status === 206 ? 'content-length: 1\r\ncontent-range: bytes 0-0/9' : 'content-length: 0';
    says = head(status, [length, `cache-control: ${control}`]) + (status === 206 ? 'b' : '');
    const key = { 'x-amz-server-side-encryption-customer-algorithm': 'AES256', ...customerKey };
    const asked = {
      ...(status === 206 && { range: 'bytes=0-0' }),
      ...(status === 304 && { 'if-none-match': '"e"' }),
    };
    const answer = await gateway.get('/renamed/k', { ...key, ...asked });
    expect([answer.status, names(answer.headers)]).toEqual([status, false]);
    expect(answer.headers['x-amz-meta-note']).toBe('kept');
  });
});
