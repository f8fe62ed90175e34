import { expect, it } from 'vitest';
import { type ListingView, translateListing } from '../../../../src/gateway/listing/translate-listing.ts';

const everything: ListingView = { bucket: 'photos', keyPrefix: '', mayList: () => true };

function listing(...contents: string[]): string {
  return `<?xml version="1.0" encoding="UTF-8"?><ListBucketResult><Name>store</Name><KeyCount>${contents.length}</KeyCount>${contents.join('')}</ListBucketResult>`;
}

function object(key: string, entityTag = '&#34;1-2&#34;'): string {
  return `<Contents><ETag>${entityTag}</ETag><Key>${key}</Key><Size>1</Size></Contents>`;
}

function translated(text: string, view = everything): string {
  return translateListing(Buffer.from(text), view).toString();
}

it("shows the client's name of the bucket and leaves everything else as the store wrote it", () => {
  const written = listing(
    object('quote&#39;s &amp; &#x65E5;&lt;&gt;&quot;', '&quot;a&quot;'),
    object('a &amp;amp; b'),
    object('line&#13;&#10;&#1;'),
  );
  expect(translated(written)).toBe(written.replace('>store<', '>photos<'));
});

it('takes the prefix off keys whatever escapes they are written with', () => {
  const view = { ...everything, keyPrefix: "it's/" };
  const result = translated(listing(object('it&#39;s/a&#38;b'), object('it&apos;s/c')), view);
  expect(result).toContain('<Key>a&amp;b</Key>');
  expect(result).toContain('<Key>c</Key>');
});

it('asks about keys by their characters, not by how they are escaped', () => {
  const asked: string[] = [];
  const view = {
    ...everything,
    mayList: (key: string) => {
      asked.push(key);
      return !key.startsWith('private/');
    },
  };
  const result = translated(listing(object('private&#47;report'), object('caf&#233;')), view);
  expect(asked).toEqual(['private/report', 'café']);
  expect(result).toContain('<KeyCount>1</KeyCount>');
  expect(result).not.toContain('report');
});

it.each([
  ['ListVersionsResult', 'Name', 'Version'],
  ['ListVersionsResult', 'Name', 'DeleteMarker'],
  ['ListMultipartUploadsResult', 'Bucket', 'Upload'],
])('translates %s: its %s, each %s, and where it goes on', (root, naming, item) => {
  const document = (bucket: string, prefix: string, ...keys: string[]) =>
    [
      `<${root}><${naming}>${bucket}</${naming}><Prefix>${prefix}</Prefix><KeyMarker>${prefix}a</KeyMarker>`,
      `<NextKeyMarker>${prefix}b</NextKeyMarker>`,
      ...keys.map(key => `<${item}><Key>${prefix}${key}</Key><Other>1</Other></${item}>`),
      `</${root}>`,
    ].join('');
  const view = {
    bucket: 'photos',
    keyPrefix: 'team/',
    mayList: (key: string) => !key.startsWith('private/'),
  };
  expect(translated(document('store', 'team/', 'a', 'private/b', 'c'), view)).toBe(
    document('photos', '', 'a', 'c'),
  );
});
