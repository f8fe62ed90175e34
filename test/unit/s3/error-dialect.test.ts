import { expect, it } from 'vitest';
import { errorInDialect } from '../../../src/s3/error-dialect.ts';

it('An error names headers in the dialect of its reader', () => {
  const error = {
    code: 'AccessDenied',
    message: 'AWS authentication requires a valid Date or x-amz-date header',
    fields: [
      ['ArgumentName', 'x-amz-server-side-encryption'],
      ['X-Amz-Expires', '60'],
      ['HeadersNotSigned', 'x-amz-acl'],
    ],
  } as const;
  const translated = errorInDialect(error, 'x-store-');
  expect(translated).toEqual({
    code: 'AccessDenied',
    message: 'AWS authentication requires a valid Date or x-store-date header',
    fields: [
      ['ArgumentName', 'x-store-server-side-encryption'],
      ['X-Store-Expires', '60'],
      ['HeadersNotSigned', 'x-store-acl'],
    ],
  });
  expect(errorInDialect(translated, 'x-amz-')).toEqual(error);
});

it('An error keeps what users chose as it is', () => {
  const fields = [
    ['Key', 'x-amz-meta/aws:kms'],
    ['ArgumentValue', 'x-amz-'],
  ] as const;
  expect(errorInDialect({ code: 'NoSuchKey', message: '', fields }, 'x-store-').fields).toEqual(fields);
});
