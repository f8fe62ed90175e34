import { expect, it } from 'vitest';
import { WorkerCredentials } from '../../../src/wiring/worker-credentials.ts';

const handed = { backend: 'main', sourceId: 'source' };
const keys = (accessKeyId: string) => ({ accessKeyId, secretAccessKey: 's' });

it('a store signs with the newest credentials that were handed over', () => {
  const credentials = new WorkerCredentials(() => undefined);
  const held = credentials.of('main', 'main', keys('a'));
  credentials.replace({ ...handed, identity: 'main', credentials: keys('b') });
  expect(held.at(0).accessKeyId).toBe('b');
  expect(credentials.of('main', 'main', keys('c'))).toBe(held);
  expect(held.at(0).accessKeyId).toBe('c');
});

it('law 6: requests that began with the credentials of another account are not signed with those of now', () => {
  const refused: string[] = [];
  const credentials = new WorkerCredentials(({ accessKeyId }) => void refused.push(accessKeyId));
  const before = credentials.of('main', 'main', keys('a'));
  const now = credentials.of('main', 'main 1', keys('b'));
  credentials.replace({ ...handed, identity: 'main 1', credentials: keys('c') });
  expect([before.at(0).accessKeyId, now.at(0).accessKeyId]).toEqual(['a', 'c']);
  // where not all workers could be prepared for the others
  credentials.replace({ ...handed, identity: 'main', credentials: keys('d') });
  expect([before.at(0).accessKeyId, now.at(0).accessKeyId]).toEqual(['d', 'c']);
  now.refused('c', 0);
  expect(refused).toEqual(['c']);
});

it('credentials for a store that no request here has used are of no use', () => {
  const credentials = new WorkerCredentials(() => undefined);
  credentials.replace({ ...handed, identity: 'main', credentials: keys('a') });
  expect(() => credentials.of('main', 'main', undefined).at(0)).toThrow(
    expect.objectContaining({ reason: 'NO_CREDENTIALS' }),
  );
});
