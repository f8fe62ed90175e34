import { expect } from 'vitest';
import type { Question } from './question.ts';
import type { RoadCounts } from './roads.ts';

/** Of reads that were allowed. */
const readStatuses: ReadonlySet<number> = new Set([200, 206, 304, 412, 416]);
const objectStatuses: ReadonlySet<number> = new Set([200, 206, 304]);

/**
 * Expects that whatever can take the memo of plain reads, and whatever can be written directly, did so on a kept
 * connection.
 *
 * @param status of the answers to all `questions`
 * @param isHit whether all answers came from the cache alone
 */
export function expectRoads(
  questions: readonly Question[],
  status: number,
  isHit: boolean,
  taken: RoadCounts,
): void {
  const said = `${JSON.stringify(questions)}, ${isHit ? 'hit' : 'no hit'}`;
  const plain = readStatuses.has(status) ? questions.filter(isPlain).length : 0;
  expect(taken.memo, `from the memo: ${said}`).toBeGreaterThanOrEqual(plain);
  if (isHit && objectStatuses.has(status)) expect(taken.direct, `direct: ${said}`).toBe(questions.length);
}

/** Whether a question is a read that is memoised when its object comes again. */
export function isPlain({ method = 'GET', path, headers = {}, fields, as }: Question): boolean {
  return as === 'anonymous' && method === 'GET' && !path.includes('?') && !fields && !('origin' in headers);
}
