import { describe, expect, it } from 'vitest';
import { fieldsInClientNames, inClientNames } from '../../../../src/gateway/reply/client-names.ts';
import type { Bucket } from '../../../../src/gateway/request/bucket.ts';
import type { Pairs } from '../../../../src/s3/error.ts';
import { httpHeader } from '../../../support/asked-ranges.ts';
import { bucketOf } from '../../../support/object-reads.ts';

const renamed: Bucket = { ...bucketOf(), name: 'photos', bucketAtStore: 'acme-7', keyPrefix: 'team a/' };
const prefixed: Bucket = { ...bucketOf(), name: 'b', bucketAtStore: 'b', keyPrefix: 'team a/' };

const told = (message: string, bucket: Bucket, fields: Pairs = [], code = 'NoSuchKey') =>
  inClientNames({ code, message, fields }, bucket);

describe('an error of a store', () => {
  it('stays as it is where the names are the same', () => {
    const error = { code: 'X', message: 'b k', fields: [['Endpoint', 'b.s3.test']] } as const;
    expect(inClientNames(error, bucketOf())).toEqual(error);
  });

  it('names the key and the bucket as the client does', () => {
    const fields: Pairs = [
      ['Key', 'team a/cat'],
      ['BucketName', 'acme-7'],
      ['Bucket', 'acme-7'],
      ['Expected', 'another'],
    ];
    expect(told('Not there.', renamed, fields)).toEqual({
      ...{ code: 'NoSuchKey', message: 'Not there.' },
      fields: [
        ['Key', 'cat'],
        ['BucketName', 'photos'],
        ['Bucket', 'photos'],
        ['Expected', 'another'],
      ],
    });
  });

  it('says nothing of other keys, endpoints, or names that it holds elsewhere', () => {
    const fields: Pairs = [
      ['Key', 'team b/cat'],
      ['Endpoint', 's3.test'],
      ['Bucket', 'acme-7.s3.test'],
      ['Resource', '/acme-7/team'],
      ['Uri', 'team%20a%2Fcat'],
      ['Region', 'eu-west-1'],
    ];
    expect(told('No.', renamed, fields).fields).toEqual([['Region', 'eu-west-1']]);
    expect(told('No.', renamed, [['acme-7', 'x']]).fields).toEqual([]);
    expect(told('No.', prefixed, [['Bucket', 'b']]).fields).toEqual([['Bucket', 'b']]);
  });

  it('whose code names the store is an InternalError', () => {
    const error = told('In acme-7', renamed, [['Region', 'x']], 'acme-7');
    expect([error.code, error.fields]).toEqual(['InternalError', []]);
    expect(error.message).not.toContain('acme-7');
  });

  it('keeps its code and its fields where a short prefix is in them', () => {
    const short: Bucket = { ...renamed, keyPrefix: 'e' };
    const error = told('No.', short, [['Resource', 'x']]);
    expect([error.code, error.fields]).toEqual(['NoSuchKey', [['Resource', 'x']]]);
  });

  it.each([
    'The bucket acme-7 is gone.',
    'acme-7.s3.eu-west-1.test does not answer',
    'at (acme-7)...',
    'no key team a/cat',
    'no key team%20a%2Fcat',
  ])('whose message is "%s" gets the standard one', message => {
    expect(told(message, renamed).message).toBe('The specified key does not exist.');
    expect(told(message, renamed, [], 'StoreIsOdd').message).toBe(
      'The store refused the request (StoreIsOdd).',
    );
  });

  it('is found in a text of another one, in a list and in an ARN', () => {
    for (const message of ['acme-70, acme-7', '<acme-7>', 'acme-7'])
      expect(told(message, renamed).message).toBe('The specified key does not exist.');
    const arn = 'arn:aws:s3:eu-west-1:123456789012:accesspoint/acme';
    const byArn = { ...renamed, bucketAtStore: arn };
    expect(told(`no grant for ${arn}`, byArn).message).toBe('The specified key does not exist.');
  });

  it.each(['.', 'a.', 'acme-7', 'acme-7x.', '='])(
    'costs no more than its length, such as one that repeats "%s"',
    piece => {
      const long = `x${piece.repeat(2 ** 20 / piece.length)}y`;
      expect(told(long, renamed).message).toBe(long);
    },
  );

  it.each(['The bucket acme-70 is gone.', 'my.acme-7 is another', 'Not there.'])(
    'whose message is "%s" keeps it',
    message => {
      expect(told(message, renamed).message).toBe(message);
    },
  );

  it('may say the name of a bucket that is called the same', () => {
    expect(told('The bucket b is gone.', prefixed).message).toBe('The bucket b is gone.');
    const unprefixed = { ...renamed, keyPrefix: '' };
    expect(told('no key cat', unprefixed, [['Key', 'cat']])).toMatchObject({
      message: 'no key cat',
      fields: [['Key', 'cat']],
    });
  });
});

it('a redirect is no field for the client of a renamed bucket', () => {
  const location = httpHeader('location', 'https://acme-7.s3.test/');
  const others = [httpHeader('retry-after', '1'), { name: 'location', value: 'x', store: true }];
  expect(fieldsInClientNames([location, ...others], renamed)).toEqual(others);
  expect(fieldsInClientNames([location, ...others], bucketOf())).toEqual([location, ...others]);
});
