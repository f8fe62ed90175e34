import { expect, it } from 'vitest';
import {
  isAdministrationKey,
  isAdministrationName,
  isBucketName,
  isVirtualHostable,
} from '../../../src/s3/bucket-name.ts';

it.each([
  'abc',
  'photos-production',
  '2026.photos.example',
  'a'.repeat(63),
  '1.2.3.4.5',
  'constructor',
  'my--bucket',
])('%s is the name of a bucket', name => {
  expect(isBucketName(name)).toBe(true);
});

it.each([
  ['capitals', 'SECRETB'],
  ['one capital', 'photoS'],
  ['too short', 'ab'],
  ['empty', ''],
  ['too long', 'a'.repeat(64)],
  ['far too long', 'a.'.repeat(20_000)],
  ['a dot at the end', 'photos.'],
  ['a dot in front', '.photos'],
  ['two dots', 'pho..tos'],
  ['a hyphen in front', '-photos'],
  ['a hyphen at the end', 'photos-'],
  ['a label that ends in a hyphen', 'photos-.example'],
  ['a label that begins with a hyphen', 'photos.-example'],
  ['an underscore', 'my_photos'],
  ['an address', '192.168.5.4'],
  ['a look-alike of a letter', 'phоtos'],
  ['a capital that is no ASCII', 'photos\u212a'],
  ['a line feed', 'photos\n'],
  ['a slash', 'photos/a'],
  ['a colon', 'arn:aws:s3:eu-west-1:123456789012:accesspoint/ap'],
  ['the prototype', '__proto__'],
  ['an internationalised name', 'xn--photos'],
  ['a reserved beginning', 'sthree-photos'],
  ['the alias of an access point', 'ap-hrzrlukc5m36ft7okagglf3gmwluquse1b-s3alias'],
  ['the alias of an object-lambda access point', 'ap-1--ol-s3'],
  ['a multi-region access point', 'mfzwi23gnjvgw.mrap'],
  ['a directory bucket', 'photos--usw2-az1--x-s3'],
  ['a table bucket', 'photos--table-s3'],
  ['every other bucket', '*'],
])('%s is none: %s', (_why, name) => {
  expect(isBucketName(name)).toBe(false);
});

it('old short names can be part of a host name, those with capitals and underscores cannot', () => {
  expect(['ab', 'photos', 'a.b'].map(isVirtualHostable)).toEqual([true, true, true]);
  expect(['Photos', 'my_photos', 'a..b', 'a.', ''].map(isVirtualHostable)).toEqual(Array(5).fill(false));
});

it('stores are administered under some names, and with virtual addressing under some keys', () => {
  expect(['minio', 'admin', 'riak-cs'].map(isAdministrationName)).toEqual([true, true, true]);
  expect(['minio2', 'my-admin', '', 'photos'].map(isAdministrationName)).toEqual(Array(4).fill(false));
  expect(['minio', 'minio/', 'minio/admin/v3/export-iam'].map(isAdministrationKey)).toEqual(
    Array(3).fill(true),
  );
  expect(['minio2', 'a/minio/b', 'miniox/', 'admin', ''].map(isAdministrationKey)).toEqual(
    Array(5).fill(false),
  );
});
