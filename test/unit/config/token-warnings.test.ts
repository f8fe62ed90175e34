import { expect, it } from 'vitest';
import { parseConfig } from '../../../src/config/load-config.ts';
import { removedSecretsOf, secretsOf } from '../../../src/config/secrets.ts';
import { tokenWarnings } from '../../../src/config/token-warnings.ts';

const configWith = (tokens: string) =>
  parseConfig(
    `backends: { main: { type: s3, endpoint: 'http://127.0.0.1:1', credentials: none } }
buckets: { photos: { backend: main, access: verify } }
clients: [{ accessKeyId: a, secretAccessKey: s, allow: [] }]
admin: { ${tokens} }`,
    {},
  );

it.each(['token', 'eventsToken'] as const)('a short admin.%s is warned of, and may stand in the log', key => {
  const short = configWith(`${key}: t0ken67`);
  expect(Array.from(tokenWarnings(short), ({ path }) => path)).toEqual([['admin', key]]);
  expect(secretsOf(short)).toEqual(['t0ken67', 's']);
  expect(removedSecretsOf(short)).toEqual(['s']);
  const long = configWith(`${key}: t0ken678`);
  expect([...tokenWarnings(long)]).toEqual([]);
  expect(removedSecretsOf(long)).toEqual(['t0ken678', 's']);
});
