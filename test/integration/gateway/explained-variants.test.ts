import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Gateway } from '../../../src/gateway/gateway.ts';
import type { ScriptedOrigin } from '../../support/scripted-origin.ts';
import type { TestGateway } from '../../support/test-gateway.ts';
import { type Head, startWebGateway } from '../../support/web-gateway.ts';

const secrets = {
  cookie: 'id=plantedCookie',
  authorization: 'Bearer plantedBearer',
  'x-api-key': 'plantedKey',
};
const ruled = { 'x-origin-token': 'plantedToken', 'accept-language': 'plantedLanguage' };
const vary = [...Object.keys(secrets), ...Object.keys(ruled), 'accept', 'origin'].sort();

let origin: ScriptedOrigin;
let gateway: TestGateway;

describe.each([1, 2])('of an answer that varies, with %i workers,', workers => {
  beforeEach(async () => {
    const head: Head = { 'cache-control': 'public, max-age=60', vary: vary.join() };
    const keyRules = [{ keys: ['**'], requestHeaders: { set: ruled, remove: [] } }];
    const options = { workers, keyRules, policy: { showKey: true }, name: 'web' } as const;
    ({ origin, gateway } = await startWebGateway(() => head, options));
  });
  afterEach(async () => {
    await gateway.close();
    await origin.close();
  });

  const describeAt = (at: Gateway) => at.describe('web', '/page');
  const held = () => gateway.gateways.map(describeAt).find(found => found !== undefined)?.records ?? [];

  it('the fields are explained, and no secret of clients or of the configuration', async () => {
    const asked = { ...secrets, accept: 'text/html' };
    for (const fields of [asked, asked, { ...asked, cookie: 'id=plantedOther' }, {}]) {
      const { headers } = await gateway.get('/web/page', fields);
      expect(headers['cache-status']).toContain('key="web/web//page"');
      expect(JSON.stringify(headers)).not.toContain('planted');
    }
    const records = held();
    expect(JSON.stringify(records)).not.toContain('planted');
    expect(records.map(({ variant }) => variant?.map(({ name }) => name))).toEqual([vary, vary, vary]);
    expect(new Set(records.map(({ name }) => name)).size).toBe(3);
    const fieldOf = (name: string) =>
      records.map(({ variant = [] }) => variant.find(field => field.name === name));
    expect(fieldOf('accept').map(field => field?.value)).toEqual([null, 'text/html', 'text/html']);
    expect(fieldOf('origin').map(field => field?.value)).toEqual([null, null, null]);
    const [absent, other, own] = fieldOf('cookie');
    expect(other?.digest).not.toBe(own?.digest);
    expect(absent).toEqual({ name: 'cookie', value: null });
    expect(new Set(fieldOf('x-api-key').map(field => field?.digest)).size).toBe(2);
    for (const name of Object.keys(ruled))
      expect(new Set(fieldOf(name).map(field => field?.digest)).size).toBe(1);
  });

  it('no value is told once it is outdated, since rules may have changed', async () => {
    await gateway.get('/web/page', { accept: 'text/html' });
    await gateway.send('POST', '/web/page', { 'content-length': '0' });
    const [record] = held();
    expect(record?.isOutdated).toBe(true);
    expect(record?.variant?.find(({ name }) => name === 'accept')).toEqual({
      ...{ name: 'accept', digest: expect.any(String) },
    });
  });
});

it('an answer that does not vary has neither name nor fields', async () => {
  ({ origin, gateway } = await startWebGateway(() => ({ 'cache-control': 'max-age=60' }), { name: 'web' }));
  await gateway.get('/web/page', { cookie: 'id=plantedCookie' });
  expect(gateway.gateways[0]?.describe('web', '/page')?.records).toMatchObject([{ name: '', variant: [] }]);
  await gateway.close();
  await origin.close();
});
