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

/** Where stores and file systems keep parts, versions and old states of what is in a bucket. */
const ofStores = [
  '.sgwtmp/multipart/0a1b/5a1b2c3d/1',
  '.SGWTMP/multipart',
  'tenantA/.sgwtmp/x',
  'private/.secret.txt.sgwtmp.1790000000000000000',
  '.multipart_2~abc/part-00001',
  '.trash/2026-11-22-01/1-2-secret.txt',
  '.minio.sys/config/config.json',
  'minio.sys.tmp/multipart/v1/x',
  'private/.minio/dare.meta',
  '.uploads/1/0001.part',
  'private/secret.txt.versions/v_1',
  'private/.versions/secret.txt_1',
  'private/.folder',
  '.noobaa-nsfs_64f0/multipart-uploads/1',
  '.sys/uploads/1',
  '.snapshot/hourly.0/private/secret.txt',
  'a/.snap/1/b',
  '.zfs/snapshot/1/private/secret.txt',
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
  '.well-known/x',
  '.config/app.json',
  'a/.config',
  'a/.trash/b',
  '.vgwlocks/x',
  '.sgwtmpx/a',
  'a.snapshot/b',
  'versions/1',
  'minio.sys/a',
  'folder',
];

describe('a key at a store that takes keys as paths', () => {
  it.each(aliases)('is refused when it is another spelling: %j (rows 223, 225)', key => {
    expect(pathKeyProblem(key)).toMatch(/^it /);
    expect(() => requirePlain({ keys: 'path', keyPrefix: '' }, key, 'Key')).toThrow(S3Error);
    expect(() => requirePlain({ keys: 'exact', keyPrefix: '' }, key, 'Key')).not.toThrow();
  });

  it.each(ofStores)('is refused when the store keeps what is its own there: %j', key => {
    expect(pathKeyProblem(key)).toMatch(/^stores keep /);
    expect(pathPrefixProblem(`${key}/`)).toMatch(/^stores keep /);
    expect(() => requirePlain({ keys: 'path', keyPrefix: '' }, key, 'Key')).toThrow(S3Error);
    expect(() => requirePlain({ keys: 'exact', keyPrefix: '' }, key, 'Key')).not.toThrow();
  });

  it.each(plain)('is taken when it is plain: %j (row 224)', key => {
    expect(pathKeyProblem(key)).toBeUndefined();
    expect(pathPrefixProblem(key)).toBeUndefined();
  });

  it('is refused with 400 and the reason', () => {
    try {
      requirePlain({ keys: 'path', keyPrefix: '' }, 'a//b', 'Key');
      expect.unreachable();
    } catch (error) {
      expect(error).toMatchObject({
        ...{ code: 'InvalidArgument', status: 400 },
        fields: [
          ['ArgumentName', 'Key'],
          ['ArgumentValue', 'a//b'],
        ],
      });
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

describe('a key behind the prefix of its bucket', () => {
  it.each([
    ['.sgw', 'tmp/multipart/x'],
    ['a/.sgwtmp/multi', 'part'],
    ['a/.', './b'],
    ['a/', '/b'],
    ['a/.minio', '.sys/x'],
    ['.tra', 'sh/x'],
    ['.con', 'fig'],
    ['a', '.versions/1'],
  ])('is refused for what the two are together: %j + %j', (keyPrefix, key) => {
    const refused = expect.objectContaining({ code: 'InvalidArgument' });
    let thrown: unknown;
    try {
      requirePlain({ keys: 'path', keyPrefix }, key, 'Key');
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toEqual(refused);
  });

  it.each([
    ['a', '/b'],
    ['tenant', '.versions-of-mine'],
    ['a/b', './c'],
    ['a/', '.config'],
  ])('is taken when the two are plain together: %j + %j', (keyPrefix, key) => {
    expect(() => requirePlain({ keys: 'path', keyPrefix }, key, 'Key')).not.toThrow();
    expect(() => requirePlain({ keys: 'path', keyPrefix }, key, 'prefix', 'prefix')).not.toThrow();
  });

  it.each(['.accesslog', '.config', '.CONTROL', '.stats', '.trash'])('%s is a file of a volume', key => {
    for (const one of [key, `${key}/`]) expect(pathKeyProblem(one)).toMatch(/^stores keep /);
    // as a prefix it may go on to another name
    expect(pathPrefixProblem(key)).toBeUndefined();
  });

  it.each(['.trash/', '.Trash/', '.trash/2026-11-22-01', '.trash/2026-11-22-01/'])(
    'the prefix %s leads to deleted files of a volume',
    prefix => {
      expect(pathPrefixProblem(prefix)).toMatch(/^stores keep /);
    },
  );

  it.each(['.trashcan/', 'a/.trash/', '.config/', '.stats/a'])('the prefix %s leads to none', prefix => {
    expect(pathPrefixProblem(prefix)).toBeUndefined();
  });

  it('may end as no key may, if it is a prefix', () => {
    for (const prefix of ['a/.', '.', 'a/.config', '']) {
      expect(() => requirePlain({ keys: 'path', keyPrefix: '' }, prefix, 'prefix', 'prefix')).not.toThrow();
      expect(() => requirePlain({ keys: 'path', keyPrefix: 'b/' }, prefix, 'prefix', 'prefix')).not.toThrow();
    }
    expect(() => requirePlain({ keys: 'path', keyPrefix: '' }, 'a/.', 'Key')).toThrow();
  });
});
