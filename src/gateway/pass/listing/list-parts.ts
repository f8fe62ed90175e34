import type { WholeReply } from '../../../backend/store.ts';
import type { Steps } from '../../../base/sliced-work.ts';
import { isElement, readXmlInSteps } from '../../../s3/xml-reader.ts';
import { InvalidReplyError, RefusedByStoreError } from '../../fill/fill-error.ts';
import { bypassed } from '../../request/cache-status.ts';
import type { OtherOperation } from '../other-operation.ts';
import { passedRequest } from '../passed-request.ts';
import { ListingJob } from './listing-job.ts';
import { LISTING_LIMIT_BYTES } from './store-listing.ts';
import { documentTags, joined, leaf, writeKnown } from './write-listing.ts';

/**
 * An upload has at most ten thousand parts, and MinIO lists them all where no number is asked for. A part takes a few
 * hundred bytes and about 15 nodes.
 */
const LIMIT_BYTES = 4 * 1024 * 1024;
const limits = { length: LIMIT_BYTES, depth: 16, nodes: 160_000, memberLength: 16 * 1024 };

const person = ['DisplayName', 'ID'];
const checksums = ['CRC32', 'CRC32C', 'CRC64NVME', 'SHA1', 'SHA256'].map(name => `Checksum${name}`);

/**
 * The known elements of a list of parts, and their known children. Unknown ones are dropped, because they might contain
 * names. https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListParts.html
 */
const ofUploads: ReadonlyMap<string, readonly string[]> = new Map([
  ...[
    ...['ChecksumAlgorithm', 'ChecksumType', 'IsTruncated', 'MaxParts', 'NextPartNumberMarker'],
    ...['PartNumberMarker', 'StorageClass', 'UploadId'],
  ].map((name): [string, string[]] => [name, []]),
  ['Initiator', person],
  ['Owner', person],
  ['Part', [...checksums, 'ETag', 'LastModified', 'PartNumber', 'Size']],
]);

/**
 * Answers ListParts, the only operation passed through whose answer contains bucket and key, with the names that
 * clients use.
 */
export function answerListParts(other: OtherOperation): void {
  const { exchange, bucket, address, permissions } = other;
  const key = address.kind === 'object' ? address.key : '';
  const passed = passedRequest(other);
  exchange.report = bypassed('operation');
  const job = new ListingJob(other);
  const write = async ({ status, fields, body }: WholeReply): Promise<WholeReply> => {
    if (status !== 200) throw new RefusedByStoreError({ status, fields, body });
    const written = await job.read(inClientNames(body, bucket.name, key), sizeOf);
    return { status, fields, body: written };
  };
  const sent = job
    .ask(bucket.store, passed, LIMIT_BYTES)
    .then(write)
    .then(page => job.send(page));
  job.finish(sent, permissions.allows('ListBucket', key));
}

const sizeOf = ({ length }: Buffer) => length;

/** @throws InvalidReplyError if the body is not a list of parts, or is too large */
function* inClientNames(body: Buffer, bucket: string, key: string): Steps<Buffer> {
  const root = body.length < LIMIT_BYTES ? yield* readXmlInSteps(body, limits) : undefined;
  if (root?.name !== 'ListPartsResult')
    throw new InvalidReplyError('the list of parts is not a ListPartsResult');
  const names = new Map([
    ['Bucket', bucket],
    ['Key', key],
  ]);
  const { start, end } = documentTags(root);
  const pieces = [Buffer.from(start)];
  let lengthBytes = 0;
  for (const element of root.children) {
    if (!isElement(element)) continue;
    const name = names.get(element.name);
    const members = ofUploads.get(element.name);
    if (name === undefined && members === undefined) continue;
    const text = name === undefined ? writeKnown(element, members ?? []) : leaf(element.name, name);
    const piece = Buffer.from(text);
    pieces.push(piece);
    lengthBytes += piece.length;
    if (lengthBytes > LISTING_LIMIT_BYTES)
      throw new InvalidReplyError('the page is too long when names are escaped');
    yield;
  }
  pieces.push(Buffer.from(end));
  return yield* joined(pieces);
}
