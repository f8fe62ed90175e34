import { beforeEach, expect, it } from 'vitest';
import { BackgroundTurns, type Outcome } from '../../../../src/gateway/read/background-turns.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

let clock: ManualClock;
let turns: BackgroundTurns;
/** What runs, by name, and how to end it. */
let running: Map<string, (outcome: Outcome) => void>;
let givenUp: string[];

beforeEach(() => {
  clock = new ManualClock();
  turns = new BackgroundTurns(clock);
  running = new Map();
  givenUp = [];
});

function ask(name: string, client = 'one', store = 'store'): void {
  turns.ask(store, {
    client,
    name,
    begin: ended => {
      running.set(name, ended);
      return () => {
        givenUp.push(name);
        running.delete(name);
      };
    },
  });
}

function end(name: string, outcome: Outcome = 'answered'): void {
  const ended = running.get(name);
  running.delete(name);
  ended?.(outcome);
}

const fill = (count = 16, client = 'one') => {
  for (let number = 0; number < count; number++) ask(`k${number}`, client);
};

it('each store has sixteen places, and a client waits with one question', () => {
  fill(20);
  ask('elsewhere', 'one', 'other');
  expect(running.size).toBe(17);
  end('k0');
  expect([...running.keys()].slice(-1)).toEqual(['k16']);
  end('k1');
  expect(running.size).toBe(16);
});

it('clients take turns, however often each of them asks', () => {
  fill(16, 'greedy');
  for (let number = 0; number < 50; number++) ask(`more ${number}`, 'greedy');
  ask('a', 'first');
  ask('b', 'second');
  ask('c', 'first');
  for (let number = 0; number < 4; number++) end(`k${number}`);
  expect([...running.keys()].slice(12)).toEqual(['more 0', 'a', 'b']);
  // whoever had a turn waits behind the others
  for (const client of ['greedy', 'first']) ask(`again ${client}`, client);
  expect([...running.keys()].slice(-1)).toEqual(['again greedy']);
});

it('what is silent for longer than twice the slowest answer makes room where later ones were answered', () => {
  fill(15);
  ask('healthy');
  clock.advance(1_000);
  ask('waiting', 'other');
  expect(running.has('waiting')).toBe(false);
  end('healthy');
  expect(running.has('waiting')).toBe(true);
  clock.advance(999);
  ask('next');
  expect(givenUp).toEqual([]);
  // all were asked at the same time as the one that was answered, so the store may be slow for all
  clock.advance(1);
  ask('next');
  expect(givenUp).toEqual(['k0', 'k1']);
  end('waiting');
  for (let number = 0; number < 6; number++) ask(`other ${number}`, String(number));
  expect(givenUp).toEqual(['k0', 'k1', 'k2', 'k3', 'k4', 'k5']);
});

it('a store that is slow for all answers most of what it was asked', () => {
  fill();
  for (let passedMs = 0; passedMs < 3_000; passedMs += 50) {
    ask(`more at ${passedMs}`, String(passedMs % 700));
    clock.advance(50);
  }
  expect(givenUp.length).toBeLessThan(8);
  for (const name of [...running.keys()].filter(name => name.startsWith('k'))) end(name);
  const before = givenUp.length;
  for (let passedMs = 0; passedMs < 2_900; passedMs += 50) {
    ask(`later at ${passedMs}`, String(passedMs % 700));
    clock.advance(50);
  }
  expect(givenUp.length).toBe(before);
});

it('what was asked in vain is left alone, for longer each time, until it is answered', () => {
  const isAsked = () => {
    ask('k');
    return running.has('k');
  };
  expect(isAsked()).toBe(true);
  for (const pauseMs of [5_000, 10_000, 20_000, 40_000, 60_000, 60_000]) {
    end('k', 'hung');
    clock.advance(pauseMs - 1);
    expect(isAsked(), String(pauseMs)).toBe(false);
    clock.advance(1);
    expect(isAsked(), String(pauseMs)).toBe(true);
  }
  end('k', 'failed');
  expect(isAsked()).toBe(true);
  end('k');
  expect(isAsked()).toBe(true);
  end('k', 'hung');
  clock.advance(5_000);
  expect(isAsked()).toBe(true);
});

it('a question that is under way takes a place, unless it is about what was asked in vain', () => {
  const take = (name: string) => turns.take('store', name, () => undefined);
  const leave = Array.from({ length: 16 }, (_, number) => take(`k${number}`));
  expect(leave.every(each => each !== undefined)).toBe(true);
  expect(take('more')).toBeUndefined();
  ask('waiting');
  leave[0]?.();
  expect([...running.keys()]).toEqual(['waiting']);
  end('waiting', 'hung');
  expect(take('waiting')).toBeUndefined();
  expect(take('more')).toBeDefined();
});
