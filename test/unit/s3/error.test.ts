import { describe, expect, it } from 'vitest';
import { S3Error, s3Error } from '../../../src/s3/error.ts';

describe('s3Error', () => {
  it('takes status and text from the code', () => {
    const error = s3Error('NoSuchBucket', { fields: [['BucketName', 'b']] });
    expect(error).toBeInstanceOf(S3Error);
    expect(error).toMatchObject({
      code: 'NoSuchBucket',
      status: 404,
      message: 'The specified bucket does not exist',
      fields: [['BucketName', 'b']],
      headers: [],
    });
  });

  it('lets a case have its own text, headers and cause', () => {
    const cause = new TypeError('inner');
    const error = s3Error('MethodNotAllowed', { message: 'own', headers: [['Allow', 'DELETE']], cause });
    expect(error).toMatchObject({ status: 405, message: 'own', headers: [['Allow', 'DELETE']], cause });
  });

  it('has no cause unless one is given', () => {
    expect('cause' in s3Error('SlowDown')).toBe(false);
  });
});
