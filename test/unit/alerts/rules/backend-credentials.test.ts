import { expect, it } from 'vitest';
import { createRules } from '../../../../src/alerts/rules/rule-table.ts';
import { RuleBench } from '../../../support/rule-bench.ts';

interface Credentials {
  readonly usable: 0 | 1;
  readonly failingS: number;
  readonly leftS?: number;
}

function alertsOf({ usable, failingS, leftS }: Credentials): readonly string[] {
  const bench = new RuleBench(createRules().filter(({ name }) => name === 'backendCredentials'));
  bench.run(10_000, gateway => {
    gateway.set('tidegate_credentials_usable', { backend: 'main' }, usable);
    gateway.set('tidegate_credentials_failing_seconds', { backend: 'main' }, failingS);
    if (leftS !== undefined) gateway.set('tidegate_credentials_expiry_seconds', { backend: 'main' }, leftS);
  });
  return bench.changes.map(({ episode }) => episode.alert.summary);
}

const unusable = 'Backend main has no valid credentials: only what is cached is served.';
const failing = 'The credentials of backend main cannot be refreshed.';

it.each<readonly [string, Credentials, readonly string[]]>([
  ['valid ones that are refreshed', { usable: 1, failingS: 0, leftS: 3_600 }, []],
  ['valid ones that are short-lived', { usable: 1, failingS: 0, leftS: 20 }, []],
  ['ones that never expire', { usable: 1, failingS: 0 }, []],
  ['a source that has not answered yet', { usable: 0, failingS: 0 }, []],
  ['a source that has never worked', { usable: 0, failingS: 5 }, [unusable]],
  ['expired ones', { usable: 0, failingS: 700, leftS: -1 }, [unusable]],
  ['a refresh that fails for a moment', { usable: 1, failingS: 60, leftS: 540 }, []],
  ['a refresh that fails shortly before the end', { usable: 1, failingS: 60, leftS: 290 }, [failing]],
  ['a refresh that fails for long', { usable: 1, failingS: 600, leftS: 90_000 }, [failing]],
])('%s', (_what, measured, expected) => {
  expect(alertsOf(measured)).toEqual(expected);
});
