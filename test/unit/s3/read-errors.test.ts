import { expect, it } from 'vitest';
import { invalidPartNumber, invalidRange, preconditionFailed } from '../../../src/s3/read-errors.ts';

it('Decided 3: a range beyond the object is refused with both, and the length in the head', () => {
  expect(invalidRange('bytes=10-', 10)).toMatchObject({
    ...{ status: 416, code: 'InvalidRange' },
    fields: [
      ['RangeRequested', 'bytes=10-'],
      ['ActualObjectSize', '10'],
    ],
    headers: [['content-range', 'bytes */10']],
  });
});

it('rows 40 and 41: a part that is not there is refused with how many there are', () => {
  expect(invalidPartNumber(9, 3)).toMatchObject({
    ...{ status: 416, code: 'InvalidPartNumber' },
    fields: [
      ['ActualPartCount', '3'],
      ['PartNumberRequested', '9'],
    ],
  });
});

it('row 59: a condition that failed is named', () => {
  expect(preconditionFailed('If-Match')).toMatchObject({
    ...{ status: 412, code: 'PreconditionFailed', fields: [['Condition', 'If-Match']] },
  });
});
