import type { WholeReply } from '../../../backend/store.ts';
import type { OperationName } from '../../../s3/operation-table.ts';
import { renameResult } from '../../../s3/write-result.ts';
import { readXml, type XmlLimits } from '../../../s3/xml-reader.ts';
import { InvalidReplyError } from '../../fill/fill-error.ts';
import { errorWithin } from '../../reply/refusal-reply.ts';
import { type Bucket, isRenamed } from '../../request/bucket.ts';
import { askedUrl } from '../asked-url.ts';
import type { OtherOperation } from '../other-operation.ts';

/** Operations whose 200 has a document: the result, or an error that the store has met with later. */
const withResult: ReadonlySet<OperationName> = new Set<OperationName>([
  'CompleteMultipartUpload',
  'CopyObject',
  'CreateMultipartUpload',
  'UploadPartCopy',
]);

const limits: XmlLimits = { length: 64 * 1024, depth: 4, nodes: 200, memberLength: 64 * 1024 };

/** Whether the answer to an operation is a document that may name the object, or an error. */
export function hasResult(operation: OperationName): boolean {
  return withResult.has(operation);
}

/** What the document may tell of beside the object. */
interface ResultScope {
  /** Whether a missing key may be reported as missing. */
  readonly mayKnowMissing: boolean;
  /** Another bucket that it may name. */
  readonly source: Bucket | undefined;
  /** Called for an error in the document: what comes after the head of a 200 may have happened all the same. */
  readonly undecided: () => void;
}

/**
 * The document in a store's answer to a write, in the dialect and the names of the client.
 *
 * @throws InvalidReplyError for a document that may tell the store's names and cannot be read
 */
export function resultForClient(other: OtherOperation, reply: WholeReply, scope: ResultScope): Buffer {
  const { exchange, bucket, address, operation } = other;
  const { mayKnowMissing, source = bucket } = scope;
  const error = errorWithin(exchange, bucket, reply, mayKnowMissing, source);
  if (error) {
    scope.undecided();
    return error;
  }
  // the location names the host of the store even where the names are the same
  if (!isRenamed(bucket) && !isRenamed(source) && operation !== 'CompleteMultipartUpload') return reply.body;
  const root = readXml(reply.body.toString(), limits);
  const key = address.kind === 'object' ? address.key : '';
  // by which the client has addressed the object, whatever the store tells
  const names = { bucket: bucket.name, key, location: askedUrl(other) };
  const result = root && renameResult(root, names);
  if (result === undefined) throw new InvalidReplyError('its document is not the result of the operation');
  return Buffer.from(result);
}
