import { expect, it } from 'vitest';
import { BodilessAnswer } from '../../../../../src/gateway/pass/write/bodiless-answer.ts';
import { httpHeader } from '../../../../support/asked-ranges.ts';
import { hearing } from '../../../../support/hearing.ts';

const unexpected = () => expect.unreachable('cut');

it.each([
  [200, ['200 a=1 content-length=0', 'ended', 'cut']],
  [204, ['204 a=1', 'ended', 'cut']],
  [299, ['299 a=1 content-length=0', 'ended', 'cut']],
  [301, ['301 content-length=9 a=1', '<secret/>', 'ended']],
  [403, ['403 content-length=9 a=1', '<secret/>', 'ended']],
])('a body under %i is passed on where it is a refusal, and else cut off', (status, expected) => {
  const { heard, receiver } = hearing();
  const answer = new BodilessAnswer(receiver, () => heard.push('cut'));
  answer.answered({ status, fields: [httpHeader('content-length', '9'), httpHeader('a', '1')] });
  answer.arrived(Buffer.from('<secret/>'));
  answer.ended();
  expect(heard).toEqual(expected);
});

it('a body that breaks off makes a success no failure', () => {
  const { heard, receiver } = hearing();
  const answer = new BodilessAnswer(receiver, unexpected);
  answer.answered({ status: 200, fields: [] });
  answer.failed('gone');
  expect(heard).toEqual(['200 content-length=0', 'ended']);
});

it('what breaks off before the head fails', () => {
  const { heard, receiver } = hearing();
  new BodilessAnswer(receiver, unexpected).failed('gone');
  expect(heard).toEqual(['failed: gone']);
});
