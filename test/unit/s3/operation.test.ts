import { describe, expect, it } from 'vitest';
import { type Address, parseAddress } from '../../../src/s3/address.ts';
import { S3Error } from '../../../src/s3/error.ts';
import { detectOperation, isObjectRead, type OperationHeaders } from '../../../src/s3/operation.ts';
import { parseQuery } from '../../../src/s3/query.ts';

function detect(method: string, url: string, headers: Partial<OperationHeaders> = {}): string {
  const address: Address = parseAddress(url, undefined, undefined);
  return detectOperation(method, address, parseQuery(address.query), {
    copySource: undefined,
    contentType: undefined,
    ...headers,
  });
}

function refusal(method: string, url: string, headers?: Partial<OperationHeaders>): S3Error {
  try {
    detect(method, url, headers);
  } catch (error) {
    if (error instanceof S3Error) return error;
    throw error;
  }
  throw new Error(`${method} ${url} was not refused`);
}

describe('the operation of a request', () => {
  it.each([
    ['GET', '/', 'ListBuckets'],
    ['GET', '/b', 'ListObjects'],
    ['GET', '/b?list-type=2&prefix=&delimiter=', 'ListObjectsV2'],
    ['GET', '/b?list-type=1', 'ListObjects'],
    ['GET', '/b?versions', 'ListObjectVersions'],
    ['GET', '/b?location=', 'GetBucketLocation'],
    ['GET', '/b?uploads', 'ListMultipartUploads'],
    ['GET', '/b?analytics', 'ListBucketAnalyticsConfigurations'],
    ['GET', '/b?analytics&id=1', 'GetBucketAnalyticsConfiguration'],
    ['GET', '/b?intelligent-tiering&id=1', 'GetBucketIntelligentTieringConfiguration'],
    ['GET', '/b?inventory', 'ListBucketInventoryConfigurations'],
    ['GET', '/b?metrics', 'ListBucketMetricsConfigurations'],
    ['HEAD', '/b', 'HeadBucket'],
    ['PUT', '/b', 'CreateBucket'],
    ['DELETE', '/b', 'DeleteBucket'],
    ['POST', '/b?delete', 'DeleteObjects'],
    ['GET', '/b/k', 'GetObject'],
    ['HEAD', '/b/k', 'HeadObject'],
    ['GET', '/b/k?acl', 'GetObjectAcl'],
    ['GET', '/b/k?tagging', 'GetObjectTagging'],
    ['GET', '/b/k?attributes', 'GetObjectAttributes'],
    ['GET', '/b/k?torrent', 'GetObjectTorrent'],
    ['GET', '/b/k?retention', 'GetObjectRetention'],
    ['GET', '/b/k?legal-hold', 'GetObjectLegalHold'],
    ['GET', '/b/k?uploadId=1', 'ListParts'],
    ['POST', '/b/k?restore', 'RestoreObject'],
    ['POST', '/b/k?select&select-type=2', 'SelectObjectContent'],
    ['POST', '/b/k?uploads', 'CreateMultipartUpload'],
    ['POST', '/b/k?uploadId=1', 'CompleteMultipartUpload'],
    ['PUT', '/b/k', 'PutObject'],
    ['PUT', '/b/k?partNumber=1&uploadId=1', 'UploadPart'],
    ['DELETE', '/b/k', 'DeleteObject'],
    ['DELETE', '/b/k?versionId=1', 'DeleteObject'],
    ['DELETE', '/b/k?uploadId=1', 'AbortMultipartUpload'],
    ['OPTIONS', '/b/k', 'Options'],
    ['OPTIONS', '*', 'Options'],
  ])('%s %s is %s', (method, url, operation) => {
    expect(detect(method, url)).toBe(operation);
  });

  it('is a listing when the key is empty (row 233)', () => {
    expect(detect('GET', '/b/')).toBe('ListObjects');
  });

  it.each([
    '/b/k?foo=bar',
    '/b/k?x-id=GetObject',
    '/b/k?x-id=',
    '/b/k?versionId=1&partNumber=2&response-content-type=',
    '/b/k?versionId=',
    '/b/k?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Security-Token=',
    '/b/k?x-amz-checksum-mode=ENABLED',
    '/b/k?X-Store-Signature=1',
    '/b/k?AWSAccessKeyId=1&Signature=2&Expires=3',
    '/b/k?list-type=2',
  ])('is GetObject whatever parameters without meaning come along: %s (row 237)', url => {
    expect(detect('GET', url)).toBe('GetObject');
  });

  it.each([
    '/b/k?brand-new',
    '/b/k?brand-new=',
    '/b/k?versionId=1&brand-new',
    '/b/k?ACL',
    '/b?brand-new',
    '/?brand-new',
    '/?acl',
  ])('is unknown for a sub-resource that nobody knows: %s (row 234)', url => {
    expect(detect('GET', url)).toBe('Unknown');
  });

  it('is found although the name of its sub-resource is escaped', () => {
    expect(detect('GET', '/b/k?%61c%6C')).toBe('GetObjectAcl');
  });

  it('is a copy when a source is named', () => {
    expect(detect('PUT', '/b/k', { copySource: '/b/other' })).toBe('CopyObject');
    expect(detect('PUT', '/b/k?partNumber=1&uploadId=1', { copySource: '/b/other' })).toBe('UploadPartCopy');
  });

  it('is an object read for two operations only', () => {
    expect(['GetObject', 'HeadObject'].every(name => isObjectRead(name as 'GetObject'))).toBe(true);
    expect(isObjectRead('GetObjectAcl')).toBe(false);
    expect(isObjectRead('Unknown')).toBe(false);
  });
});

