import { formatUnsatisfiedRange } from '../http/range.ts';
import { type S3Error, s3Error } from './error.ts';

/** 416 for an unsatisfiable range of an object of `sizeBytes` (docs/semantics.md 10, Decided 3). */
export function invalidRange(requested: string, sizeBytes: number): S3Error {
  return s3Error('InvalidRange', {
    fields: [
      ['RangeRequested', requested],
      ['ActualObjectSize', String(sizeBytes)],
    ],
    headers: [['content-range', formatUnsatisfiedRange(sizeBytes)]],
  });
}

/** 416 for a part number that does not exist; `count` is the number of parts (docs/semantics.md 40, 41). */
export function invalidPartNumber(requested: number, count: number): S3Error {
  return s3Error('InvalidPartNumber', {
    fields: [
      ['ActualPartCount', String(count)],
      ['PartNumberRequested', String(requested)],
    ],
  });
}

/** 412 (docs/semantics.md 59, 211). */
export function preconditionFailed(condition: string): S3Error {
  return s3Error('PreconditionFailed', { fields: [['Condition', condition]] });
}
