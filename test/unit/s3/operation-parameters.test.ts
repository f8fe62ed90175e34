import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseAddress } from '../../../src/s3/address.ts';
import { S3Error } from '../../../src/s3/error.ts';
import { detectOperation } from '../../../src/s3/operation.ts';
import { formatQuery, knownParameters, takesField } from '../../../src/s3/operation-parameters.ts';
import { bucketOperations, objectOperations } from '../../../src/s3/operation-table.ts';
import type { KeyKind } from '../../../src/s3/path-key.ts';
import { parseQuery } from '../../../src/s3/query.ts';

/** What the store is asked for a GET of `url`. */
function asked(url: string, keys: KeyKind = 'exact'): string {
  const address = parseAddress(url, undefined, undefined);
  const query = parseQuery(address.query);
  const headers = { copySource: undefined, contentType: undefined };
  return formatQuery(knownParameters(detectOperation('GET', address, query, headers), query, keys));
}

function codeOf(url: string, keys: KeyKind = 'exact'): string {
  try {
    asked(url, keys);
  } catch (error) {
    if (error instanceof S3Error) return error.code;
    throw error;
  }
  return 'none';
}

describe('what is asked of a store', () => {
  it.each([
    ['/b?list-type=2&prefix=a+b%2F&max-keys=5&foo=bar', 'list-type=2&max-keys=5&prefix=a%20b%2F'],
    ['/b?list-type=2&metadata=true&events=s3&replication-check=1', 'list-type=2'],
    ['/b?list-type=1&marker=a&start-after=b', 'marker=a'],
    ['/b?prefix=&delimiter=', 'prefix=&delimiter='],
    ['/b?versions&key-marker=a&continuation-token=x', 'versions&key-marker=a'],
    ['/b?versions=all', 'versions'],
    ['/b?uploads&max-uploads=2&max-keys=2', 'uploads&max-uploads=2'],
    ['/b?analytics&id=1&continuation-token=2', 'analytics&id=1'],
    ['/b?location&prefix=a', 'location'],
    ['/b/k?%61cl=x&versionId=a%26b&X-Amz-Signature=s&x-id=GetObjectAcl', 'acl&versionId=a%26b'],
    ['/b/k?uploadId=a%2Bb&part-number-marker=1&versionId=2', 'uploadId=a%2Bb&part-number-marker=1'],
    ['/b/k?tagging&List-Type=2&versionid=3&response-content-type=x', 'tagging'],
  ])('for %s is %s: parameters that the operation knows (row 237)', (url, query) => {
    expect(asked(url)).toBe(query);
  });

  it.each([
    '/b?prefix=a&prefix=b',
    '/b?list-type=2&list-type=1',
    '/b?list-type=2&max-keys=1&max-keys=2',
    '/b/k?acl&acl',
    '/b/k?acl&versionId=1&version%49d=2',
    '/b/k?uploadId=1&uploadId=2',
  ])('is not said twice: %s', url => {
    expect(codeOf(url)).toBe('InvalidArgument');
  });

  it.each([
    '/b/k?uploadId=',
    '/b/k?uploadId=1&part-number-marker=',
    '/b/k?uploadId=1&max-parts=',
    '/b/k?acl&versionId=',
    '/b/k?attributes&versionId=',
    '/b?uploads&key-marker=a&upload-id-marker=',
    '/b?versions&key-marker=a&version-id-marker=',
    '/b?inventory&id=',
    '/b?metrics&continuation-token=',
    '/b?list-type=2&continuation-token=',
    '/b?list-type=2&max-keys=',
    '/b?encoding-type=',
  ])('is no path in what is no key: %s', start => {
    const refusal = start.endsWith('uploadId=') ? 'NoSuchUpload' : 'InvalidArgument';
    for (const path of ['..%2Fa', '%2e%2e', 'a%2F..%2Fb', 'a%5C..%5Cb', 'a%00']) {
      expect(codeOf(`${start}${path}`)).toBe(refusal);
      expect(codeOf(`${start}${path}`, 'path')).toBe(refusal);
    }
    expect(codeOf(`${start}a%2Fb`, 'path')).toBe(refusal);
    expect(codeOf(`${start}a%2Fb`)).toBe('none');
    expect(codeOf(`${start}1`, 'path')).toBe('none');
  });

  it.each(['prefix', 'marker', 'delimiter'])('may be a path in %s, which is looked at as a key', name => {
    expect(codeOf(`/b?${name}=a%2Fb`, 'path')).toBe('none');
  });

  it.each(['/b?session', '/b?foo', '/b?list-type=2&foo', '/b/k?foo='])('is nothing for %s', url => {
    expect(codeOf(url)).toBe('NotImplemented');
  });

  it('has a table for every operation that only reads, but for those answered here and for credentials', () => {
    const reads = [bucketOperations, objectOperations].flatMap(table =>
      Object.values(table).flatMap(methods => ('GET' in methods ? [methods.GET] : [])),
    );
    const without = reads.filter(name => {
      try {
        knownParameters(name, [], 'exact');
        return false;
      } catch {
        return true;
      }
    });
    expect(without).toEqual(['CreateSession', 'GetObject']);
  });

  it('holds fields that the operation knows, and none that select another', () => {
    expect(takesField('GetObjectAttributes', { name: 'object-attributes', store: true })).toBe(true);
    expect(takesField('GetObjectAcl', { name: 'expected-bucket-owner', store: true })).toBe(true);
    for (const name of ['copy-source', 'meta-a', 'acl', 'security-token', 'object-attributes', 'bypass'])
      expect(takesField('GetObjectAcl', { name, store: true })).toBe(false);
  });
});

it('a store is asked in allowed names only, each once, whatever a client sends', () => {
  const interesting = fc.constantFrom(
    ...['prefix', 'delimiter', 'list-type', 'versions', 'acl', 'max-keys', 'marker', 'metadata', 'events'],
    ...[
      'replication-check',
      'x-amz-acl',
      'X-Amz-Signature',
      'continuation-token',
      '',
      '%',
      'a&b',
      'a=b',
      'é',
    ],
  );
  const name = fc.oneof(interesting, fc.string({ unit: 'binary', maxLength: 8 }));
  const value = fc.oneof(
    fc.constantFrom('', '2', 'a/b', '&acl', '#', 'a=b&policy'),
    fc.string({ unit: 'binary' }),
  );
  const allowed = new Set([
    ...['list-type', 'continuation-token', 'fetch-owner', 'max-keys', 'start-after', 'marker', 'prefix'],
    ...['delimiter', 'encoding-type', 'versions', 'key-marker', 'version-id-marker', 'acl', 'versionId'],
  ]);
  fc.assert(
    fc.property(fc.array(fc.tuple(name, value), { maxLength: 6 }), fc.boolean(), (pairs, isObject) => {
      const raw = pairs
        .map(([one, other]) => `${encodeURIComponent(one)}=${encodeURIComponent(other)}`)
        .join('&');
      let query: string;
      try {
        query = asked(`/b${isObject ? '/k' : ''}?${raw}`);
      } catch (error) {
        if (error instanceof S3Error) return;
        throw error;
      }
      const sent = parseQuery(query);
      for (const { name: each } of sent) expect(allowed).toContain(each);
      expect(new Set(sent.map(each => each.name)).size).toBe(sent.length);
      for (const { name: each, value: said } of sent)
        expect(pairs.some(([one, other]) => one === each && (other === said || said === ''))).toBe(true);
    }),
  );
});
