import { describe, expect, it } from 'vitest';
import { anonymous, type Caller, Permissions, type Policy } from '../../../../src/gateway/request/access.ts';
import type { KeyShare } from '../../../../src/s3/key-pattern.ts';
import { clientCalled } from '../../../support/callers.ts';

const reader: Caller = clientCalled('reader');

/** A policy of `granted`, each `<caller> <bucket> <action> <key>`, that allows nothing else. */
function only(...granted: readonly string[]): Policy {
  const name = (caller: Caller) => (caller.kind === 'client' ? caller.accessKeyId : 'anonymous');
  const isGranted = (caller: Caller, ...asked: readonly string[]) =>
    granted.includes([name(caller), ...asked].join(' '));
  return {
    allows: isGranted,
    shareBelow: (...asked): KeyShare => (isGranted(...asked) ? 'some' : 'none'),
  };
}

describe('permissions', () => {
  const policy = only('reader photos GetObject k', 'reader photos ListBucket p/');

  it('are those of one caller in one bucket', () => {
    expect(new Permissions(policy, reader, 'photos').allows('GetObject', 'k')).toBe(true);
    expect(new Permissions(policy, anonymous, 'photos').allows('GetObject', 'k')).toBe(false);
    expect(new Permissions(policy, reader, 'films').allows('GetObject', 'k')).toBe(false);
    expect(new Permissions(policy, reader, 'photos').allows('PutObject', 'k')).toBe(false);
    expect(new Permissions(policy, reader, 'photos').allows('GetObject', 'l')).toBe(false);
  });

  it('tell for which share of the keys below a prefix', () => {
    const permissions = new Permissions(policy, reader, 'photos');
    expect(permissions.shareBelow('ListBucket', 'p/')).toBe('some');
    expect(permissions.shareBelow('ListBucket', 'q/')).toBe('none');
    expect(permissions.shareBelow('GetObject', 'p/')).toBe('none');
  });

  it('that are missing are refused with AccessDenied', () => {
    const permissions = new Permissions(policy, reader, 'photos');
    expect(() => permissions.require('GetObject', 'k')).not.toThrow();
    expect(() => permissions.require('GetObject', 'l')).toThrow(
      expect.objectContaining({ code: 'AccessDenied', status: 403 }),
    );
  });

  it('of an object and of its versions are apart (docs/semantics.md 109)', () => {
    const current = new Permissions(policy, reader, 'photos');
    expect([current.allowsRead('k', undefined), current.allowsRead('k', 'v1')]).toEqual([true, false]);
    const versions = new Permissions(only('reader photos GetObjectVersion k'), reader, 'photos');
    expect([versions.allowsRead('k', undefined), versions.allowsRead('k', 'v1')]).toEqual([false, true]);
  });

  it.each([
    [[], { taggingCount: false, legalHold: false }],
    [['GetObjectTagging'], { taggingCount: true, legalHold: false }],
    [['GetObjectLegalHold'], { taggingCount: false, legalHold: true }],
    [['GetObject', 'GetObjectRetention'], { taggingCount: false, legalHold: false }],
  ])('%j decide which fields of the object are seen, checksums the request alone', (actions, seen) => {
    const granted = only(...actions.map(action => `reader photos ${action} k`));
    const permissions = new Permissions(granted, reader, 'photos');
    for (const checksums of [true, false])
      expect(permissions.visibility('k', { checksums, storeNames: !checksums, targeted: checksums })).toEqual(
        {
          ...{ checksums, storeNames: !checksums, targeted: checksums, ...seen },
        },
      );
    expect(permissions.visibility('l', { checksums: false, storeNames: true, targeted: true })).toEqual({
      ...{ checksums: false, taggingCount: false, legalHold: false, storeNames: true, targeted: true },
    });
  });
});
