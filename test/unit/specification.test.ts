import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { collectTests } from '../support/specification/collect-tests.ts';
import { findProblems } from '../support/specification/find-problems.ts';
import { readSpecification, type SpecificationItem } from '../support/specification/specification-index.ts';

const items = readSpecification(new URL('../fixtures/specification', import.meta.url).pathname);
const namesOf = (kind: string) =>
  items.filter(({ id }) => id.startsWith(`${kind}/`)).map(({ id }) => id.slice(kind.length + 1));

/** What the tables and enumerations of docs/semantics.md name, copied from there and not from the index. */
const tables: Readonly<Record<string, string>> = {
  object: 'Key data ETag Last-Modified version-id storage-class tags user-metadata delete-marker',
  parameter: `
    Bucket Key versionId partNumber Range If-Match If-None-Match If-Modified-Since If-Unmodified-Since
    response-content-type response-content-language response-expires response-cache-control
    response-content-disposition response-content-encoding x-store-server-side-encryption-customer-algorithm
    x-store-server-side-encryption-customer-key x-store-server-side-encryption-customer-key-MD5
    x-store-request-payer x-store-expected-bucket-owner x-store-checksum-mode`,
  'parameter-rule': '1 2 3 4',
  'response-header': `
    x-store-delete-marker accept-ranges x-store-expiration x-store-restore Last-Modified Content-Length ETag
    x-store-checksum-crc32 x-store-checksum-crc32c x-store-checksum-sha1 x-store-checksum-sha256
    x-store-missing-meta x-store-version-id Cache-Control Content-Disposition Content-Encoding Content-Language
    Content-Type Expires Content-Range x-store-website-redirect-location x-store-server-side-encryption
    x-store-server-side-encryption-customer-algorithm x-store-server-side-encryption-customer-key-MD5
    x-store-server-side-encryption-aws-kms-key-id x-store-server-side-encryption-bucket-key-enabled
    x-store-storage-class x-store-request-charged x-store-replication-status x-store-mp-parts-count
    x-store-tagging-count x-store-object-lock-mode x-store-object-lock-retain-until-date
    x-store-object-lock-legal-hold x-store-id-2 x-store-request-id`,
  'server-side-encryption': 'AES256 store:kms',
  'storage-class': `
    STANDARD REDUCED_REDUNDANCY STANDARD_IA ONEZONE_IA INTELLIGENT_TIERING GLACIER DEEP_ARCHIVE OUTPOSTS GLACIER_IR`,
  'archive-tier': 'ARCHIVE_ACCESS DEEP_ARCHIVE_ACCESS',
  'replication-status': 'COMPLETE PENDING FAILED REPLICA',
  'object-lock-mode': 'GOVERNANCE COMPLIANCE',
  'legal-hold': 'ON OFF',
  target: 'readable archived delete-marker missing unchanged',
  'conditional-rule': '1 2 3 4',
  authentication: '1 2 3 4 5',
  error: `
    archived encryption-headers missing-to-listers missing-to-others delete-marker precondition-failed not-modified
    expected-bucket-owner`,
  limit: 'partNumber key-length ranges',
  versioning: '1 2 3 4',
};

/** How many statements stand under each heading. */
const sizes: Readonly<Record<string, number>> = {
  'What the service does': 11,
  Bucket: 9,
  Object: 9,
  'Request parameters': 25,
  'Response headers (status 200, and 206 for ranges)': 40,
  'States and transitions': 24,
  GetObject: 14,
  Authentication: 5,
  Errors: 11,
  Limits: 3,
  Versioning: 4,
};

describe('the index of docs/semantics.md', () => {
  it.each(Object.entries(tables))('has every %s', (kind, names) => {
    expect(namesOf(kind).sort()).toEqual(names.trim().split(/\s+/).sort());
  });

  it('has every statement of every section', () => {
    const counted = Object.entries(Object.groupBy(items, ({ section }) => section));
    expect(Object.fromEntries(counted.map(([section, some = []]) => [section, some.length]))).toEqual(sizes);
  });

  it('names tests for each of them, and they exist', async () => {
    const named = new Set(items.flatMap(({ tests }) => Object.keys(tests)));
    const files = [...named].filter(file => existsSync(new URL(`../${file}`, import.meta.url)));
    expect(findProblems(items, await collectTests(files))).toEqual([]);
  }, 120_000);
});

describe('of an index', () => {
  const known = new Map([['a.test.ts', new Set(['outer > inner', 'other'])]]);
  const item = (id: string, tests: SpecificationItem['tests']): SpecificationItem => {
    return { id, section: 'Limits', says: 'It holds.', tests };
  };

  it.each([
    ['its whole name', 'outer > inner'],
    ['its title', 'inner'],
  ])('a test is named by %s', (_how, title) => {
    expect(findProblems([item('limit/a', { 'a.test.ts': [title] })], known)).toEqual([]);
  });

  it.each<[string, SpecificationItem['tests']]>([
    ['limit/a has no test', {}],
    ['limit/a has no test', { 'a.test.ts': [] }],
    ['limit/a names test/b.test.ts, which does not exist', { 'b.test.ts': ['inner'] }],
    ['limit/a names a test that test/a.test.ts does not have: inn', { 'a.test.ts': ['other', 'inn'] }],
    ['limit/a names a test that test/a.test.ts does not have: outer', { 'a.test.ts': ['outer'] }],
  ])('it is said that %s', (problem, tests) => {
    expect(findProblems([item('limit/a', tests)], known)).toEqual([problem]);
  });

  it('it is said that an id is used twice', () => {
    const twice = item('limit/a', { 'a.test.ts': ['other'] });
    expect(findProblems([twice, twice], known)).toEqual(['limit/a is the id of two items']);
  });
});
