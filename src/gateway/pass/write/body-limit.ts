import { s3Error } from '../../../s3/error.ts';
import type { Bucket } from '../../request/bucket.ts';

/**
 * Refuses a body, or the file in a form, that is larger than the bucket takes. Called with the length that is declared,
 * before the body is read; what is read afterwards is held to that length.
 *
 * @throws S3Error EntityTooLarge
 */
export function requireWithinLimit(
  { maxBodySizeBytes }: Pick<Bucket, 'maxBodySizeBytes'>,
  lengthBytes: number,
): void {
  if (lengthBytes <= maxBodySizeBytes) return;
  throw s3Error('EntityTooLarge', {
    fields: [
      ['ProposedSize', String(lengthBytes)],
      ['MaxSizeAllowed', String(maxBodySizeBytes)],
    ],
  });
}
