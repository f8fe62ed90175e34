import { beforeEach, describe, expect, it } from 'vitest';
import { OwnTurns } from '../../../../src/gateway/web/own-turns.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

const PATIENCE_MS = 2_000;

type Over = (isOwn: boolean) => void;

let clock: ManualClock;
let turns: OwnTurns;
/** Ends the questions that have begun, in their order. */
let begun: Over[];

beforeEach(() => {
  clock = new ManualClock();
  turns = new OwnTurns(clock);
  begun = [];
});

/** @returns each leaves the line */
function take(count: number, name = 'k'): (() => void)[] {
  return Array.from({ length: count }, () => turns.take(name, PATIENCE_MS, over => begun.push(over)));
}

/** @returns how many have begun then */
function end(number: number, isOwn = false): number {
  begun[number]?.(isOwn);
  return begun.length;
}

describe('readers that ask each for itself', () => {
  it('do so eight at a time, those of each name apart', () => {
    take(10);
    expect(begun).toHaveLength(8);
    take(10, 'other');
    expect(begun).toHaveLength(16);
    expect(end(0)).toBe(17);
  });

  it('are one more at a time for each that has got an answer for itself alone', () => {
    take(20);
    expect([end(0, true), end(1, true), end(2)]).toEqual([10, 12, 13]);
  });

  it('make room once, however often it is told that their question is over', () => {
    take(20);
    expect([end(0, true), end(0, true), end(0), end(1)]).toEqual([10, 10, 10, 11]);
  });

  it('ask without a turn when their patience is over', () => {
    take(10);
    clock.advance(PATIENCE_MS - 1);
    expect(begun).toHaveLength(8);
    clock.advance(1);
    expect(begun).toHaveLength(10);
    // those count, too
    take(1);
    expect([end(0), end(1), end(2)]).toEqual([10, 10, 11]);
  });

  it('ask for nothing once they have left the line, and leave no timer there', () => {
    const left = take(10);
    for (const leave of left.slice(8)) leave();
    expect([end(0), end(1), clock.waiting]).toEqual([8, 8, 0]);
    clock.advance(PATIENCE_MS);
    expect(begun).toHaveLength(8);
  });

  it('are eight at a time again once the line was empty', () => {
    take(8);
    for (let number = 0; number < 8; number++) end(number, true);
    take(10);
    expect(begun).toHaveLength(16);
  });

  it('may be any number whose questions are over at once', () => {
    take(8);
    let count = 0;
    for (let number = 0; number < 20_000; number++)
      turns.take('k', PATIENCE_MS, over => {
        count++;
        over(false);
      });
    expect(count).toBe(0);
    end(0);
    expect([count, clock.waiting]).toEqual([20_000, 0]);
  });
});
