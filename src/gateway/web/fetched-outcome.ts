import type { LookupOutcome } from '../request/cache-status.ts';
import type { WebHead } from './stored-answer.ts';
import type { WebFetch } from './web-fetch.ts';

/** What is reported of an answer that the origin has just given. */
export function fetchedOutcome(
  { question }: WebFetch,
  { status }: WebHead,
  isStored: boolean,
): LookupOutcome {
  return {
    how: 'fetched',
    forwarded: question.forwarded,
    forwardStatus: status,
    ...{ isCollapsed: false, isStored, isCharged: false },
  };
}
