import { describe, expect, it } from 'vitest';
import { anonymous, type Caller } from '../../../../src/gateway/request/access.ts';
import { grantPolicy } from '../../../../src/gateway/request/grant-policy.ts';
import { clientCalled } from '../../../support/callers.ts';

const client = (accessKeyId: string): Caller => clientCalled(accessKeyId);
const read = { actions: ['GetObject'], keys: ['**'] };

const policy = grantPolicy(
  {
    open: [{ actions: ['GetObject', 'ListBucket'], keys: ['**', '!private/**'] }],
    '*': [{ actions: ['GetObject'], keys: ['public/**'] }],
    closed: [],
    every: [{ actions: ['*', 'DeleteObject'], keys: ['**'] }],
  },
  [
    { accessKeyId: 'reader', allow: [{ ...read, buckets: ['open', 'closed'] }] },
    { accessKeyId: 'lister', allow: [{ actions: ['ListBucket'], keys: ['2026/**'], buckets: ['closed'] }] },
    { accessKeyId: 'nobody', allow: [] },
  ],
);

describe('who may do what', () => {
  it.each([
    ['anonymous callers, what is granted to all', anonymous, 'open', 'GetObject', 'a', true],
    ['anonymous callers, not what is taken away again', anonymous, 'open', 'GetObject', 'private/a', false],
    ['anonymous callers, of all actions those that read', anonymous, 'every', 'GetBucketPolicy', '', true],
    ['anonymous callers, of all actions none that writes', anonymous, 'every', 'PutObject', 'a', false],
    ['anonymous callers, a write that is named', anonymous, 'every', 'DeleteObject', 'a', true],
    ['anonymous callers, not another action', anonymous, 'open', 'PutObject', 'a', false],
    [
      'anonymous callers, nothing in a bucket that grants nothing',
      anonymous,
      'closed',
      'GetObject',
      'public/a',
      false,
    ],
    [
      'anonymous callers, in other buckets what is granted for them',
      anonymous,
      'third',
      'GetObject',
      'public/a',
      true,
    ],
    ['anonymous callers, in other buckets no more', anonymous, 'third', 'GetObject', 'a', false],
    ['a bucket of its own grants, not those of other buckets', anonymous, 'closed', 'GetObject', 'a', false],
    ['a client, what is granted to it', client('reader'), 'closed', 'GetObject', 'a', true],
    ['a client, more than all', client('reader'), 'open', 'GetObject', 'private/a', true],
    ['a client, what is granted to all', client('reader'), 'open', 'ListBucket', 'a', true],
    ['a client, not what another one may', client('reader'), 'closed', 'ListBucket', '2026/a', false],
    ['a client without grants, what is granted to all', client('nobody'), 'open', 'GetObject', 'a', true],
    ['a client without grants, no more', client('nobody'), 'closed', 'GetObject', 'a', false],
    [
      'a client that is not known, what is granted to all',
      client('stranger'),
      'open',
      'GetObject',
      'a',
      true,
    ],
    ['a client that is not known, no more', client('stranger'), 'closed', 'GetObject', 'a', false],
  ] as const)('%s', (_, caller, bucket, action, key, isAllowed) => {
    expect(policy.allows(caller, bucket, action, key)).toBe(isAllowed);
  });
});

describe('of which keys somebody may list', () => {
  it.each([
    ['all below a prefix', anonymous, 'open', 'public/', 'every'],
    ['some, where others are taken away', anonymous, 'open', '', 'some'],
    ['none, where they are taken away', anonymous, 'open', 'private/', 'none'],
    ['none in a bucket that does not grant it', anonymous, 'third', '', 'none'],
    ['some, of its own grants', client('lister'), 'closed', '', 'some'],
    ['all, of its own grants', client('lister'), 'closed', '2026/', 'every'],
    ['none beside its own grants', client('lister'), 'closed', '2025/', 'none'],
    ['all, of what is granted to all', client('lister'), 'open', 'public/', 'every'],
    ['none, with the grants of others', client('reader'), 'closed', '2026/', 'none'],
  ] as const)('%s', (_, caller, bucket, prefix, share) => {
    expect(policy.shareBelow(caller, bucket, 'ListBucket', prefix)).toBe(share);
  });
});
