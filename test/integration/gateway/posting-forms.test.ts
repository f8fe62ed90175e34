import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Account } from '../../../src/embedded-store/access/caller.ts';
import { accessLogTo } from '../../support/access-log-to.ts';
import { Lab } from '../../support/conformance/lab.ts';
import { OWNER } from '../../support/embedded-store/store-under-test.ts';
import { type FilledForm, formBoundary, posted, signedFields } from '../../support/posted-form.ts';
import { rawRequest } from '../../support/raw-request.ts';

const clerk: Account = {
  accessKeyId: 'clerk',
  secretAccessKey: 'clerk-secret',
  grants: [{ actions: ['PutObject'], keys: ['in/**'] }],
};
const buckets = {
  box: {},
  part: { bucketAtStore: 'box', keyPrefix: 'tenant/' },
  paths: { bucketAtStore: 'box', keys: 'path' as const },
  gone: {},
};
const large = 1_500_000;

let lab: Lab;
const lines: string[] = [];
const accessLog = accessLogTo(line => void lines.push(line));

beforeEach(async () => {
  lab = await Lab.start({
    accounts: [OWNER, clerk],
    buckets,
    anonymous: { box: [{ actions: ['PutObject'], keys: ['open/**'] }] },
    gateway: { workers: 2, accessLog },
  });
  await lab.store.put('/box');
});
afterEach(() => lab.stop());

async function post(form: FilledForm, path = '/box') {
  const { headers, body } = posted(form);
  const host = new URL(lab.gateway.url()).host;
  const reply = await rawRequest(lab.gateway.url(), {
    method: 'POST',
    path,
    body,
    headers: { ...headers, host },
  });
  return { ...reply, code: /<Code>(.*?)<\/Code>/.exec(reply.text)?.[1] };
}

/** The fields of a form that its signer allows to be just so, and `more` conditions. */
function signed(
  fields: Record<string, string>,
  {
    as = OWNER,
    more = [],
    bucket = 'box',
    ...other
  }: { as?: Account; more?: unknown[]; bucket?: string; expiresMs?: number; region?: string } = {},
) {
  const conditions = [
    { bucket },
    ...Object.entries(fields).map(([name, value]) => ({ [name]: value })),
    ...more,
  ];
  return { ...fields, ...signedFields({ ...as, ...other, nowMs: lab.store.clock.nowMs(), conditions }) };
}

const contentOf = async (path: string) => (await lab.ask({ path })).text;

describe.each([
  ['a small', 20],
  ['a large', large],
])('%s form', (_, sizeBytes) => {
  it('is stored as its fields say, and read at once', async () => {
    const file = randomBytes(sizeBytes);
    await lab.store.put('/box/in/k', 'before');
    expect(await contentOf('/box/in/k')).toBe('before');
    const fields = signed({ key: 'in/k', 'Content-Type': 'image/x', 'x-amz-meta-colour': 'blue' });
    const reply = await post({ fields, file });
    expect([reply.status, reply.headers.location]).toEqual([204, `${lab.gateway.url()}/box/in%2Fk`]);
    // a 204 has no length (RFC 9110 §8.6)
    expect(reply.headers['content-length']).toBeUndefined();
    for (const worker of [0, 1]) {
      const read = await lab.ask({ path: '/box/in/k' }, worker);
      expect(read.headers['content-type']).toBe('image/x');
      expect(read.fields['meta-colour']).toBe('blue');
      expect(Number(read.headers['content-length'])).toBe(sizeBytes);
      expect(read.headers.etag).toBe(reply.headers.etag);
    }
  });

  it('whose checksum is that of something else is not stored', async () => {
    const fields = signed({ key: 'in/k', 'x-amz-checksum-crc32': 'AAAAAA==' });
    const reply = await post({ fields, file: randomBytes(sizeBytes) });
    expect([reply.status, reply.code]).toEqual([400, 'BadDigest']);
    expect((await lab.askStore({ path: '/box/in/k' })).status).toBe(404);
  });

  it('that breaks off is not stored', async () => {
    const { headers, body } = posted({ fields: signed({ key: 'in/k' }), file: randomBytes(sizeBytes) });
    const { hostname, port } = new URL(lab.gateway.url());
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    socket.write(
      `POST /box HTTP/1.1\r\nhost: g\r\ncontent-type: ${headers['content-type']}\r\ncontent-length: ${body.length}\r\n\r\n`,
    );
    socket.end(body.subarray(0, -1));
    let heard = '';
    for await (const chunk of socket) heard += chunk;
    expect(heard).toContain('<Code>IncompleteBody</Code>');
    expect((await lab.askStore({ path: '/box/in/k' })).status).toBe(404);
  });

  it('is not longer and not shorter than its policy says', async () => {
    const range = (min: number, max: number) =>
      post({
        fields: signed({ key: 'in/k' }, { more: [['content-length-range', min, max]] }),
        file: 'x'.repeat(sizeBytes),
      });
    expect((await range(0, sizeBytes - 1)).code).toBe('EntityTooLarge');
    expect((await range(sizeBytes + 1, sizeBytes + 2)).code).toBe('EntityTooSmall');
    expect((await lab.askStore({ path: '/box/in/k' })).status).toBe(404);
    expect((await range(sizeBytes, sizeBytes)).status).toBe(204);
  });
});

