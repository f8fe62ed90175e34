import { expect, it } from 'vitest';
import { listingKinds } from '../../../../src/s3/listing/listing-kind.ts';
import { InvalidListError } from '../../../../src/s3/listing/listing-xml.ts';
import { type EntryView, readListing, sizeOfListing } from '../../../../src/s3/listing/store-listing.ts';
import { resultOf } from '../../../support/steps.ts';

const everything: EntryView = { shows: () => true, nameFor: () => undefined };

const read = (inner: string, view = everything) =>
  resultOf(
    readListing(Buffer.from(`<ListBucketResult>${inner}</ListBucketResult>`), listingKinds.ListObjects, view),
  );

const entry = (key: string, more = '') => `<Contents><Key>${key}</Key>${more}</Contents>`;
const shownOf = (inner: string, view?: EntryView) =>
  read(inner, view).entries.map(({ name, shown }) => [name, shown?.toString()]);

it('an entry is kept with its known members, under the name that the view gives', () => {
  const view = { ...everything, nameFor: () => 'a & b' };
  const owner = '<Owner><ID>o</ID><Secret>s</Secret></Owner>';
  expect(shownOf(entry('p/k', `<Path>p/k</Path>${owner}<Size>7</Size>`), view)).toEqual([
    ['p/k', '<Contents><Key>a &amp; b</Key><Owner><ID>o</ID></Owner><Size>7</Size></Contents>'],
  ]);
  expect(shownOf(entry('p/k'))).toEqual([['p/k', '<Contents><Key>p/k</Key></Contents>']]);
});

it('of an entry that is hidden only the name is kept', () => {
  const view = { ...everything, shows: ({ name }: { name: string }) => name !== 'hidden' };
  expect(shownOf(entry('hidden') + entry('seen'), view)).toEqual([
    ['hidden', undefined],
    ['seen', '<Contents><Key>seen</Key></Contents>'],
  ]);
});

it('common prefixes are entries too, and all are sorted by the bytes of their names', () => {
  const page = read(`${entry('b')}<CommonPrefixes><Prefix>a/</Prefix></CommonPrefixes>`);
  expect(page.sorted.map(({ name, isCommonPrefix }) => [name, isCommonPrefix])).toEqual([
    ['a/', true],
    ['b', false],
  ]);
  expect(sizeOfListing(page)).toBeGreaterThan(2 * 256);
});

it('the next page begins where the store says, or behind the last name', () => {
  expect(read(`<IsTruncated>true</IsTruncated><NextMarker>m</NextMarker>${entry('a')}`).next).toEqual(['m']);
  expect(read(`<IsTruncated>true</IsTruncated>${entry('b')}${entry('a')}`).next).toEqual(['b']);
  expect(read(`<IsTruncated>false</IsTruncated>${entry('a')}`).next).toBeUndefined();
});

it('names that are percent-encoded are decoded', () => {
  expect(shownOf(`<EncodingType>url</EncodingType>${entry('a%2Bb+c')}`)).toEqual([
    ['a+b c', '<Contents><Key>a%2Bb+c</Key></Contents>'],
  ]);
});

it.each([
  ['another document', '</ListBucketResult><x/><ListBucketResult>'],
  ['an entry without a key', '<Contents><Size>7</Size></Contents>'],
  ['a name with an invalid percent-encoding', `<EncodingType>url</EncodingType>${entry('%zz')}`],
])('is refused: %s', (_what, inner) => {
  expect(() => read(inner)).toThrow(InvalidListError);
});

it('a list of another kind is refused', () => {
  const list = Buffer.from('<ListBucketResult></ListBucketResult>');
  expect(() => resultOf(readListing(list, listingKinds.ListObjectVersions, everything))).toThrow(
    InvalidListError,
  );
});
