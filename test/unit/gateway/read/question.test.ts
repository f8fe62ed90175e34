import { expect, it } from 'vitest';
import type { Content } from '../../../../src/cache/content.ts';
import { questionForBytes } from '../../../../src/gateway/read/question.ts';
import { readOf } from '../../../support/object-reads.ts';
import { recordOf } from '../../../support/records.ts';

it('a question for bytes counts from when their record was learned', () => {
  const record = { ...recordOf({ sizeBytes: 1 } as Content), epoch: 3, barrier: 4, receivedMs: 5 };
  expect(questionForBytes(readOf('k'), record)).toMatchObject({
    ...{ method: 'GET', partNumber: undefined, epoch: 3, barrier: 4, requestedMs: 5 },
    heldTags: [record.tagSlots],
  });
});
