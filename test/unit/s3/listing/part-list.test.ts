import { expect, it } from 'vitest';
import { InvalidListError } from '../../../../src/s3/listing/listing-xml.ts';
import { PART_LIST_LIMIT_BYTES, renamePartList } from '../../../../src/s3/listing/part-list.ts';
import { resultOf } from '../../../support/steps.ts';

const rename = (text: string) =>
  resultOf(renamePartList(Buffer.from(text), 'mine', 'my & key')).toString('utf8');

it('bucket and key are written as clients call them, and everything known as the store sent it', () => {
  const part = '<Part><PartNumber>1</PartNumber><ETag>&quot;e&quot;</ETag><Size>7</Size></Part>';
  const owner = '<Owner><ID>o</ID><DisplayName>d</DisplayName></Owner>';
  expect(
    rename(
      `<ListPartsResult xmlns="urn:s3"><Bucket>theirs</Bucket><Key>p/k</Key>${owner}${part}</ListPartsResult>`,
    ),
  ).toBe(
    `<?xml version="1.0" encoding="UTF-8"?>\n<ListPartsResult xmlns="urn:s3"><Bucket>mine</Bucket><Key>my &amp; key</Key>${owner}${part}</ListPartsResult>`,
  );
});

it('unknown elements are left out, since they might contain names', () => {
  const known = '<Part><Size>7</Size></Part>';
  const list = `<ListPartsResult><Location>http://theirs/p/k</Location><Part><Path>p/k</Path><Size>7</Size></Part></ListPartsResult>`;
  expect(rename(list)).toContain(`<ListPartsResult>${known}</ListPartsResult>`);
});

it.each([
  ['another document', '<Error><Code>X</Code></Error>'],
  ['no XML', 'parts'],
  ['too long', `<ListPartsResult>${' '.repeat(PART_LIST_LIMIT_BYTES)}</ListPartsResult>`],
])('is refused: %s', (_what, text) => {
  expect(() => rename(text)).toThrow(InvalidListError);
});
