import { beforeEach, describe, expect, it } from 'vitest';
import { BackgroundTurns, type Outcome } from '../../../../src/gateway/read/background-turns.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

let clock: ManualClock;
let turns: BackgroundTurns;
/** What runs, by name, and how to end it. */
let running: Map<string, (outcome: Outcome) => void>;
let givenUp: string[];
let undue: Set<string>;

beforeEach(() => {
  clock = new ManualClock();
  turns = new BackgroundTurns(clock);
  running = new Map();
  givenUp = [];
  undue = new Set();
});

function ask(name: string, client = 'one', store = 'store'): void {
  turns.ask(store, {
    client,
    name,
    isStillDue: () => !undue.has(name),
    begin: ended => {
      running.set(name, ended);
      return () => givenUp.push(name);
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

/** `name` is known to have been asked in vain. */
function doubt(name: string): void {
  ask(name);
  end(name, 'hung');
}

it('each store has sixteen places, and what waits comes in its order', () => {
  fill(20);
  ask('elsewhere', 'one', 'other');
  expect(running.size).toBe(17);
  for (const name of ['k0', 'k1', 'k2']) end(name);
  expect([...running.keys()].slice(-3)).toEqual(['k16', 'k17', 'k18']);
});

it('clients take turns, however much each of them asks, and each of its objects has a turn', () => {
  fill(16, 'greedy');
  for (let number = 0; number < 50; number++) ask(`more ${number}`, 'greedy');
  for (const name of ['a', 'b', 'c']) ask(name, 'modest');
  for (let number = 0; number < 6; number++) end(`k${number}`);
  expect([...running.keys()].slice(10)).toEqual(['more 0', 'a', 'more 1', 'b', 'more 2', 'c']);
});

it('what there is no reason to ask any more when it is its turn is left out', () => {
  fill(19);
  undue.add('k16').add('k17');
  end('k0');
  expect([...running.keys()].slice(-2)).toEqual(['k15', 'k18']);
});

it('one that ends as it begins makes room for the next, however many do', () => {
  fill();
  const begun: string[] = [];
  for (let client = 0; client < 200; client++)
    for (let number = 0; number < 15; number++)
      turns.ask('store', {
        ...{ client: String(client), name: `${client} ${number}`, isStillDue: () => true },
        begin: ended => {
          begun.push(`${client} ${number}`);
          ended('failed');
          return () => undefined;
        },
      });
  end('k0');
  expect(begun).toHaveLength(3_000);
});

describe('what is silent for longer than twice the slowest answer', () => {
  it('makes room where later ones were answered', () => {
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
    expect(givenUp).toEqual(['k0']);
    end('waiting');
    for (let number = 0; number < 6; number++) ask(`other ${number}`, String(number));
    expect(givenUp).toEqual(['k0', 'k1', 'k2', 'k3', 'k4', 'k5']);
  });

  it('is asked apart from then on, in four places, until it is answered', () => {
    for (let number = 0; number < 6; number++) doubt(`k${number}`);
    fill(6);
    expect([...running.keys()]).toEqual(['k0', 'k1', 'k2', 'k3']);
    for (let number = 0; number < 20; number++) ask(`sound ${number}`);
    expect(running.size).toBe(4 + 16);
    end('k0');
    expect([running.has('k4'), running.has('k5')]).toEqual([true, false]);
    end('sound 0');
    ask('k0');
    end('sound 1');
    end('sound 2');
    end('sound 3');
    expect([running.has('sound 19'), running.has('k0')]).toEqual([true, false]);
    end('sound 4');
    expect(running.has('k0')).toBe(true);
  });

  it('is no longer doubted when it is answered after all, and the store is given that long', () => {
    fill();
    clock.advance(1_500);
    ask('next', 'other');
    ask('last', 'other');
    expect(givenUp).toEqual(['k0']);
    clock.advance(500);
    ask('last', 'other');
    expect(givenUp).toEqual(['k0', 'k1']);
    for (const name of [...running.keys()]) end(name);
    fill();
    // in the places of all
    expect(running.size).toBe(16);
    clock.advance(3_999);
    for (let number = 0; number < 9; number++) ask(`more ${number}`, 'other');
    expect(givenUp).toHaveLength(2);
    clock.advance(1);
    ask('more', 'other');
    expect(givenUp).toHaveLength(4);
  });

  it('has five seconds where it was asked in vain before', () => {
    for (let number = 0; number < 6; number++) doubt(`k${number}`);
    fill(6);
    clock.advance(4_999);
    ask('k5');
    expect(givenUp).toEqual([]);
    clock.advance(1);
    ask('k5');
    expect(givenUp).toEqual(['k0', 'k1']);
    expect([...running.keys()].slice(-2)).toEqual(['k4', 'k5']);
  });
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

it('a question that is under way takes a place, unless it is about what was asked in vain', () => {
  const take = (name: string) => turns.take('store', name, () => undefined);
  doubt('doubted');
  expect(take('doubted')).toBeUndefined();
  const leave = Array.from({ length: 16 }, (_, number) => take(`k${number}`));
  expect(leave.every(each => each !== undefined)).toBe(true);
  expect(take('more')).toBeUndefined();
  ask('waiting');
  leave[0]?.();
  expect([...running.keys()]).toEqual(['waiting']);
});

it('of what was asked in vain the latest is remembered', () => {
  doubt('again');
  for (let number = 0; number < 4_095; number++) doubt(`k${number}`);
  doubt('again');
  doubt('one too many');
  for (const name of ['k1', 'k2', 'k3', 'k4', 'k0', 'again']) ask(name);
  // the first one that was not asked again has been forgotten, so it does not wait for the four places apart
  expect([...running.keys()]).toEqual(['k1', 'k2', 'k3', 'k4', 'k0']);
});
