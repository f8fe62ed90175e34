import { afterEach, beforeEach, expect, it } from 'vitest';
import { compileGrants, isAllowed } from '../../../src/s3/grants.ts';
import { StandInStore } from '../../support/stand-in-store.ts';
import { TestGateway } from '../../support/test-gateway.ts';

const subResources = [
  'GetObjectTagging',
  'GetObjectAcl',
  'GetObjectAttributes',
  'GetObjectRetention',
  'ListParts',
];
let store: StandInStore;
let gateway: TestGateway;

beforeEach(async () => {
  store = await StandInStore.start();
});
afterEach(async () => {
  await gateway.close();
  await store.close();
});

async function grant(...more: string[]): Promise<void> {
  const grants = compileGrants([{ actions: ['GetObject', ...subResources, ...more], keys: ['**'] }]);
  gateway = await TestGateway.start({
    storeUrl: store.url,
    allows: (_caller, bucket, action, key) => isAllowed(grants, { bucket, action, key }),
  });
}

const ofVersions = ['tagging', 'acl', 'attributes', 'retention'].map(name => `/b/k?${name}&versionId=1`);

it.each(ofVersions)('%s needs GetObjectVersion as well as the sub-resource', async path => {
  await grant();
  expect((await gateway.get(path)).status).toBe(403);
  expect(store.log.requests).toEqual([]);
});

it.each([...ofVersions, '/b/k?tagging', '/b/k?uploadId=1&versionId=1'])(
  '%s is asked of the store when all that it needs is granted',
  async path => {
    await grant(...(ofVersions.includes(path) ? ['GetObjectVersion'] : []));
    await gateway.get(path);
    expect(store.log.requests).toHaveLength(1);
  },
);
