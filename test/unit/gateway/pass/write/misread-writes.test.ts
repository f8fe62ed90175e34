import { expect, it } from 'vitest';
import {
  refuseIgnoredConditions,
  refuseMisreadWrites,
} from '../../../../../src/gateway/pass/write/misread-writes.ts';
import { S3Error } from '../../../../../src/s3/error.ts';
import type { OperationName } from '../../../../../src/s3/operation-table.ts';
import { parseQuery } from '../../../../../src/s3/query.ts';

interface Asked {
  readonly fields?: Readonly<Record<string, string>>;
  readonly query?: string;
  /** Parameters that the operation takes. */
  readonly own?: readonly string[];
  readonly operation?: OperationName;
}

function codeOf({ fields = {}, query = '', own = [], operation = 'PutObject' }: Asked): string {
  const taken = own.map(name => ({ name }));
  try {
    refuseMisreadWrites(operation, new Map(Object.entries(fields)), parseQuery(query), taken);
    return 'passed';
  } catch (error) {
    if (error instanceof S3Error) return error.code;
    throw error;
  }
}

it.each([
  [{ fields: { 'write-offset-bytes': '4' } }, 'NotImplemented'],
  [{ fields: { 'write-offset-bytes': '4' }, operation: 'CopyObject' }, 'NotImplemented'],
  [{ fields: { 'meta-snowball-auto-extract': 'true' } }, 'NotImplemented'],
  [{ fields: { 'meta-minio-snowball-prefix': 'p' } }, 'NotImplemented'],
  [{ fields: { 'copy-source': '/b/k' } }, 'NotImplemented'],
  [{ fields: { 'copy-source-if-match': 'e' } }, 'NotImplemented'],
  [{ fields: { 'copy-source': '/b/k' }, operation: 'CopyObject' }, 'passed'],
  [{ fields: { 'meta-copy-source': '/b/k', 'meta-write-offset-bytes': '4' } }, 'passed'],
] as const)('fields that ask for another write are refused: %o is %s', (asked, code) => {
  expect(codeOf(asked)).toBe(code);
});

it.each([
  ['x-amz-server-side-encryption-customer-key=a', 'NotImplemented'],
  ['X-Store-Server-Side-Encryption-Customer-Algorithm=AES256', 'NotImplemented'],
  ['x-amz-copy-source-server-side-encryption-customer-key=a', 'NotImplemented'],
  // without prefix they are no fields of the store
  ['server-side-encryption-customer-key=a', 'passed'],
  ['x-amz-server-side-encryption=AES256', 'passed'],
])(
  'a customer-provided key in a URL is refused, since the object would not be encrypted: %s is %s',
  (query, code) => {
    expect(codeOf({ query })).toBe(code);
  },
);

it.each([
  [{ query: 'versionId=v', own: ['versionId'] }, 'passed'],
  [{ query: 'partNumber=1&uploadId=u', own: ['partNumber', 'uploadId'] }, 'passed'],
  [{ query: 'versionId=v', own: ['partNumber', 'uploadId'] }, 'InvalidArgument'],
  [{ query: 'versionid=v', own: ['versionId'] }, 'InvalidArgument'],
  [{ query: 'version-id=v', own: ['versionId'] }, 'InvalidArgument'],
  [{ query: 'part-number=1' }, 'InvalidArgument'],
  [{ query: 'UPLOADID=u' }, 'InvalidArgument'],
  [{ query: 'my-uploadId=u' }, 'passed'],
])(
  'a part, an upload or a version is named only where the operation takes it, as it takes it: %o is %s',
  (asked, code) => {
    expect(codeOf(asked)).toBe(code);
  },
);

it.each([
  ['x-id=PutObject', 'passed'],
  ['x-id=', 'passed'],
  ['x-id=CopyObject', 'InvalidArgument'],
  ['xId=CopyObject', 'InvalidArgument'],
])('a name of another operation is refused: %s is %s', (query, code) => {
  expect(codeOf({ query })).toBe(code);
});

it.each([
  ['PutObject', { 'if-none-match': '*' }, {}, 'passed'],
  ['PutObject', { 'if-match': '"a"' }, {}, 'passed'],
  ['PutObject', { 'if-unmodified-since': 'Thu, 01 Jan 2026 00:00:00 GMT' }, {}, 'NotImplemented'],
  // RFC 9110 §13.1.3: it has a meaning for GET and HEAD alone
  ['PutObject', { 'if-modified-since': 'Thu, 01 Jan 2026 00:00:00 GMT' }, {}, 'passed'],
  // §14.2: Range has a meaning for GET alone
  ['PutObject', { range: 'bytes=0-1' }, {}, 'passed'],
  ['PutObject', { 'content-range': 'bytes 4-8/100' }, {}, 'NotImplemented'],
  ['PutObject', {}, { 'if-match-size': '1' }, 'NotImplemented'],
  ['DeleteObject', {}, { 'if-match-size': '1' }, 'passed'],
  ['DeleteObject', { 'if-match': '"a"' }, {}, 'passed'],
  ['DeleteObject', { 'if-none-match': '*' }, {}, 'NotImplemented'],
] as const)('a %s with conditions %o and %o is %s', (operation, headers, said, outcome) => {
  const refuse = () => refuseIgnoredConditions(operation, { headers }, new Map(Object.entries(said)));
  if (outcome === 'passed') expect(refuse).not.toThrow();
  else expect(refuse).toThrow(expect.objectContaining({ code: outcome }));
});

it('what is not taken is named', () => {
  const fieldsOf = (work: () => void) => {
    try {
      work();
    } catch (error) {
      return error instanceof S3Error ? error.fields : error;
    }
    return 'passed';
  };
  const headerOf = (fields: readonly string[], query = '') =>
    fieldsOf(() =>
      refuseMisreadWrites('PutObject', new Map(fields.map(name => [name, 'x'])), parseQuery(query), []),
    );
  expect(headerOf(['acl', 'write-offset-bytes'])).toEqual([['Header', 'x-store-write-offset-bytes']]);
  const inUrl = 'x-amz-server-side-encryption-customer-key';
  expect(headerOf([], `${inUrl}=a`)).toEqual([['Header', inUrl]]);
  const conditionOf = (headers: Record<string, string>, said: Record<string, string> = {}) =>
    fieldsOf(() => refuseIgnoredConditions('PutObject', { headers }, new Map(Object.entries(said))));
  expect(conditionOf({ 'if-unmodified-since': 'x' })).toEqual([['Header', 'if-unmodified-since']]);
  expect(conditionOf({}, { 'if-match-size': '1' })).toEqual([['Header', 'x-store-if-match-size']]);
});
