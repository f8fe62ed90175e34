import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { GatewayProcess } from '../support/gateway-process.ts';
import { run } from '../support/real-process.ts';
import { protocolDifferences } from './protocol-differences.ts';
import { Versitygw } from './versitygw.ts';

let stores: readonly Versitygw[];
let gateway: GatewayProcess;

beforeAll(async () => {
  stores = await Promise.all([Versitygw.start(), Versitygw.start()]);
  const [{ url, credentials } = { url: '', credentials: {} }] = stores;
  gateway = await GatewayProcess.start({
    backends: { store: { type: 's3', endpoint: url, keys: 'exact', credentials } },
    buckets: { '*': { backend: 'store', access: 'verify' } },
    // the suite is the same user before the gateway and before the store
    clients: [{ ...credentials, allow: [{ buckets: ['*'], keys: ['**'], actions }] }],
    memory: '128MiB',
  });
});
afterAll(async () => {
  await gateway?.stop();
  for (const store of stores ?? []) await store.stop();
});

/** `"*"` leaves out what has a store write into other buckets. */
const actions = [
  ...['*', 'PutBucketLogging', 'PutBucketReplication', 'PutBucketNotificationConfiguration'],
  ...['PutBucketInventoryConfiguration', 'PutBucketAnalyticsConfiguration'],
  'CreateBucketMetadataTableConfiguration',
];

/** What the client of versitygw's own tests says of each of them. */
async function results(url: string, tests: readonly string[]): Promise<Map<string, string>> {
  const { accessKeyId, secretAccessKey } = stores[0]?.credentials ?? {};
  // it ends with 1 where a test has failed
  const script = 'versitygw test "$@" || true';
  const args = ['--access', `${accessKeyId}`, '--secret', `${secretAccessKey}`, '--endpoint', url, ...tests];
  const said = await run('bash', ['-c', script, 'bash', ...args], { ownEnvironment: true });
  const lines = stripVTControlCharacters(said).matchAll(/^(PASS|FAIL)\s+(\w+)(.*)/gm);
  return new Map(Array.from(lines, ([, result = '', name = '', why = '']) => [name, `${result}${why}`]));
}

const all = ['full-flow', '--versioning-enabled'];
const known = Object.values(protocolDifferences).flat().sort();

it('of the tests that versitygw passes itself, all pass through the gateway, but for those whose reason is known', async () => {
  const [through, direct] = await Promise.all([
    results(gateway.url, all),
    results(stores[1]?.url ?? '', all),
  ]);
  const passed = [...direct].flatMap(([name, result]) => (result === 'PASS' ? [name] : []));
  const failed: string[] = [];
  for (const name of passed) {
    if (through.get(name) === 'PASS') continue;
    // some depend on what others do at the same time
    const again = known.includes(name) ? undefined : (await results(gateway.url, [name])).get(name);
    if (again !== 'PASS') failed.push(name);
    if (again?.startsWith('FAIL')) process.stderr.write(`${name}${again}\n`);
  }
  process.stderr.write(
    `${passed.length} pass directly, ${passed.length - failed.length} of them through the gateway\n`,
  );
  expect(passed.length).toBeGreaterThan(600);
  expect(failed.sort()).toEqual(known);
});
