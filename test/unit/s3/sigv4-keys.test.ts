import { expect, it } from 'vitest';
import { SigningKeys } from '../../../src/s3/sigv4-keys.ts';

const credentials = { accessKeyId: 'reader', secretAccessKey: 'secret' };
const scope = (region: string, service: 's3' | 's3-outposts' = 's3') => ({
  date: '20260102',
  region,
  service,
});

it('keeps the key of a scope, and keys of scopes that look alike apart', () => {
  const keys = new SigningKeys();
  const known = keys.keyFor(credentials, scope('eu-west-1'));
  expect(keys.keyFor(credentials, scope('eu-west-1'))).toBe(known);
  expect(keys.keyFor({ ...credentials, secretAccessKey: 'changed' }, scope('eu-west-1'))).not.toBe(known);
  const joined = keys.keyFor({ ...credentials, accessKeyId: 's3/reader' }, scope('a'));
  expect(keys.keyFor(credentials, scope('a/s3')).export()).not.toEqual(joined.export());
});

it('keeps few keys of scopes with long names: clients choose the region', () => {
  const keys = new SigningKeys();
  const long = (index: number) => scope(`${index}`.padStart(16_000, 'x'));
  const first = keys.keyFor(credentials, long(0));
  for (let index = 1; index <= 16; index++) keys.keyFor(credentials, long(index));
  expect(keys.keyFor(credentials, long(0))).not.toBe(first);
  const longest = scope('x'.repeat(300_000));
  expect(keys.keyFor(credentials, longest)).not.toBe(keys.keyFor(credentials, longest));
});
