import { expect, it } from 'vitest';
import { CredentialMeter } from '../../../src/backend/credentials/credential-meter.ts';
import { silentLogger } from '../../../src/base/logger.ts';
import { Metrics } from '../../../src/base/metrics.ts';
import { parseConfig } from '../../../src/config/load-config.ts';
import { BackendCredentials } from '../../../src/wiring/credentials.ts';
import { ManualClock } from '../../support/manual-clock.ts';

/** A configuration with these backends and their profiles; `none` for one without a source. */
function backends(profiles: Readonly<Record<string, string>>) {
  const lines = Object.entries(profiles).map(([name, profile]) => {
    const credentials = profile === 'none' ? 'none' : `{ from: profile, profile: ${profile} }`;
    return `  ${name}: { type: s3, endpoint: "http://store", credentials: ${credentials} }`;
  });
  return parseConfig(`backends:\n${lines.join('\n')}`, {});
}

function setup(profiles: Readonly<Record<string, string>>) {
  const clock = new ManualClock();
  const metrics = new Metrics();
  const handed: string[] = [];
  const asked: string[] = [];
  const failing = new Set<string>();
  const credentials = new BackendCredentials({
    ...{ config: backends(profiles), clock, logger: silentLogger() },
    meter: new CredentialMeter(metrics, clock),
    hand: async each => void handed.push(`${each.backend}: ${each.credentials.accessKeyId}`),
    provider: source => async () => {
      const profile = source.from === 'profile' ? (source.profile ?? '') : '';
      asked.push(profile);
      if (failing.has(profile)) throw Object.assign(new Error('planted'), { code: 'ECONNREFUSED' });
      return {
        accessKeyId: `key of ${profile}`,
        secretAccessKey: 's',
        expiresAtMs: clock.nowMs() + 3_600_000,
      };
    },
  });
  const gauge = async (name: string) =>
    (await metrics.snapshot())
      .find(family => family.name === `tidegate_credentials_${name}`)
      ?.values.map(({ labels, value }) => `${labels.backend} ${value}`)
      .sort();
  return { credentials, clock, handed, asked, failing, gauge };
}

it('obtains credentials for each backend with a source, and says which of them has none', async () => {
  const { credentials, handed, failing, gauge } = setup({ a: 'one', b: 'two', c: 'none' });
  failing.add('two');
  await credentials.begin();
  expect(handed).toEqual(['a: key of one']);
  expect(Array.from(credentials.current.keys(), id => JSON.parse(id)[0])).toEqual(['a']);
  expect(credentials.notReady()).toEqual(['backend b: has no credentials yet (ECONNREFUSED)']);
  expect(credentials.warnings()).toEqual([]);
  expect(credentials.statusOf('c')).toBeUndefined();
  expect(await gauge('usable')).toEqual(['a 1', 'b 0']);
  expect(await gauge('expiry_seconds')).toEqual(['a 3600']);
});

it('warns when a refresh fails, and when credentials have expired', async () => {
  const { credentials, clock, failing } = setup({ a: 'one' });
  await credentials.begin();
  failing.add('one');
  for (let minute = 0; minute < 52; minute++) {
    clock.advance(60_000);
    await new Promise(resolve => setImmediate(resolve));
  }
  expect(credentials.warnings()).toEqual(['backend a: its credentials cannot be refreshed (ECONNREFUSED)']);
  clock.advance(10 * 60_000);
  expect(credentials.warnings()).toEqual(['backend a: its credentials have expired (ECONNREFUSED)']);
  expect(credentials.notReady()).toEqual([]);
});

it('a reload keeps what has the same source, obtains what is new, and forgets what has gone', async () => {
  const { credentials, clock, asked, handed, failing, gauge } = setup({ a: 'one', b: 'two', c: 'three' });
  failing.add('three');
  await credentials.begin();
  const prepared = await credentials.prepare(backends({ a: 'one', b: 'other', d: 'four' }));
  prepared.apply();
  expect(credentials.missingOfReloads()).toEqual([]);
  expect(asked).toEqual(['one', 'two', 'three', 'other', 'four']);
  expect(handed.slice(2)).toEqual(['b: key of other', 'd: key of four']);
  expect(Array.from(credentials.current.keys(), id => JSON.parse(id)[0])).toEqual(['a', 'b', 'd']);
  expect(credentials.notReady()).toEqual([]);
  expect(await gauge('usable')).toEqual(['a 1', 'b 1', 'c 1', 'd 1']);
  clock.advance(10 * 60_000);
  await new Promise(resolve => setImmediate(resolve));
  expect(asked).toHaveLength(5);
});

it('a reload that is refused leaves all as it was', async () => {
  const { credentials, clock, asked, gauge } = setup({ a: 'one', b: 'two' });
  await credentials.begin();
  const prepared = await credentials.prepare(backends({ b: 'other', d: 'four' }));
  prepared.cancel();
  expect(Array.from(credentials.current.keys(), id => JSON.parse(id)[0])).toEqual(['a', 'b']);
  expect(credentials.statusOf('d')).toBeUndefined();
  expect(await gauge('usable')).toEqual(['a 1', 'b 1']);
  asked.length = 0;
  for (let minute = 0; minute < 60; minute++) {
    clock.advance(60_000);
    await new Promise(resolve => setImmediate(resolve));
  }
  expect(new Set(asked)).toEqual(new Set(['one', 'two']));
});

it('a backend that a reload adds is a warning until it has credentials, and the gateway stays ready', async () => {
  const { credentials, clock, failing } = setup({ a: 'one' });
  await credentials.begin();
  failing.add('two');
  const prepared = await credentials.prepare(backends({ a: 'one', b: 'two' }));
  const warning = 'backend b: has no credentials yet (ECONNREFUSED)';
  prepared.apply();
  expect(credentials.missingOfReloads()).toEqual([warning]);
  expect([credentials.notReady(), credentials.warnings()]).toEqual([[], [warning]]);
  failing.clear();
  clock.advance(60_000);
  await new Promise(resolve => setImmediate(resolve));
  expect([credentials.notReady(), credentials.warnings()]).toEqual([[], []]);
});
