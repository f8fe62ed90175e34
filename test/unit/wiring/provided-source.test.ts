import { expect, it } from 'vitest';
import { parseConfig } from '../../../src/config/load-config.ts';
import { providedSource } from '../../../src/wiring/provided-source.ts';

function sourceOf(settings: string, name = 'main') {
  const text = `backends: { ${name}: { type: s3, endpoint: "http://127.0.0.1:1", ${settings} } }`;
  const backend = parseConfig(text, {}).backends[name];
  return backend && providedSource(name, backend);
}

const profile = 'credentials: { from: profile, profile: a }';

it.each([
  ['another profile', 'credentials: { from: profile, profile: b }', 'main'],
  ['another region to ask', `${profile}, region: eu-west-1`, 'main'],
  ['another backend', profile, 'other'],
])('%s is another source', (_, settings, name) => {
  expect(sourceOf(settings, name)?.id).not.toBe(sourceOf(profile)?.id);
});

it('the same settings are the same source, whatever else of the backend is another', () => {
  expect(sourceOf(`${profile}, connections: 5`)?.id).toBe(sourceOf(profile)?.id);
});

it('credentials that are written down have no source', () => {
  expect(sourceOf('credentials: { accessKeyId: a, secretAccessKey: b }')).toBeUndefined();
  expect(sourceOf('credentials: none')).toBeUndefined();
});
