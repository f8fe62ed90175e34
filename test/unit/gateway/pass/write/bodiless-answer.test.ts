import { beforeEach, describe, expect, it } from 'vitest';
import { BodilessAnswer } from '../../../../../src/gateway/pass/write/bodiless-answer.ts';
import { httpHeader } from '../../../../support/asked-ranges.ts';
import { hearing } from '../../../../support/hearing.ts';
import { ManualClock } from '../../../../support/manual-clock.ts';

let clock: ManualClock;
beforeEach(() => {
  clock = new ManualClock();
});
const unexpected = () => expect.unreachable('cut');

it.each([
  [200, ['200 a=1 content-length=0', 'ended']],
  [204, ['204 a=1', 'ended']],
  [299, ['299 a=1 content-length=0', 'ended']],
  [301, ['301 content-length=9 a=1', '<secret/>', 'ended']],
  [403, ['403 content-length=9 a=1', '<secret/>', 'ended']],
])('a body under %i is passed on only where it is a refusal', (status, expected) => {
  const { heard, receiver } = hearing();
  const answer = new BodilessAnswer(receiver, { clock, cut: unexpected });
  answer.answered({ status, fields: [httpHeader('content-length', '9'), httpHeader('a', '1')] });
  answer.arrived(Buffer.from('<secret/>'));
  answer.ended();
  expect(heard).toEqual(expected);
});

it('a body that breaks off makes a success no failure', () => {
  const { heard, receiver } = hearing();
  const answer = new BodilessAnswer(receiver, { clock, cut: unexpected });
  answer.answered({ status: 200, fields: [] });
  answer.failed('gone');
  expect(heard).toEqual(['200 content-length=0', 'ended']);
});

it('what breaks off before the head fails', () => {
  const { heard, receiver } = hearing();
  new BodilessAnswer(receiver, { clock, cut: unexpected }).failed('gone');
  expect(heard).toEqual(['failed: gone']);
});

describe('a success whose body does not end', () => {
  function begun() {
    const { heard, receiver } = hearing();
    const answer = new BodilessAnswer(receiver, { clock, cut: () => heard.push('cut') });
    answer.answered({ status: 200, fields: [] });
    heard.length = 0;
    return { heard, answer };
  }

  it('is cut off after 64 KiB', () => {
    const { heard, answer } = begun();
    for (const sizeBytes of [65_535, 1]) answer.arrived(Buffer.alloc(sizeBytes));
    expect(heard).toEqual([]);
    answer.arrived(Buffer.alloc(1));
    expect(heard).toEqual(['cut']);
    clock.advance(60_000);
    expect(heard).toEqual(['cut']);
  });

  it('is cut off after five seconds, however little comes', () => {
    const { heard, answer } = begun();
    for (let second = 0; second < 5; second++) {
      expect(heard).toEqual([]);
      answer.arrived(Buffer.alloc(1));
      clock.advance(1_000);
    }
    expect(heard).toEqual(['cut']);
  });

  it.each([
    ['ends', (answer: BodilessAnswer) => answer.ended()],
    ['breaks off', (answer: BodilessAnswer) => answer.failed('gone')],
  ])('is not once it %s', (_, over) => {
    const { heard, answer } = begun();
    over(answer);
    clock.advance(60_000);
    expect(heard).toEqual([]);
  });
});
