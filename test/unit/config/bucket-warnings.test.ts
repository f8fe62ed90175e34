import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { checkFile } from '../../../src/config/load-config.ts';

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'tidegate-buckets-'));
});

afterEach(() => {
  rmSync(directory, { recursive: true });
});

function warningsOf(yaml: string): readonly string[] {
  const file = join(directory, 'tidegate.yaml');
  writeFileSync(file, yaml);
  const machine = { memoryBytes: 2 ** 36, memoryLimitBytes: undefined, cores: 4 };
  return checkFile(file, {}, true, machine).warnings;
}

const consequence = 'no bucket is configured, so every request for a bucket is answered with 404';

it.each([
  ['', 'nothing'],
  ['# all commented out', 'nothing'],
  ['buckets: {}', 'a map of nothing'],
  ['listen: { port: 80 }', 'nothing'],
])('warns of a configuration without buckets: %j', (yaml, held) => {
  expect(warningsOf(yaml)).toEqual([`buckets holds ${held}: ${consequence}`]);
});

it('says nothing where there is a bucket, be it all others', () => {
  const backends = 'backends: { main: { type: embedded, directory: ./data } }';
  for (const name of ['photos', '"*"'])
    expect(warningsOf(`${backends}\nbuckets: { ${name}: { backend: main, access: public } }`)).toEqual([]);
});

it('of tokens and of statuses that are not kept for as long as written a check warns as well', () => {
  const site = `
backends: { main: { type: http, endpoint: "http://x" } }
buckets: { b: { backend: main, access: public, cache: { ttlByStatus: { 503: 1m } } } }
admin: { token: t0ken67 }
`;
  expect(warningsOf(site)).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/^buckets\.b\.cache\.ttlByStatus\.503 .* for negativeTtl at most/),
      expect.stringMatching(/^admin\.token .* soon guessed/),
    ]),
  );
});
