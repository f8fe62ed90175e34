import { expect, it } from 'vitest';
import { HeldCredentials } from '../../../../src/backend/credentials/held-credentials.ts';

const keys = (accessKeyId: string, expiresAtMs?: number) => ({
  accessKeyId,
  secretAccessKey: 's',
  expiresAtMs,
});

it('gives the newest credentials, and none before the first or after their end', () => {
  const held = new HeldCredentials(undefined, () => undefined);
  expect(() => held.at(0)).toThrow(expect.objectContaining({ code: 'UNSIGNED', reason: 'NO_CREDENTIALS' }));
  held.replace(keys('a', 1_000));
  expect(held.at(999).accessKeyId).toBe('a');
  expect(() => held.at(1_000)).toThrow(
    expect.objectContaining({ code: 'UNSIGNED', reason: 'CREDENTIALS_EXPIRED' }),
  );
  held.replace(keys('b'));
  expect(held.at(Number.MAX_SAFE_INTEGER).accessKeyId).toBe('b');
});

it('reports that a store refuses them once in ten seconds, and at once for new ones', () => {
  const reported: string[] = [];
  const held = new HeldCredentials(keys('a'), id => void reported.push(id));
  for (const atMs of [0, 1, 9_999]) held.refused('a', atMs);
  expect(reported).toEqual(['a']);
  held.refused('a', 10_000);
  held.refused('of before', 30_000);
  expect(reported).toEqual(['a', 'a']);
  held.replace(keys('b'));
  held.refused('b', 10_001);
  expect(reported).toEqual(['a', 'a', 'b']);
});