describe('a request that is no operation', () => {
  it.each([
    ['268', 'POST', '/b/k', 'OBJECT', 'GET, HEAD, PUT, DELETE'],
    ['270', 'PATCH', '/b/k', 'OBJECT', 'GET, HEAD, PUT, DELETE'],
    ['270', 'PATCH', '/b/k?acl', 'OBJECT', 'GET, PUT'],
    ['270', 'PATCH', '/b/k?versionId=1', 'OBJECT', 'GET, HEAD, PUT, DELETE'],
    ['270', 'PATCH', '/b/k?brand-new', 'OBJECT', 'GET, HEAD, PUT, DELETE'],
    ['270', 'TRACE', '/b', 'BUCKET', 'GET, HEAD, PUT, POST, DELETE'],
    ['270', 'PATCH', '/', 'SERVICE', 'GET'],
    ['235', 'HEAD', '/b?versions', 'BUCKET', 'GET'],
    ['235', 'HEAD', '/b?location', 'BUCKET', 'GET'],
    ['235', 'HEAD', '/b?acl', 'BUCKET', 'GET, PUT'],
    ['235', 'HEAD', '/b/k?acl', 'OBJECT', 'GET, PUT'],
    ['', 'PUT', '/', 'SERVICE', 'GET'],
    ['', 'GET', '/b?restore', 'BUCKET', ''],
    ['', 'DELETE', '/b/k?restore', 'OBJECT', 'POST'],
  ])('row %s: %s %s is 405', (_row, method, url, resource, allow) => {
    const error = refusal(method, url);
    expect([error.code, error.status]).toEqual(['MethodNotAllowed', 405]);
    expect(error.fields).toEqual([
      ['Method', method],
      ['ResourceType', resource],
    ]);
    expect(error.headers).toEqual([['Allow', allow]]);
  });

  it('names two sub-resources (row 235)', () => {
    for (const url of ['/b?acl&policy', '/b/k?acl&tagging', '/b/k?acl=&tagging=']) {
      expect([refusal('HEAD', url).code, refusal('GET', url).status]).toEqual(['InvalidArgument', 400]);
    }
    const { message, fields } = refusal('GET', '/b?acl&policy');
    expect(message).toBe('Conflicting query string parameters: acl, policy');
    expect(fields).toEqual([
      ['ArgumentName', 'ResourceType'],
      ['ArgumentValue', 'acl'],
    ]);
    expect(detect('GET', '/b/k?acl&acl')).toBe('GetObjectAcl');
  });

  it('names a sub-resource of buckets beside a key (row 236)', () => {
    const error = refusal('GET', '/b/k?versions');
    expect([error.code, error.status, error.message]).toEqual([
      'InvalidRequest',
      400,
      'There is no such thing as the ?versions sub-resource for a key',
    ]);
  });

  it('names the source of a copy, but copies nothing', () => {
    for (const [method, url] of [
      ...[['GET', '/b/k'] as const, ['HEAD', '/b/k'] as const, ['DELETE', '/b/k'] as const],
      ...[['GET', '/b'] as const, ['POST', '/b/k?uploadId=u'] as const, ['PUT', '/b/k?acl'] as const],
    ]) {
      const error = refusal(method, url, { copySource: 'b/other' });
      expect([error.code, error.status, error.message]).toEqual([
        ...['InvalidArgument', 400],
        'You can only specify a copy source header for copy requests.',
      ]);
      expect(error.fields).toEqual([
        ['ArgumentName', 'x-amz-copy-source'],
        ['ArgumentValue', 'b/other'],
      ]);
    }
  });

  it('lists the uploads of a key', () => {
    const error = refusal('GET', '/b/k?uploads');
    expect([error.code, error.message]).toEqual([
      'InvalidRequest',
      'Key is not expected for the GET method ?uploads subresource',
    ]);
    expect(refusal('PUT', '/b/k?uploads').code).toBe('MethodNotAllowed');
  });

  it('posts something else than a form to a bucket (row 269)', () => {
    const error = refusal('POST', '/b', { contentType: 'application/xml' });
    const text = 'Bucket POST must be of the enclosure-type multipart/form-data';
    expect([error.code, error.status, error.message]).toEqual(['PreconditionFailed', 412, text]);
    expect(error.fields).toEqual([['Condition', text]]);
    expect(refusal('POST', '/b').code).toBe('PreconditionFailed');
    for (const contentType of [
      'multipart/form-data; boundary=x',
      'Multipart/Form-Data',
      'multipart/form-data ;x',
    ])
      expect(detect('POST', '/b', { contentType })).toBe('PostObject');
    for (const contentType of ['x-multipart/form-data', 'multipart/form-data-x', 'multipart/form-data x', ''])
      expect(refusal('POST', '/b', { contentType }).code, contentType).toBe('PreconditionFailed');
  });
});
