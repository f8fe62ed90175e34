import { sendAndCollect } from '../../../backend/collected-reply.ts';
import { queryValue } from '../../../s3/query.ts';
import { isElement, readXmlInSteps } from '../../../s3/xml-reader.ts';
import { InvalidReplyError } from '../../fill/fill-error.ts';
import { replyRefusal } from '../../reply/refusal-reply.ts';
import { bypassed } from '../../request/cache-status.ts';
import type { OtherOperation } from '../other-operation.ts';
import { passedRequest } from '../passed-request.ts';
import { beginPage } from './page-job.ts';
import type { Steps } from './page-turns.ts';
import { sendPage } from './send-page.ts';
import { documentTags, leaf, PageText, writeKnown } from './write-listing.ts';

/** An upload has at most ten thousand parts, and MinIO lists them all where no number is asked for. */
const MAX_PARTS = 10_000;
/** A part takes a few hundred bytes and about 15 nodes. */
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
  const { exchange, query, bucket, address, permissions, observer, pageTurns } = other;
  const key = address.kind === 'object' ? address.key : '';
  const passed = passedRequest(other);
  const limit = Number(queryValue(query, 'max-parts') || MAX_PARTS);
  exchange.report = bypassed('operation');
  const job = beginPage(other, Math.min(limit || 0, MAX_PARTS));
  const ask = async () => {
    const reply = await sendAndCollect(bucket.store, passed, LIMIT_BYTES, job.signal);
    if (reply.status !== 200) {
      replyRefusal(exchange, bucket, reply, permissions.allows('ListBucket', key));
      return;
    }
    const body = await pageTurns.take(inClientNames(reply.body, limit, bucket.name, key), job.signal);
    await sendPage(exchange, { ...reply, body }, observer.sends, job.hold);
  };
  const fail = (error: unknown) => {
    if (!job.isLeaving(error)) throw error;
    exchange.hasClientLeft = true;
  };
  ask()
    .catch(fail)
    .then(() => observer.sent(exchange))
    .catch(error => exchange.refuse(error));
}

/** @throws InvalidReplyError if the body is not a list of parts, or has more than `limit` of them */
function* inClientNames(body: Buffer, limit: number, bucket: string, key: string): Steps<Buffer> {
  const root = body.length < LIMIT_BYTES ? yield* readXmlInSteps(body, limits) : undefined;
  if (root?.name !== 'ListPartsResult')
    throw new InvalidReplyError('the list of parts is not a ListPartsResult');
  const names = new Map([
    ['Bucket', bucket],
    ['Key', key],
  ]);
  const { start, end } = documentTags(root);
  const page = new PageText(start);
  let parts = 0;
  for (const element of root.children.filter(isElement)) {
    if (element.name === 'Part' && ++parts > limit)
      throw new InvalidReplyError('the list has more parts than were asked for');
    const name = names.get(element.name);
    const members = ofUploads.get(element.name);
    if (name !== undefined) page.add(leaf(element.name, name));
    else if (members) page.add(writeKnown(element, members));
    yield;
  }
  page.add(end);
  return page.whole();
}
