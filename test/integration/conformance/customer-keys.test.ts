import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { renderSnapshot } from '../../../src/base/metric-snapshot.ts';
import type { Account } from '../../../src/embedded-store/access/caller.ts';
import { accessLogTo } from '../../support/access-log-to.ts';
import { canExpress, crossedDialects } from '../../support/conformance/dialects.ts';
import { Lab } from '../../support/conformance/lab.ts';
import type { Question } from '../../support/conformance/question.ts';
import { OWNER } from '../../support/embedded-store/store-under-test.ts';

const secret = 'a secret of some length';
const key = createHash('sha256').update('one').digest();
const otherKey = createHash('sha256').update('other').digest();
const md5 = (bytes: Uint8Array) => createHash('md5').update(bytes).digest('base64');
const name = 'server-side-encryption-customer';
const keyFields = (bytes: Uint8Array): Record<string, string> => ({
  [`${name}-algorithm`]: 'AES256',
  [`${name}-key`]: Buffer.from(bytes).toString('base64'),
  [`${name}-key-md5`]: md5(bytes),
});
const without = (...names: string[]) =>
  Object.fromEntries(Object.entries(keyFields(key)).filter(([field]) => !names.includes(field)));
const withPrefix = (fields: Record<string, string>) =>
  Object.fromEntries(Object.entries(fields).map(([field, value]) => [`x-amz-${field}`, value]));
const mustProvide = 'Requests specifying Server Side Encryption with Customer provided keys must provide';
const reader: Account = {
  accessKeyId: 'reader',
  secretAccessKey: 'reader-secret',
  grants: [{ actions: ['GetObject'] }],
};

