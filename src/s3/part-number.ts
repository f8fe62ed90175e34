import { s3Error } from './error.ts';
import { errorTexts } from './error-texts.ts';

const MAX_PART_NUMBER = 10_000;

/**
 * Parses the number of a part (docs/semantics.md 43 and 44).
 *
 * @param text as in the query; empty where a request that needs one has none
 * @throws S3Error InvalidArgument unless it is 1 to 10000
 */
export function parsePartNumber(text: string): number {
  const partNumber = /^\d+$/.test(text) ? Number(text) : 0;
  if (partNumber >= 1 && partNumber <= MAX_PART_NUMBER) return partNumber;
  throw s3Error('InvalidArgument', {
    message: errorTexts.partNumberOutOfBounds,
    fields: [
      ['ArgumentName', 'partNumber'],
      ['ArgumentValue', text],
    ],
  });
}