it.each([
  ['x-amz-checksum-crc32', 'AAAAAA=='],
  ['Content-MD5', 'AAAAAAAAAAAAAAAAAAAAAA=='],
])('a small form whose %s is that of something else reaches no store', async (name, value) => {
  const before = await lab.requests();
  const reply = await post({ fields: signed({ key: 'in/k', [name]: value }), file: 'x' });
  expect([reply.status, reply.code]).toEqual([400, 'BadDigest']);
  expect(await lab.requests()).toBe(before);
});

it.each(['in/../private/k', 'in//k', './in/k', '../k', 'in/k\\..\\x', '.sgwtmp/k'])(
  'a key that a store of paths takes for another one reaches no store: %s',
  async key => {
    const before = await lab.requests();
    const reply = await post({ fields: signed({ key }, { bucket: 'paths' }), file: 'x' }, '/paths');
    expect([reply.status, reply.code]).toEqual([400, 'InvalidArgument']);
    expect(await lab.requests()).toBe(before);
    expect(
      (await post({ fields: signed({ key: 'in/k' }, { bucket: 'paths' }), file: 'x' }, '/paths')).status,
    ).toBe(204);
  },
);

const another = `\r\n--${formBoundary}\r\nContent-Disposition: form-data; name="late"\r\n\r\nx\r\n--${formBoundary}--\r\n`;

it('what stands behind the file is ignored', async () => {
  for (const behind of [another, `${another}tail`, `\r\n--${formBoundary}--`]) {
    const reply = await post({ fields: signed({ key: 'in/k' }), file: behind, behind });
    expect(reply.status).toBe(204);
  }
});

it.each([another, `\r\n--${formBoundary}--`, ''])(
  'a large form is refused where its file is not what comes last: %j',
  async behind => {
    const reply = await post({ fields: signed({ key: 'in/k' }), file: 'x'.repeat(large), behind });
    expect([reply.status, reply.code]).toEqual([400, 'MalformedPOSTRequest']);
    expect((await lab.askStore({ path: '/box/in/k' })).status).toBe(404);
  },
);

