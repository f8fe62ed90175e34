import { expect, it } from 'vitest';
import type { ProvidedCredentials } from '../../../../src/backend/credentials/credential-source.ts';
import { isOther, principalOf, withKnown } from '../../../../src/backend/credentials/principal.ts';

const keys = (accessKeyId: string) => principalOf({ accessKeyId, secretAccessKey: 's' });
const temporary = (told: Pick<ProvidedCredentials, 'accountId' | 'role'> = {}, accessKeyId = 'a') =>
  principalOf({ accessKeyId, secretAccessKey: 's', sessionToken: 't', ...told });
const assumed = (role: string) => `arn:aws:sts::1:assumed-role/${role}`;

it.each([
  ['keys of another user', keys('a'), keys('b')],
  ['keys in place of temporary ones', temporary(), keys('a')],
  ['temporary ones in place of keys', keys('a'), temporary()],
  ['another account', temporary({ accountId: '1' }), temporary({ accountId: '2' })],
  [
    'another role of the account',
    temporary({ accountId: '1', role: 'r' }),
    temporary({ accountId: '1', role: 'q' }),
  ],
  ['another assumed role', temporary({ role: assumed('r/s') }), temporary({ role: assumed('q/s') })],
])('%s are of somebody else', (_, before, now) => {
  expect(isOther(before, now)).toBe(true);
});

it.each([
  ['a new secret', keys('a'), keys('a')],
  ['new temporary keys of which nothing is known', temporary({}, 'a'), temporary({}, 'b')],
  ['new keys of the same role', temporary({ role: 'r' }, 'a'), temporary({ role: 'r' }, 'b')],
  [
    'another session of the same role',
    temporary({ role: assumed('r/s1') }),
    temporary({ role: assumed('r/s2') }),
  ],
  ['what is told at times', temporary({ accountId: '1', role: 'r' }), temporary({ accountId: '1' })],
  ['what is told later', temporary(), temporary({ accountId: '1' })],
])('%s are of the same', (_, before, now) => {
  expect(isOther(before, now)).toBe(false);
});

it('what was told before counts when nothing is told meanwhile', () => {
  const known = withKnown(temporary({ accountId: '1', role: 'r' }), temporary());
  expect(known).toEqual(temporary({ accountId: '1', role: 'r' }));
  expect(isOther(known, temporary({ role: 'q' }))).toBe(true);
});
