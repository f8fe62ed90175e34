import { describe, expect, it } from 'vitest';
import { compileGrants, isAllowed, readAction, shareGranted } from '../../../src/s3/grants.ts';

const wish = { bucket: 'photos', action: 'GetObject', key: 'public/a.jpg' };

describe('isAllowed', () => {
  const grants = compileGrants([
    {
      buckets: ['photos', 'videos'],
      keys: ['public/**', '!public/draft/**'],
      actions: ['GetObject', 'ListBucket'],
    },
    { buckets: ['archive'], keys: ['**'], actions: ['*'] },
  ]);

  it.each([
    ['the action on a key of the bucket', {}, true],
    ['another of the buckets', { bucket: 'videos' }, true],
    ['a bucket that is not named', { bucket: 'other' }, false],
    ['a key outside', { key: 'private/a' }, false],
    ['a key taken away again', { key: 'public/draft/a' }, false],
    ['HeadObject, which follows GetObject', { action: 'HeadObject' }, true],
    ['a version (docs/semantics.md 109)', { action: readAction('v1') }, false],
    ['ListBucket for a missing key inside (docs/semantics.md 113)', { action: 'ListBucket' }, true],
    [
      'ListBucket for a missing key outside (docs/semantics.md 113)',
      { action: 'ListBucket', key: 'b/x' },
      false,
    ],
    ['a sub-resource that is not named', { action: 'GetObjectTagging' }, false],
    ['a write that is not named', { action: 'PutObject' }, false],
    ['anything where all is allowed', { bucket: 'archive', action: 'DeleteObject', key: 'x' }, true],
    ['what one grant allows only in another bucket', { bucket: 'photos', action: 'DeleteObject' }, false],
  ])('%s', (_, change, expected) => {
    expect(isAllowed(grants, { ...wish, ...change })).toBe(expected);
  });

  it('everything is not what has the store write into buckets that a document names, unless that is named', () => {
    const mine = { bucket: 'photos', key: '' };
    const [all, named] = [['*'], ['*', 'PutBucketReplication']].map(actions =>
      compileGrants([{ buckets: ['photos'], keys: ['**'], actions }]),
    );
    const allowed = (grants = compileGrants([]), action = '') => isAllowed(grants, { ...mine, action });
    expect(['PutBucketPolicy', 'PutObject', 'HeadObject'].map(action => allowed(all, action))).toEqual([
      true,
      true,
      true,
    ]);
    expect(['PutBucketReplication', 'PutBucketLogging'].map(action => allowed(all, action))).toEqual([
      false,
      false,
    ]);
    expect(['PutBucketReplication', 'PutBucketLogging'].map(action => allowed(named, action))).toEqual([
      true,
      false,
    ]);
  });

  it('needs no GetObject where GetObjectVersion is given (docs/semantics.md, Authentication 3)', () => {
    const versions = compileGrants([{ keys: ['**'], actions: ['GetObjectVersion'] }]);
    expect(isAllowed(versions, { ...wish, action: readAction('v1') })).toBe(true);
    expect(isAllowed(versions, { ...wish, action: readAction(undefined) })).toBe(false);
  });

  it('allows nothing without grants', () => {
    expect(isAllowed(compileGrants([]), wish)).toBe(false);
  });

  it('covers every bucket with "*", and the bucket it was given for without a name', () => {
    expect(isAllowed(compileGrants([{ buckets: ['*'], keys: ['**'], actions: ['GetObject'] }]), wish)).toBe(
      true,
    );
    expect(isAllowed(compileGrants([{ keys: ['**'], actions: ['GetObject'] }]), wish)).toBe(true);
    expect(isAllowed(compileGrants([{ buckets: [], keys: ['**'], actions: ['GetObject'] }]), wish)).toBe(
      false,
    );
  });

  it('adds grants up: one gives what another does not', () => {
    const grantsOfTwo = compileGrants([
      { keys: ['**', '!private/**'], actions: ['GetObject'] },
      { keys: ['private/mine/**'], actions: ['GetObject'] },
    ]);
    expect(isAllowed(grantsOfTwo, { ...wish, key: 'private/mine/a' })).toBe(true);
    expect(isAllowed(grantsOfTwo, { ...wish, key: 'private/yours/a' })).toBe(false);
  });
});

describe('shareGranted', () => {
  const grants = compileGrants([
    { buckets: ['photos'], keys: ['public/**', '!public/draft/**'], actions: ['ListBucket'] },
    { buckets: ['photos'], keys: ['2026/*/a'], actions: ['ListBucket'] },
    { buckets: ['photos'], keys: ['**'], actions: ['GetObject'] },
    { buckets: ['archive'], keys: ['**'], actions: ['ListBucket'] },
  ]);
  const listing = { bucket: 'photos', action: 'ListBucket', key: 'public/a' };

  it.each([
    ['every key below a prefix', {}, 'every'],
    ['some, where others are taken away', { key: 'public/' }, 'some'],
    ['some, of one grant of several', { key: '2026/' }, 'some'],
    ['some, where the prefix begins what is granted', { key: 'pub' }, 'some'],
    ['none that are taken away', { key: 'public/draft/' }, 'none'],
    ['none of which no grant tells', { key: 'private/' }, 'none'],
    ['none by a grant of another bucket', { bucket: 'third', key: '' }, 'none'],
    ['none by a grant of another action', { action: 'ListBucketVersions', key: '' }, 'none'],
    ['every key by the grant of its own bucket', { bucket: 'archive', key: '' }, 'every'],
    ['every key by a later grant, when an earlier one gives some', { action: 'GetObject', key: '' }, 'every'],
  ])('%s', (_, change, share) => {
    expect(shareGranted(grants, { ...listing, ...change })).toBe(share);
  });

  it('the most of all grants counts, in whatever order they are', () => {
    const rules = [
      { keys: ['a/b/**'], actions: ['ListBucket'] },
      { keys: ['c/**'], actions: ['ListBucket'] },
      { keys: ['a/**'], actions: ['ListBucket'] },
    ];
    for (const ordered of [rules, rules.toReversed()])
      expect(shareGranted(compileGrants(ordered), { ...listing, key: 'a/' })).toBe('every');
    for (const ordered of [rules.slice(0, 2), rules.slice(0, 2).toReversed()])
      expect(shareGranted(compileGrants(ordered), { ...listing, key: 'a/' })).toBe('some');
    expect(shareGranted(compileGrants([]), listing)).toBe('none');
  });
});
