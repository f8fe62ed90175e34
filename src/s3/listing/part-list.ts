import type { Steps } from '../../base/sliced-work.ts';
import { readXmlInSteps } from '../xml-reader.ts';
import {
  checksumElements,
  documentTags,
  elementsOf,
  knownElements,
  leaf,
  writeKnown,
} from '../xml-writer.ts';
import { InvalidListError, joined } from './listing-xml.ts';
import { LISTING_LIMIT_BYTES } from './store-listing.ts';

/**
 * An upload has at most ten thousand parts, and MinIO lists them all where no number is asked for. A part takes a few
 * hundred bytes and about 15 nodes.
 */
export const PART_LIST_LIMIT_BYTES = 4 * 1024 * 1024;
const limits = { length: PART_LIST_LIMIT_BYTES, depth: 16, nodes: 160_000, memberLength: 16 * 1024 };

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListParts.html */
const known = knownElements(
  [
    ...['ChecksumAlgorithm', 'ChecksumType', 'IsTruncated', 'MaxParts', 'NextPartNumberMarker'],
    ...['PartNumberMarker', 'StorageClass', 'UploadId'],
  ],
  { Part: [...checksumElements, 'ETag', 'LastModified', 'PartNumber', 'Size'] },
);

/**
 * The list of an upload's parts under other names.
 *
 * @param body the store's answer to ListParts
 * @throws InvalidListError if it is not a list of parts, or is too large
 */
export function* renamePartList(body: Buffer, bucket: string, key: string): Steps<Buffer> {
  const root = body.length < PART_LIST_LIMIT_BYTES ? yield* readXmlInSteps(body, limits) : undefined;
  if (root?.name !== 'ListPartsResult') throw new InvalidListError('it is not a ListPartsResult');
  const names = new Map([
    ['Bucket', bucket],
    ['Key', key],
  ]);
  const { start, end } = documentTags(root);
  const pieces = [Buffer.from(start)];
  let lengthBytes = 0;
  for (const element of elementsOf(root)) {
    const name = names.get(element.name);
    const text = name === undefined ? writeKnown(element, known) : leaf(element.name, name);
    if (text === '') continue;
    const piece = Buffer.from(text);
    pieces.push(piece);
    lengthBytes += piece.length;
    if (lengthBytes > LISTING_LIMIT_BYTES)
      throw new InvalidListError('it is too long when names are escaped');
    yield;
  }
  pieces.push(Buffer.from(end));
  return yield* joined(pieces);
}
