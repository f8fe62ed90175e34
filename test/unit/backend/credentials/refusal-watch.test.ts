import { expect, it } from 'vitest';
import { RefusalWatch } from '../../../../src/backend/credentials/refusal-watch.ts';

/** What the receiver behind a watch heard, and how often the watch reported. */
function heardOf(method: string, status: number, chunks: readonly string[]) {
  const heard: unknown[] = [];
  let reports = 0;
  const receiver = {
    answered: (answered: number) => void heard.push(answered),
    arrived: (chunk: Buffer) => void heard.push(chunk.toString()),
    ended: () => void heard.push('ended'),
    failed: () => void heard.push('failed'),
  };
  const watch = new RefusalWatch(receiver, method, () => reports++);
  watch.answered(status, []);
  for (const chunk of chunks) watch.arrived(Buffer.from(chunk));
  watch.ended();
  expect(heard).toEqual([status, ...chunks, 'ended']);
  return reports;
}

const error = (code: string) =>
  `<?xml version="1.0"?><Error><Code>${code}</Code><Message>m</Message></Error>`;

it.each([
  ['GET', 400, [error('ExpiredToken')], 1],
  ['PUT', 403, [error('InvalidAccessKeyId')], 1],
  ['GET', 400, [error('InvalidToken')], 1],
  ['GET', 400, [error('TokenRefreshRequired')], 1],
  ['GET', 400, [error('ExpiredToken').slice(0, 40), error('ExpiredToken').slice(40)], 1],
  ['GET', 400, [error('ExpiredToken'), error('ExpiredToken')], 1],
  ['HEAD', 400, [], 1],
  ['HEAD', 403, [], 0],
  ['GET', 403, [error('AccessDenied')], 0],
  ['GET', 400, [error('ExpiredTokens')], 0],
  ['GET', 400, [`${' '.repeat(2_000)}${error('ExpiredToken')}`], 0],
  ['GET', 200, [error('ExpiredToken')], 0],
  ['GET', 404, [error('ExpiredToken')], 0],
] as const)('%s %i: %j', (method, status, chunks, reports) => {
  expect(heardOf(method, status, chunks)).toBe(reports);
});