describe('who may post', () => {
  it('nobody without a signature, unless `anonymous` names it', async () => {
    const file = 'x';
    expect((await post({ fields: { key: 'in/k' }, file })).code).toBe('AccessDenied');
    expect((await post({ fields: { key: 'open/k', acl: 'public-read' }, file })).code).toBe('AccessDenied');
    expect((await post({ fields: { key: 'open/k' }, file })).status).toBe(204);
    expect(await contentOf('/box/open/k')).toBe('x');
  });

  it('a client where its grants say so', async () => {
    const by = (key: string, more = {}) =>
      post({ fields: signed({ key, ...more }, { as: clerk }), file: 'x' });
    expect((await by('in/k')).status).toBe(204);
    expect((await by('out/k')).code).toBe('AccessDenied');
    expect((await by('in/k', { acl: 'public-read' })).code).toBe('AccessDenied');
    expect((await by('in/k', { tagging: '<Tagging><TagSet/></Tagging>' })).code).toBe('AccessDenied');
  });

  it('nobody with a signature that is not the one of the policy', async () => {
    const fields = signed({ key: 'in/k' });
    const other = Buffer.from('{"expiration":"2999-01-01T00:00:00Z","conditions":[]}').toString('base64');
    const forged: Record<string, string>[] = [
      { ...fields, policy: other },
      { ...fields, 'x-amz-signature': '0'.repeat(64) },
    ];
    for (const each of forged)
      expect((await post({ fields: each, file: 'x' })).code).toBe('SignatureDoesNotMatch');
    expect((await post({ fields: signed({ key: 'in/k' }, { region: 'mars-1' }), file: 'x' })).code).toBe(
      'InvalidArgument',
    );
    const stranger = { accessKeyId: 'stranger', secretAccessKey: 'x' };
    expect((await post({ fields: signed({ key: 'in/k' }, { as: stranger }), file: 'x' })).code).toBe(
      'InvalidAccessKeyId',
    );
  });

  it('nobody with a part of a signature', async () => {
    const fields = signed({ key: 'open/k' });
    for (const name of ['policy', 'x-amz-algorithm', 'x-amz-credential', 'x-amz-date', 'x-amz-signature']) {
      const rest = Object.fromEntries(Object.entries(fields).filter(([each]) => each !== name));
      expect((await post({ fields: rest, file: 'x' })).code).toBe('InvalidArgument');
    }
  });

  it('nobody after the policy has expired, or the signature is a week old', async () => {
    const nowMs = lab.store.clock.nowMs();
    const late = await post({ fields: signed({ key: 'in/k' }, { expiresMs: nowMs - 1 }), file: 'x' });
    expect([late.code, late.text]).toEqual(['AccessDenied', expect.stringContaining('Policy expired')]);
    const fields = signed({ key: 'in/k' }, { expiresMs: nowMs + 30 * 86_400_000 });
    lab.store.clock.advance(7 * 86_400_000 + 1_000);
    expect((await post({ fields, file: 'x' })).code).toBe('AccessDenied');
  });

  it('nobody with a signature of the future, or with a credential of another day', async () => {
    const nowMs = lab.store.clock.nowMs();
    const signing = { ...OWNER, conditions: [{ bucket: 'box' }, { key: 'in/k' }] };
    const expiresMs = nowMs + 60_000_000;
    const early = signedFields({ ...signing, nowMs: nowMs + 1_000_000, expiresMs });
    expect((await post({ fields: { key: 'in/k', ...early }, file: 'x' })).code).toBe('RequestTimeTooSkewed');
    const fields = signedFields({ ...signing, nowMs, expiresMs });
    const otherDay = { ...fields, 'x-amz-credential': 'owner/20200101/us-east-1/s3/aws4_request' };
    expect((await post({ fields: { key: 'in/k', ...otherDay }, file: 'x' })).code).toBe('InvalidArgument');
  });
});

it('the log has the key of a form, and the access key that a refused signature claims', async () => {
  lines.length = 0;
  await post({ fields: signed({ key: 'in/k' }, { as: clerk }), file: 'x' });
  const wrong = { accessKeyId: 'clerk', secretAccessKey: 'old' };
  await post({ fields: signed({ key: 'in/k' }, { as: wrong }), file: 'x' });
  expect(lines.map(line => JSON.parse(line))).toMatchObject([
    { operation: 'PostObject', url: '/box', key: 'in/k', caller: 'clerk', status: 204 },
    { key: 'in/k', accessKey: 'clerk', why: 'wrong signature', status: 403 },
  ]);
});

it('each field has to be allowed by the policy', async () => {
  const fields = { ...signed({ key: 'in/k' }), 'x-amz-meta-more': 'x' };
  const reply = await post({ fields, file: 'x' });
  expect([reply.code, reply.text]).toEqual(['AccessDenied', expect.stringContaining('x-amz-meta-more')]);
  expect((await post({ fields: { ...signed({ key: 'in/k' }), 'x-ignore-it': 'x' }, file: 'x' })).status).toBe(
    204,
  );
});

