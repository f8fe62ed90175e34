import { expect, it } from 'vitest';
import { renameResult } from '../../../src/s3/write-result.ts';
import { readXml } from '../../../src/s3/xml-reader.ts';

const names = { bucket: 'shown', key: 'a&b', location: 'http://gateway/shown/a%26b' };
const limits = { length: 10_000, depth: 5, nodes: 100, memberLength: 10_000 };

function renamed(document: string): string | undefined {
  const root = readXml(document, limits);
  if (!root) throw new Error('not a document');
  return renameResult(root, names);
}

it('an upload begins under the names of the client', () => {
  const atStore =
    '<InitiateMultipartUploadResult xmlns="urn:s3"><Bucket>real</Bucket><Key>tenant/a&amp;b</Key><UploadId>u</UploadId></InitiateMultipartUploadResult>';
  expect(renamed(atStore)).toBe(
    '<InitiateMultipartUploadResult xmlns="urn:s3"><Bucket>shown</Bucket><Key>a&amp;b</Key><UploadId>u</UploadId></InitiateMultipartUploadResult>',
  );
});

it('an upload is completed under the names of the client, at its address', () => {
  const atStore =
    '<CompleteMultipartUploadResult><Location>http://store/real/tenant/a%26b</Location><Bucket>real</Bucket><Key>tenant/a&amp;b</Key><ETag>"e-2"</ETag><ChecksumCRC32>AAAAAA==-2</ChecksumCRC32><ChecksumType>COMPOSITE</ChecksumType></CompleteMultipartUploadResult>';
  expect(renamed(atStore)).toBe(
    '<CompleteMultipartUploadResult><Location>http://gateway/shown/a%26b</Location><Bucket>shown</Bucket><Key>a&amp;b</Key><ETag>&quot;e-2&quot;</ETag><ChecksumCRC32>AAAAAA==-2</ChecksumCRC32><ChecksumType>COMPOSITE</ChecksumType></CompleteMultipartUploadResult>',
  );
});

it('unknown elements are left out: they may contain names of the store', () => {
  expect(renamed('<CopyObjectResult><Source>real/k</Source><ETag>e</ETag></CopyObjectResult>')).toBe(
    '<CopyObjectResult><ETag>e</ETag></CopyObjectResult>',
  );
});

it.each(['<Error/>', '<ListBucketResult/>', '<constructor/>'])('%s is no result', document => {
  expect(renamed(document)).toBeUndefined();
});
