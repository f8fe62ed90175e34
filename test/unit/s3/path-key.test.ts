import { describe, expect, it } from 'vitest';
import { S3Error } from '../../../src/s3/error.ts';
import { pathKeyProblem, pathPrefixProblem, requirePlain } from '../../../src/s3/path-key.ts';

const aliases = [
  '/private/secret.txt',
  '//private/secret.txt',
  './private/secret.txt',
  'private/./secret.txt',
  'x/../private/secret.txt',
  '../tenantB/b.txt',
  'private//secret.txt',
  'a/..',
  'certs/server.key/.',
  'certs/server.key//',
  '..',
  '.',
  '/',
  'private\\secret.txt',
  '..\\private',
  'private/secret.txt\u0000',
  'private\n/secret.txt',
  'private/\u007fsecret.txt',
  'private__XLDIR__',
];

const plain = [
  'a',
  'private/secret.txt',
  'folder/',
  '.hidden',
  'a/.hidden/b',
  '...',
  'a/..b',
  'a../b',
  'a b/ü/日本',
  '%2e%2e/a',
];

describe('a key at a store that takes keys as paths', () => {
  it.each(aliases)('is refused when it is another spelling: %j (rows 223, 225)', key => {
    expect(pathKeyProblem(key)).toMatch(/^it /);
    expect(() => requirePlain('path', key, 'Key')).toThrow(S3Error);
    expect(() => requirePlain('exact', key, 'Key')).not.toThrow();
  });

  it.each(plain)('is taken when it is plain: %j (row 224)', key => {
    expect(pathKeyProblem(key)).toBeUndefined();
    expect(pathPrefixProblem(key)).toBeUndefined();
  });

  it('is refused with 400 and the reason', () => {
    try {
      requirePlain('path', 'a//b', 'Key');
      expect.unreachable();
    } catch (error) {
      expect(error).toMatchObject({ code: 'InvalidArgument', status: 400 });
      expect(String(error)).toContain('it has an empty segment');
    }
  });
});

describe('a prefix at a store that takes keys as paths', () => {
  it.each(['', 'a', 'a/', '.', 'a/.', 'a/b', 'a/.h', '...'])('may end anywhere: %j', prefix => {
    expect(pathPrefixProblem(prefix)).toBeUndefined();
  });

  it.each(['/', '/a', 'a//', 'a//b', './a', '..', '../', 'a/..', 'a/../b', 'a/./b', 'a\\', 'a\u0001'])(
    'is refused when what it begins is no plain key: %j',
    prefix => {
      expect(pathPrefixProblem(prefix)).toMatch(/^it /);
    },
  );
});
