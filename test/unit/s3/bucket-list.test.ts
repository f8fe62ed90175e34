import { describe, expect, it } from 'vitest';
import { bucketPage, formatBucketPage, type ListedBucket } from '../../../src/s3/bucket-list.ts';
import { S3Error } from '../../../src/s3/error.ts';
import { parseQuery } from '../../../src/s3/query.ts';

const bucket = (name: string, region = 'us-east-1'): ListedBucket => ({ name, region });
const fruit = [bucket('pears'), bucket('apples'), bucket('plums', 'eu-west-1'), bucket('peaches')];

const pageOf = (query: string, all: readonly ListedBucket[] = fruit) =>
  bucketPage(all, parseQuery(query), 'reader');
const namesOf = (query: string, all = fruit) => pageOf(query, all).buckets.map(({ name }) => name);

describe('a page of ListBuckets', () => {
  it('names all buckets in the order of their names, whatever order they are configured in', () => {
    expect(namesOf('')).toEqual(['apples', 'peaches', 'pears', 'plums']);
    expect(pageOf('')).toMatchObject({ ownerId: 'reader', prefix: undefined, continuationToken: undefined });
  });

  it.each([
    ['prefix=pe', ['peaches', 'pears']],
    ['prefix=pears', ['pears']],
    ['prefix=ears', []],
    ['prefix=', ['apples', 'peaches', 'pears', 'plums']],
    ['bucket-region=eu-west-1', ['plums']],
    ['bucket-region=', ['apples', 'peaches', 'pears', 'plums']],
    ['bucket-region=mars-1', []],
    ['bucket-region=us-east-1&prefix=p', ['peaches', 'pears']],
    ['continuation-token=', ['apples', 'peaches', 'pears', 'plums']],
  ])('%s selects %j', (query, names) => {
    expect(namesOf(query)).toEqual(names);
  });

  it.each([1, 2, 3, 4, 5])('pages of %i, one token after the other, name each bucket once', size => {
    const seen: string[] = [];
    let token: string | undefined = '';
    let pages = 0;
    while (token !== undefined) {
      const page = pageOf(`max-buckets=${size}&continuation-token=${token}`);
      expect(page.buckets.length).toBeLessThanOrEqual(size);
      seen.push(...page.buckets.map(({ name }) => name));
      token = page.continuationToken;
      expect(++pages).toBeLessThanOrEqual(4);
    }
    expect(seen).toEqual(['apples', 'peaches', 'pears', 'plums']);
    expect(pages).toBe(Math.ceil(4 / size));
  });

  it('goes on behind a bucket that is no longer there', () => {
    const { continuationToken } = pageOf('max-buckets=2');
    const left = fruit.filter(({ name }) => name !== 'peaches');
    expect(namesOf(`continuation-token=${continuationToken}`, left)).toEqual(['pears', 'plums']);
  });

  it('has 10 000 buckets at most', () => {
    const all = Array.from({ length: 10_001 }, (_, number) => bucket(`b${String(number).padStart(5, '0')}`));
    const page = pageOf('', all);
    expect(page.buckets).toHaveLength(10_000);
    expect(namesOf(`continuation-token=${page.continuationToken}`, all)).toEqual(['b10000']);
    expect(pageOf('max-buckets=10000', all).buckets).toHaveLength(10_000);
    expect(pageOf('max-buckets=', all).buckets).toHaveLength(10_000);
  });

  it.each(['0', '10001', '100000', '-1', '1.5', '1e3', ' 1', '1x', 'x1', 'many'])(
    'refuses max-buckets=%s by name',
    text => {
      const refusal = refusalOf(() => pageOf(`max-buckets=${text}`));
      expect(refusal.code).toBe('InvalidArgument');
      expect(refusal.message).toBe('Argument max-buckets must be an integer between 1 and 10000');
      expect(refusal.fields).toEqual([
        ['ArgumentName', 'max-buckets'],
        ['ArgumentValue', text],
      ]);
    },
  );
});

function refusalOf(call: () => unknown): S3Error {
  try {
    call();
  } catch (error) {
    if (error instanceof S3Error) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

describe('the XML of a page', () => {
  it('has owner, buckets with date and region, and no element that there is nothing to say in', () => {
    expect(formatBucketPage(pageOf('', [bucket('b', 'eu-west-1'), bucket('a')]))).toBe(
      '<?xml version="1.0" encoding="UTF-8"?>\n' +
        '<ListAllMyBucketsResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">' +
        '<Owner><ID>reader</ID><DisplayName>reader</DisplayName></Owner><Buckets>' +
        '<Bucket><Name>a</Name><CreationDate>1970-01-01T00:00:00.000Z</CreationDate>' +
        '<BucketRegion>us-east-1</BucketRegion></Bucket>' +
        '<Bucket><Name>b</Name><CreationDate>1970-01-01T00:00:00.000Z</CreationDate>' +
        '<BucketRegion>eu-west-1</BucketRegion></Bucket></Buckets></ListAllMyBucketsResult>',
    );
  });

  it('repeats the prefix, and has a token when there are more', () => {
    const page = pageOf('prefix=p&max-buckets=1');
    const text = formatBucketPage(page);
    expect(text).toContain('</Buckets><Prefix>p</Prefix><ContinuationToken>');
    expect(text).toContain(`<ContinuationToken>${page.continuationToken}</ContinuationToken></List`);
  });

  it('has no markup from names, the prefix or the caller', () => {
    const text = formatBucketPage({
      ...{ buckets: [], ownerId: '<a&b>', prefix: '"<!--' },
      continuationToken: undefined,
    });
    expect(text).toContain('<ID>&lt;a&amp;b&gt;</ID><DisplayName>&lt;a&amp;b&gt;</DisplayName>');
    expect(text).toMatch(/<Prefix>(&quot;|")&lt;!--<\/Prefix>/);
  });
});