describe.each(crossedDialects)('docs/semantics.md, section 7: $client before $store, $over', dialects => {
  let lab: Lab;
  let argument: Record<string, string>;
  const lines: string[] = [];

  beforeAll(async () => {
    lab = await Lab.start({
      dialects,
      accounts: [OWNER, reader],
      buckets: { box: {}, keys: {}, strict: { bucketAtStore: 'box', customerKeys: { plainHttp: 'never' } } },
      gateway: { accessLog: accessLogTo(text => void lines.push(text)) },
    });
    argument = { ArgumentName: `${dialects.client}server-side-encryption` };
    await lab.store.put('/box');
    await lab.store.put('/box/plain', '0123456789');
    await lab.store.put('/box/sealed', secret, withPrefix(keyFields(key)));
  });
  afterAll(() => lab.stop());

  const ask = (fields: Record<string, string>, path = '/box/sealed', more: Partial<Question> = {}) =>
    lab.agree({ path, fields: { 'checksum-mode': 'ENABLED', ...fields }, ...more });

  it('rows 144 and 145: without the key nothing is told, and the refusal is not remembered', async () => {
    const { reply, cache } = await ask({});
    expect(reply.status).toBe(400);
    expect(reply.error).toMatchObject({
      code: 'InvalidRequest',
      message:
        'The object was stored using a form of Server Side Encryption. The correct parameters must be provided to retrieve the object.',
    });
    expect(cache.again).toBe('MISS');
    expect((await ask({}, '/box/sealed', { method: 'HEAD' })).reply).toMatchObject({ status: 400, text: '' });
  });

  it('row 146: another key is refused', async () => {
    const { reply } = await ask(keyFields(otherKey));
    expect(reply).toMatchObject({
      status: 403,
      error: { code: 'AccessDenied', message: `${mustProvide} the correct secret key.` },
    });
  });

  it.each(['/box/sealed', '/box/plain'])('row 147: of %s, only AES256 is an algorithm', async path => {
    const { reply, cache } = await ask({ ...keyFields(key), [`${name}-algorithm`]: 'KMS' }, path);
    expect(reply.status).toBe(400);
    expect(reply.error).toEqual({
      code: 'InvalidEncryptionAlgorithmError',
      message: 'The Encryption request you specified is not valid. Supported value: AES256.',
      fields: { ...argument, ArgumentValue: 'KMS' },
    });
    expect(cache.cold).toBe('BYPASS');
  });

  it.each([
    [148, without(`${name}-key`, `${name}-key-md5`), `${mustProvide} an appropriate secret key.`],
    [149, without(`${name}-key-md5`), `${mustProvide} the client calculated MD5 of the secret key.`],
    [150, without(`${name}-algorithm`), `${mustProvide} a valid encryption algorithm.`],
    [
      151,
      { ...keyFields(key), [`${name}-key-md5`]: md5(otherKey) },
      'The calculated MD5 hash of the key did not match the hash that was provided.',
    ],
    [
      153,
      { ...keyFields(key), [`${name}-key`]: '?'.repeat(44) },
      'The secret key was invalid for the specified algorithm.',
    ],
  ])(
    'row %i and Rules 1: the three headers are required together and must fit',
    async (_row, fields, message) => {
      const { reply } = await ask(fields);
      expect(reply).toMatchObject({
        status: 400,
        error: { code: 'InvalidArgument', message, fields: argument },
      });
    },
  );

  it('row 152: a key of another length is a wrong key', async () => {
    const { reply } = await ask(keyFields(Buffer.alloc(44)));
    expect(reply).toMatchObject({ status: 403, error: { code: 'AccessDenied' } });
  });

  it('row 154: a key for what is not sealed does not apply, not even to what is in the cache', async () => {
    const { reply, cache } = await ask(keyFields(key), '/box/plain');
    expect(reply).toMatchObject({
      status: 400,
      error: {
        code: 'InvalidRequest',
        message: 'The encryption parameters are not applicable to this object.',
      },
    });
    expect(cache['after GET']).toBe('BYPASS');
  });

  it.each(['GET', 'HEAD'])(
    'row 155: %s with a key over plain HTTP is refused where it may not come so',
    async method => {
      const reply = await lab.ask({ method, path: '/strict/sealed', fields: keyFields(key) });
      if (!canExpress(dialects, 'plain HTTP')) {
        expect(reply).toMatchObject({ status: 200, text: method === 'GET' ? secret : '' });
        return;
      }
      expect(reply.status).toBe(400);
      if (method === 'HEAD') return;
      expect(reply.error).toMatchObject({
        code: 'InvalidRequest',
        message:
          'Requests specifying Server Side Encryption with Customer provided keys must be made over a secure connection.',
      });
    },
  );

  it.each(['GET', 'HEAD'])('row 156: %s with the key is answered by the store each time', async method => {
    const { reply, cache } = await ask(keyFields(key), '/box/sealed', { method });
    expect(reply).toMatchObject({ status: 200, text: method === 'GET' ? secret : '' });
    expect(reply.fields).toMatchObject({ [`${name}-algorithm`]: 'AES256', [`${name}-key-md5`]: md5(key) });
    expect(reply.fields['server-side-encryption']).toBeUndefined();
    expect(reply.fields['checksum-type']).toBe('FULL_OBJECT');
    expect(new Set(Object.values(cache))).toEqual(new Set(['BYPASS']));
  });

  it('ranges, parts, conditions and overrides hold for a sealed object', async () => {
    const fields = keyFields(key);
    const range = await ask(fields, '/box/sealed', { headers: { range: 'bytes=2-7' } });
    expect(range.reply).toMatchObject({ status: 206, text: 'secret' });
    expect((await ask(fields, '/box/sealed?partNumber=1')).reply.status).toBe(206);
    const { etag = '' } = range.reply.headers;
    const unchanged = await ask(fields, '/box/sealed', { headers: { 'if-none-match': etag } });
    expect(unchanged.reply.status).toBe(304);
    expect((await ask(fields, '/box/sealed', { headers: { 'if-match': '"x"' } })).reply.status).toBe(412);
    const query = 'response-content-disposition=gr%C3%B6%C3%9Fe&response-expires=1';
    const { reply } = await ask(fields, `/box/sealed?${query}`);
    expect(reply.headers).toMatchObject({ 'content-disposition': 'größe', expires: '1' });
  });

  it('row 157: each version has its own key', async () => {
    await lab.store.put('/keys');
    const body = '<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>';
    await lab.store.put('/keys?versioning=', body);
    const { headers } = await lab.store.put('/keys/k', 'one', withPrefix(keyFields(key)));
    await lab.store.put('/keys/k', 'other', withPrefix(keyFields(otherKey)));
    const path = `/keys/k?versionId=${headers['x-amz-version-id']}`;
    expect((await ask(keyFields(key), path)).reply).toMatchObject({ status: 200, text: 'one' });
    expect((await ask(keyFields(otherKey), path)).reply.status).toBe(403);
    expect((await ask(keyFields(otherKey), '/keys/k')).reply).toMatchObject({ status: 200, text: 'other' });
  });

  it('a key does not tell those who may not list that something is missing', async () => {
    const { reply } = await ask(keyFields(key), '/box/none', { as: reader });
    expect(reply).toMatchObject({ status: 403, error: { code: 'AccessDenied' } });
    expect((await ask(keyFields(key), '/box/none')).reply.status).toBe(404);
  });

  it.each([
    ['server-side-encryption', 'AES256'],
    ['server-side-encryption', dialects.client === 'x-amz-' ? 'aws:kms' : 'store:kms'],
    ['server-side-encryption-aws-kms-key-id', 'k'],
  ])('row 158, Rules 2 and Decided 10: %s %s on a read is refused, warm or not', async (field, value) => {
    await lab.ask({ path: '/box/plain' });
    for (const method of ['GET', 'HEAD']) {
      const reply = await lab.ask({ method, path: '/box/plain', fields: { [field]: value } });
      expect(reply.status).toBe(400);
      if (method === 'GET') expect(reply.error?.code).toBe('BadRequest');
    }
  });

  it('row 164 and law 7: nothing is kept of a sealed object, and its key is nowhere', async () => {
    await ask(keyFields(key));
    await ask(keyFields(otherKey));
    await ask({ ...keyFields(key), [`${name}-key-md5`]: md5(otherKey) });
    expect(lab.gateway.gateways[0]?.describe('box', 'sealed')).toBeUndefined();
    const snapshots = await Promise.all(lab.gateway.metrics.map(metrics => metrics.snapshot()));
    const seen = lines.join('') + (await renderSnapshot(snapshots.flat(), 'prometheus')).text;
    expect(seen).toContain('/box/sealed');
    for (const bytes of [key, otherKey]) {
      expect(seen).not.toContain(bytes.toString('base64'));
      expect(seen).not.toContain(encodeURIComponent(bytes.toString('base64')));
      expect(seen).not.toContain(bytes.toString('hex'));
    }
  });
});

