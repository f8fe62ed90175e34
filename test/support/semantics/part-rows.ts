import { createHash } from 'node:crypto';

/** Rows of docs/semantics.md, section 2, asked of an object of three parts: 5 MiB, 5 MiB and eight bytes. */
const mebibyte = 1024 ** 2;
export const partSizeBytes = 5 * mebibyte;
export const partContents = [
  Buffer.alloc(partSizeBytes, 'a'),
  Buffer.alloc(partSizeBytes, 'b'),
  Buffer.from('the rest'),
];
export const totalBytes = 2 * partSizeBytes + 8;

/** The contents as parts of these numbers. */
export function numberedParts(...numbers: readonly number[]): ReadonlyMap<number, Uint8Array> {
  return new Map(numbers.map((number, index) => [number, partContents[index] ?? Buffer.of()]));
}

/** Rows 36 and 37: the first and last byte of each part. */
export const partSpans: [partNumber: number, first: number, last: number][] = [
  [1, 0, partSizeBytes - 1],
  [2, partSizeBytes, 2 * partSizeBytes - 1],
  [3, 2 * partSizeBytes, totalBytes - 1],
];

/** Parts that there are none of; `whole` was put whole, `composite` is the object of three parts. */
export const missingParts: [row: number, key: string, partNumber: string, count: string][] = [
  [40, 'whole', '2', '1'],
  [41, 'composite', '4', '3'],
];

export const missingPartError = (count: string, partNumber: string) => ({
  code: 'InvalidPartNumber',
  message: 'The requested partnumber is not satisfiable',
  fields: { ActualPartCount: count, PartNumberRequested: partNumber },
});

/** What is no part number. */
export const malformedPartNumbers: [row: number, value: string][] = [
  [43, '0'],
  [43, '-3'],
  [43, '10001'],
  [44, 'abc'],
  [44, ''],
];

export const malformedPartNumberError = (value: string) => ({
  code: 'InvalidArgument',
  message: 'Part number must be an integer between 1 and 10000, inclusive',
  fields: { ArgumentName: 'partNumber', ArgumentValue: value },
});

/** Row 45. */
export const partAndRangeError = {
  code: 'InvalidRequest',
  message: 'Cannot specify both Range header and partNumber query parameter',
};

export const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('base64');

/** Row 50: the checksum of the composite object. */
export function compositeSha256(): string {
  const hashes = partContents.map(part => createHash('sha256').update(part).digest());
  return `${sha256(Buffer.concat(hashes))}-${partContents.length}`;
}
