import { expect, it } from 'vitest';
import { LimitedLines } from '../../../src/base/limited-lines.ts';
import { createLogger, type LogLevel } from '../../../src/base/logger.ts';
import { ManualClock } from '../../support/manual-clock.ts';

function noting(level: LogLevel = 'info') {
  const written: Record<string, unknown>[] = [];
  const clock = new ManualClock();
  const sink = { write: (line: string) => void written.push(JSON.parse(line)), flush: () => undefined };
  const lines = new LimitedLines(createLogger({ level, sink }), clock);
  const note = (times: number, of: 'info' | 'warn' = 'warn') => {
    for (let time = 0; time < times; time++) lines.write(of, { client: '192.0.2.1' }, 'refused');
    return written.splice(0);
  };
  return { note, clock };
}

it('a line has its level, its fields and its text', () => {
  const [line] = noting().note(1);
  expect(line).toMatchObject({ level: 'warn', client: '192.0.2.1', msg: 'refused' });
  expect(line).not.toHaveProperty('leftOut');
});

it('there are ten lines at once and one more every six seconds, which tells how many were left out', () => {
  const { note, clock } = noting();
  expect(note(15)).toHaveLength(10);
  clock.advance(5_999);
  expect(note(1)).toEqual([]);
  clock.advance(1);
  expect(note(3).map(({ leftOut }) => leftOut)).toEqual([6]);
  // what is left of six seconds counts
  clock.advance(17_000);
  expect(note(3).map(({ leftOut }) => leftOut)).toEqual([2, undefined]);
  clock.advance(1_000);
  expect(note(2)).toHaveLength(1);
});

it('of a long time without lines no more than ten lines are saved up', () => {
  const { note, clock } = noting();
  clock.advance(3_600_000);
  expect(note(15)).toHaveLength(10);
});

it('lines below the level of the log count for nothing', () => {
  const { note } = noting('warn');
  expect(note(100, 'info')).toEqual([]);
  expect(note(1, 'warn').map(({ leftOut }) => leftOut)).toEqual([undefined]);
});
