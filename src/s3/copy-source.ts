import { parseAccessPointArn } from './access-point.ts';
import { encodeKey, isKeyTooLong } from './address.ts';
import { type S3Error, s3Error } from './error.ts';
import { errorTexts } from './error-texts.ts';
import { percentDecode } from './percent-decode.ts';

/** The object that a copy is made of. */
export interface CopySource {
  /** A bucket name or the ARN of an access point, as sent. */
  readonly bucket: string;
  readonly key: string;
  /** Undefined for the current version. */
  readonly versionId: string | undefined;
}

/** What is wrong with a source, in the words of Amazon S3. */
const faults = {
  bucket: errorTexts.copySourceBucket,
  encoding: errorTexts.copySourceEncoding,
  key: errorTexts.copySourceKey,
} as const;

const VERSION = '?versionId=';

const ofAccessPoint = /^(arn:[^/]+(?:\/[^/]+)*?)\/object\/(.*)$/s;
const ofBucket = /^([^/]*)\/?(.*)$/s;

/**
 * Parses the field `copy-source`: `[/]<bucket>/<key>[?versionId=<id>]`, or the ARN of an access point and `/object/<key>`.
 * It is percent-encoded once, the slash behind the bucket as well at some clients, and `+` stands for a space
 * (https://docs.aws.amazon.com/AmazonS3/latest/API/API_CopyObject.html; versity/versitygw backend/common.go,
 * ParseCopySource).
 *
 * @throws S3Error InvalidArgument
 */
export function parseCopySource(sent: string): CopySource {
  const mark = sent.indexOf(VERSION);
  const path = decoded(mark < 0 ? sent : sent.slice(0, mark), sent).replace(/^\//, '');
  const versionId = mark < 0 ? undefined : decoded(sent.slice(mark + VERSION.length), sent);
  if (versionId === '') throw s3Error('InvalidArgument', { message: errorTexts.versionIdEmpty });
  const pattern = path.startsWith('arn:') ? ofAccessPoint : ofBucket;
  const [, bucket = '', key = ''] = pattern.exec(path) ?? [];
  if (bucket === '') throw invalidCopySource('bucket', sent);
  // a store that looks for the version after decoding would read a version of another key
  if (key === '' || key.includes(VERSION) || isKeyTooLong(key)) throw invalidCopySource('key', key);
  return { bucket, key, versionId };
}

/**
 * Formats a source for a store: everything that could be read in two ways is escaped.
 *
 * @param source with the names of the store
 */
export function formatCopySource({ bucket, key, versionId }: CopySource): string {
  const object = parseAccessPointArn(bucket) ? `${bucket}/object` : bucket;
  const version = versionId === undefined ? '' : `${VERSION}${encodeURIComponent(versionId)}`;
  return `${object}/${encodeKey(key)}${version}`;
}

/** @param value what is wrong with it; for a key the key alone */
export function invalidCopySource(fault: keyof typeof faults, value: string, reason?: string): S3Error {
  return s3Error('InvalidArgument', {
    message: faults[fault],
    fields: [
      ['ArgumentName', 'x-amz-copy-source'],
      ['ArgumentValue', value],
    ],
    ...(reason !== undefined && { reason }),
  });
}

function decoded(text: string, sent: string): string {
  try {
    return percentDecode(text.replaceAll('+', ' '));
  } catch {
    throw invalidCopySource('encoding', sent);
  }
}