describe.each(crossedDialects)(
  'docs/semantics.md, section 7, other encryption: $client before $store, $over',
  dialects => {
    const keyId = 'arn:aws:kms:eu-west-1:111122223333:key/k';
    let lab: Lab;

    beforeAll(async () => {
      lab = await Lab.start({
        dialects,
        buckets: { box: {} },
        anonymous: { box: [{ actions: ['GetObject'], keys: ['**'] }] },
      });
      await lab.store.put('/box');
      await lab.store.put('/box/plain', '0123456789');
      await lab.store.put('/box/kms', 'managed', {
        'x-amz-server-side-encryption': 'aws:kms',
        'x-amz-server-side-encryption-aws-kms-key-id': keyId,
        'x-amz-server-side-encryption-bucket-key-enabled': 'true',
      });
    });
    afterAll(() => lab.stop());

    it('row 159: an object without any wish is encrypted by the service', async () => {
      const { reply } = await lab.agree({ path: '/box/plain' });
      expect(reply.fields['server-side-encryption']).toBe('AES256');
    });

    it.each(['GET', 'HEAD'])('row 160: %s names a managed key, in the words of the dialect', async method => {
      const { reply, cache } = await lab.agree({ method, path: '/box/kms' });
      expect(reply.fields).toMatchObject({
        'server-side-encryption': dialects.client === 'x-amz-' ? 'aws:kms' : 'store:kms',
        'server-side-encryption-aws-kms-key-id': keyId,
        'server-side-encryption-bucket-key-enabled': 'true',
      });
      expect(cache.again).toBe('HIT');
    });

    it.each([
      [161, 'disabled', 'KMS.DisabledException', `${keyId} is disabled.`],
      [162, 'pending-deletion', 'KMS.KMSInvalidStateException', `${keyId} is pending deletion.`],
    ])(
      'row %i: an object whose key is %s cannot be read, once its time to live is over',
      async (_row, state, code, message) => {
        const stage = (value: string) =>
          lab.store.put('/box/kms?embedded-state=', '', { 'x-amz-embedded-kms-key-state': value });
        await lab.ask({ path: '/box/kms' });
        await stage(state);
        lab.store.clock.advance(60_000);
        expect(await lab.ask({ path: '/box/kms' })).toMatchObject({ status: 400, error: { code, message } });
        expect((await lab.agree({ path: '/box/kms' })).reply.error).toMatchObject({ code, message });
        await stage('enabled');
        expect((await lab.agree({ path: '/box/kms' })).reply).toMatchObject({ status: 200, text: 'managed' });
      },
    );

    it.each(['/box/plain', '/box/kms'])('Rules 2: encryption headers on a read of %s', async path => {
      const fields = {
        'server-side-encryption': dialects.client === 'x-amz-' ? 'aws:kms' : 'store:kms',
        'server-side-encryption-aws-kms-key-id': keyId,
      };
      for (const moment of ['cold', 'warm']) {
        if (moment === 'cold') lab.forget();
        else await lab.ask({ path });
        const reply = await lab.ask({ path, fields });
        expect(reply).toMatchObject({ status: 400, error: { code: 'BadRequest' } });
      }
    });

    it('row 163: to the store it is the gateway that asks, so an anonymous caller gets what it was granted', async () => {
      expect((await lab.askStore({ path: '/box/kms', as: 'anonymous' })).status).toBe(403);
      const reply = await lab.ask({ path: '/box/kms', as: 'anonymous' });
      expect(reply).toMatchObject({ status: 200, text: 'managed' });
    });
  },
);
