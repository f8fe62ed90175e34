import { describe, expect, it } from 'vitest';
import { mayBePath, requireId } from '../../../src/s3/store-id.ts';

/** Of Amazon's documentation, Ceph, MinIO (base64url), versitygw (UUID and ULID), SeaweedFS. */
const given = [
  'null',
  'VXBsb2FkIElEIGZvciBlbHZpbmcncyBteS1tb3ZpZS5tMnRzIHVwbG9hZA',
  'dfRtDYWFbkRONycy.Yxwh66Yjlx.cph0gtNBtJ',
  'UIORUnfndfiufdisojhr398493jfdkjFJjkndnqUifhnw89493jJFJ--',
  '3sL4kqtJlcpXroDTDmJ+rmSpXd3dIbrHY+MTRCxf3vjVBH40Nr8X8gdRQBpUMLUo',
  '2~4g1Zl9Q8rj7iYgVfmEWV0aBVcvT0Bq0',
  '5a1b2c3d-0000-4000-8000-000000000001',
  '01ARZ3NDEKTSV4RRFFQ69G5FAV',
  '0006a1_d41d8cd98f00b204e9800998ecf8427e',
  'YWJjZA==',
  '',
];

const paths = [
  '..',
  '.',
  '../a',
  'a/..',
  'a/../b',
  'a/./b',
  '../../../../secretb',
  '..\\a',
  'a\\..\\b',
  'a\u0000',
  'a\n',
  '\u007f',
];

describe('an id of a store', () => {
  it.each(given)('is taken as stores give it out: %j', id => {
    expect(mayBePath('path', id)).toBe(false);
    expect(mayBePath('exact', id)).toBe(false);
  });

  it.each(paths)('is refused at every store when it leads elsewhere as a path: %j', id => {
    expect(mayBePath('path', id)).toBe(true);
    expect(mayBePath('exact', id)).toBe(true);
  });

  it.each(['a/b', '/a', 'a\\b', 'a%2fb', 'a:b', 'ä', 'a b'])(
    'is refused at stores of paths when it holds what their ids do not: %j',
    id => {
      expect(mayBePath('path', id)).toBe(true);
      expect(() => requireId('path', id, 'uploadId')).toThrow(
        expect.objectContaining({
          ...{ code: 'InvalidArgument', status: 400 },
          message: 'The value of uploadId is not one that a store gives out.',
          fields: [
            ['ArgumentName', 'uploadId'],
            ['ArgumentValue', id],
          ],
        }),
      );
    },
  );

  it('may hold a slash at other stores: ids of versions at Amazon S3 look like base64', () => {
    const id = '3/L4kqtJlcpXroDTDmJ+rmSpXd3dIbrHY+MTRCxf3vjVBH40Nr8X8gdRQBpUMLUo';
    expect(() => requireId('exact', id, 'versionId')).not.toThrow();
  });
});