it('a policy for one bucket is none for another', async () => {
  const fields = signed({ key: 'in/k' }, { bucket: 'elsewhere' });
  expect((await post({ fields, file: 'x' })).code).toBe('AccessDenied');
});

it('the name of the file is put into the key, and judged there', async () => {
  const starts = (prefix: string, more: Record<string, string> = {}) => ({
    key: `${prefix}\${filename}`,
    ...more,
    ...signedFields({
      ...clerk,
      nowMs: lab.store.clock.nowMs(),
      conditions: [{ bucket: 'box' }, ['starts-with', '$key', 'in/']],
    }),
  });
  const reply = await post({ fields: starts('in/'), file: 'named', fileName: 'C:\\\\docs\\\\a b.txt' });
  expect([reply.status, reply.headers.location]).toEqual([204, `${lab.gateway.url()}/box/in%2Fa%20b.txt`]);
  expect(await contentOf('/box/in/a%20b.txt')).toBe('named');
  expect((await post({ fields: starts(''), file: 'x', fileName: 'in' })).code).toBe('AccessDenied');
});

it('a form is answered as it asks for', async () => {
  const asked = async (more: Record<string, string>) =>
    post({ fields: signed({ key: 'in/k', ...more }), file: 'x' });
  expect((await asked({ success_action_status: '200' })).status).toBe(200);
  const created = await asked({ success_action_status: '201' });
  expect(created.status).toBe(201);
  expect(created.text).toContain(
    `<Location>${lab.gateway.url()}/box/in%2Fk</Location><Bucket>box</Bucket><Key>in/k</Key>`,
  );
  const redirected = await asked({ success_action_redirect: 'https://page.test/done?a=1' });
  expect([redirected.status, redirected.headers.location]).toEqual([
    303,
    `https://page.test/done?a=1&bucket=box&key=in%2Fk&etag=${encodeURIComponent(redirected.headers.etag ?? '')}`,
  ]);
  expect((await asked({ success_action_redirect: 'javascript:alert(1)' })).status).toBe(204);
});

it('a form that the store refuses is refused', async () => {
  const fields = signed({ key: 'in/k', success_action_status: '201' }, { bucket: 'gone' });
  const reply = await post({ fields, file: 'x' }, '/gone');
  expect([reply.status, reply.code]).toEqual([404, 'NoSuchBucket']);
});

it('tags of a form are those of the object', async () => {
  const tagging = '<Tagging><TagSet><Tag><Key>a&amp;b</Key><Value>c d</Value></Tag></TagSet></Tagging>';
  expect((await post({ fields: signed({ key: 'in/k', tagging }), file: 'x' })).status).toBe(204);
  expect((await lab.askStore({ path: '/box/in/k?tagging' })).text).toContain(
    '<Key>a&amp;b</Key><Value>c d</Value>',
  );
  expect((await post({ fields: signed({ key: 'in/k', tagging: '<Tags/>' }), file: 'x' })).code).toBe(
    'MalformedXML',
  );
});

it('a bucket that is a part of another one is posted to by its own names', async () => {
  const fields = signed({ key: 'in/k', success_action_status: '201' }, { bucket: 'part' });
  const reply = await post({ fields, file: 'x' }, '/part/');
  const location = `<Location>${lab.gateway.url()}/part/in%2Fk</Location>`;
  expect(reply.text).toContain(`${location}<Bucket>part</Bucket><Key>in/k</Key>`);
  expect(reply.text).not.toContain('tenant');
  expect((await lab.askStore({ path: '/box/tenant/in/k' })).text).toBe('x');
});

it.each([
  [{ key: 'open/k', 'x-amz-copy-source': '/box/other' }, 501, 'NotImplemented'],
  [{ key: 'open/k', 'x-amz-meta-a': 'b\r\nx-amz-acl: public-read' }, 400, 'InvalidArgument'],
  [{}, 400, 'InvalidArgument'],
  [{ key: 'open/k', long: 'x'.repeat(40_000) }, 400, 'MaxPostPreDataLengthExceededError'],
])('nothing is stored of a form with %j', async (fields: Record<string, string>, status, code) => {
  const before = await lab.requests();
  expect(await post({ fields, file: 'x' })).toMatchObject({ status, code });
  expect(await lab.requests()).toBe(before);
});
