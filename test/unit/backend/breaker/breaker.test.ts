import { beforeEach, describe, expect, it, vi } from 'vitest';
import { Breaker, type BreakerChange } from '../../../../src/backend/breaker/breaker.ts';
import { allocateBreakers, type BreakerWords } from '../../../../src/backend/breaker/breaker-word.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

const settings = {
  threshold: 0.5,
  minRequests: 20,
  windowMs: 10_000,
  openMs: 5_000,
  probes: 3,
  questionMs: 5_000,
};
let clock: ManualClock;
let words: BreakerWords;
let changes: BreakerChange[];

beforeEach(() => {
  clock = new ManualClock();
  words = allocateBreakers(2);
  changes = [];
});

/** A thread, and the questions of its breaker that the store has not answered. */
class Thread {
  readonly breaker: Breaker;
  readonly questions: ((isAlive: boolean) => void)[] = [];
  opened = 0;

  constructor(address = 0, index = 0) {
    const changed = (change: BreakerChange) => changes.push(change);
    this.breaker = new Breaker({ settings, words, index, address, clock, changed });
    this.breaker.guard({ ask: told => this.questions.push(told), opened: () => this.opened++ });
  }

  fail(calls: number): void {
    for (let call = 0; call < calls; call++) this.breaker.failed();
  }

  answer(isAlive: boolean): void {
    const told = this.questions.shift();
    if (!told) throw new Error('nothing was asked');
    told(isAlive);
  }

  open(): this {
    this.fail(20);
    this.answer(false);
    expect(this.breaker.state.kind).toBe('open');
    return this;
  }
}

const states = () => changes.map(({ to }) => to);

describe('the store is suspected', () => {
  it('when as many calls as are needed have failed, and no sooner', () => {
    const thread = new Thread();
    thread.fail(19);
    expect(thread.questions).toHaveLength(0);
    thread.fail(1);
    expect(thread.questions).toHaveLength(1);
  });

  it('when half of many calls fail, not when a little less do', () => {
    const thread = new Thread();
    for (let call = 0; call < 51; call++) thread.breaker.succeeded();
    thread.fail(50);
    expect(thread.questions).toHaveLength(0);
    thread.fail(1);
    expect(thread.questions).toHaveLength(1);
  });

  it('for what happened within the window', () => {
    const thread = new Thread();
    thread.fail(19);
    clock.advance(10_000);
    thread.fail(19);
    expect(thread.questions).toHaveLength(0);
  });

  it('and is asked one question at a time, while calls go on', () => {
    const thread = new Thread();
    thread.fail(500);
    expect(thread.questions).toHaveLength(1);
    expect(thread.breaker.isRefusing).toBe(false);
  });

  it('and when it answers, it stays in use, and is asked again a second later at the soonest', () => {
    const thread = new Thread();
    thread.fail(20);
    thread.answer(true);
    clock.advance(999);
    thread.fail(1_000);
    expect([thread.questions.length, thread.breaker.isRefusing]).toEqual([0, false]);
    clock.advance(1);
    thread.fail(1);
    expect(thread.questions).toHaveLength(1);
    expect(states()).toEqual([]);
  });
});

describe('it opens', () => {
  it('when the store does not answer the question either, and tells what was counted', () => {
    const thread = new Thread().open();
    expect([thread.breaker.isRefusing, thread.opened]).toEqual([true, 1]);
    expect(changes).toEqual([{ from: 'closed', to: 'open', calls: 20, failures: 20 }]);
  });

  it('in all threads at once, and is told once', () => {
    const [one, other] = [new Thread(), new Thread()];
    other.fail(20);
    one.open();
    expect(other.breaker.isRefusing).toBe(true);
    other.answer(false);
    expect([states(), one.opened, other.opened]).toEqual([['open'], 1, 0]);
  });

  it('for one store alone', () => {
    new Thread(0, 0).open();
    expect(new Thread(0, 1).breaker.isRefusing).toBe(false);
  });

  it('for the address that failed, not for one that a reload has given the store', () => {
    new Thread(0).open();
    expect(new Thread(1).breaker.isRefusing).toBe(false);
  });
});

describe('once it is open', () => {
  let thread: Thread;

  beforeEach(() => {
    thread = new Thread().open();
    changes = [];
  });

  it('calls are refused, and after the configured time the store is asked, though no call is wanted', () => {
    clock.advance(4_999);
    expect(thread.questions).toHaveLength(0);
    clock.advance(1);
    expect([thread.questions.length, thread.breaker.isRefusing]).toEqual([1, true]);
  });

  it('it closes when as many questions as configured were answered, and counts from zero again in every thread', () => {
    const other = new Thread();
    clock.advance(5_000);
    for (let question = 1; question <= 3; question++) {
      expect(thread.breaker.isRefusing).toBe(true);
      thread.answer(true);
    }
    expect(states()).toEqual(['half-open', 'closed']);
    // what waits was refused when it opened, and that once
    expect(thread.opened).toBe(1);
    expect([thread.breaker.isRefusing, other.breaker.isRefusing]).toEqual([false, false]);
    other.fail(19);
    thread.fail(19);
    expect([thread.questions.length, other.questions.length]).toEqual([0, 0]);
  });

  it('failures of before it closed count for nothing in any thread', () => {
    const other = new Thread();
    other.fail(19);
    clock.advance(5_000);
    for (let question = 0; question < 3; question++) thread.answer(true);
    // the thread that has asked suspects nothing for a second
    clock.advance(1_000);
    for (const each of [thread, other]) {
      each.fail(19);
      expect(each.questions).toHaveLength(0);
      each.fail(1);
      expect(each.questions).toHaveLength(1);
    }
  });

  it('what calls of before tell, which end meanwhile, does not close it and keeps it open no longer', () => {
    for (let call = 0; call < 100; call++) thread.breaker.succeeded();
    expect(thread.breaker.isRefusing).toBe(true);
    clock.advance(5_000);
    thread.fail(100);
    for (let question = 0; question < 3; question++) thread.answer(true);
    expect(thread.breaker.isRefusing).toBe(false);
  });

  it('it is open for as long again when the store does not answer', () => {
    clock.advance(5_000);
    thread.answer(true);
    thread.answer(false);
    clock.advance(4_999);
    expect(thread.questions).toHaveLength(0);
    clock.advance(1);
    expect(thread.questions).toHaveLength(1);
    thread.answer(true);
    thread.answer(true);
    expect(thread.breaker.isRefusing).toBe(true);
  });

  it('one thread asks, and another does when that one has died', () => {
    const other = new Thread();
    clock.advance(5_000);
    expect(thread.questions.length + other.questions.length).toBe(1);
    const [asking, waiting] = thread.questions.length > 0 ? [thread, other] : [other, thread];
    asking.breaker.stop();
    clock.advance(4_999);
    expect(waiting.questions).toHaveLength(0);
    clock.advance(1);
    for (let question = 0; question < 3; question++) waiting.answer(true);
    expect(waiting.breaker.isRefusing).toBe(false);
  });

  it('what a thread hears when another has gone on for it, and the breaker is closed, changes nothing', () => {
    const other = new Thread();
    clock.advance(5_000);
    const [slow, waiting] = thread.questions.length > 0 ? [thread, other] : [other, thread];
    expect(waiting.breaker.isRefusing).toBe(true);
    clock.advance(5_000);
    for (let question = 0; question < 3; question++) waiting.answer(true);
    slow.answer(false);
    expect([states(), slow.breaker.isRefusing]).toEqual([['half-open', 'closed'], false]);
  });

  it('a thread that goes on for one that has died counts what that was answered', () => {
    const other = new Thread();
    clock.advance(5_000);
    const [asking, waiting] = thread.questions.length > 0 ? [thread, other] : [other, thread];
    asking.answer(true);
    asking.breaker.stop();
    expect(waiting.breaker.isRefusing).toBe(true);
    clock.advance(5_000);
    waiting.answer(true);
    expect(waiting.breaker.isRefusing).toBe(true);
    waiting.answer(true);
    expect(waiting.breaker.isRefusing).toBe(false);
  });

  it('a thread that is started when all others have died asks as well', () => {
    thread.breaker.stop();
    const replacement = new Thread();
    clock.advance(5_000);
    expect(replacement.questions).toHaveLength(1);
  });
});

it('a thread that refuses calls asks when the one that opened it has died', () => {
  const refusing = new Thread();
  new Thread().open().breaker.stop();
  clock.advance(60_000);
  expect(refusing.questions).toHaveLength(0);
  expect(refusing.breaker.isRefusing).toBe(true);
  clock.advance(0);
  expect(refusing.questions).toHaveLength(1);
});

it('a thread whose suspicion is not answered yet does not ask beside that, and asks at once when it was in vain', () => {
  const slow = new Thread();
  slow.fail(20);
  new Thread().open().breaker.stop();
  expect(slow.breaker.isRefusing).toBe(true);
  clock.advance(5_000);
  expect([slow.questions.length, slow.breaker.state.kind]).toEqual([1, 'open']);
  slow.answer(false);
  clock.advance(0);
  expect([slow.questions.length, slow.breaker.state.kind]).toEqual([1, 'half-open']);
});

it('calls that are refused set one timer, however many there are', () => {
  const { breaker } = new Thread().open();
  const after = vi.spyOn(clock, 'after');
  for (let call = 0; call < 100; call++) expect(breaker.isRefusing).toBe(true);
  expect(after).not.toHaveBeenCalled();
});

it('a breaker that is stopped refuses calls while the store is not answering, and leaves the question to others', () => {
  const { breaker } = new Thread();
  breaker.stop();
  new Thread().open().breaker.stop();
  expect(breaker.isRefusing).toBe(true);
  clock.advance(60_000);
  expect(breaker.state.kind).toBe('open');
});

it('a breaker that is stopped asks nothing, and what it hears changes nothing', () => {
  const thread = new Thread();
  thread.fail(20);
  thread.breaker.stop();
  thread.answer(false);
  thread.fail(20);
  expect([thread.questions.length, thread.breaker.isRefusing]).toEqual([0, false]);
});

it('a store of which one call failed and which is not called any more is asked, and stays in use', () => {
  const thread = new Thread();
  thread.fail(1);
  clock.advance(30_000);
  thread.answer(false);
  expect(thread.breaker.state.kind).toBe('closed');
  clock.advance(30_000);
  thread.answer(true);
  clock.advance(120_000);
  expect(thread.questions).toHaveLength(0);
});

it('a store that has answered a call since the last one failed is not asked', () => {
  const thread = new Thread();
  thread.fail(1);
  thread.breaker.succeeded();
  clock.advance(120_000);
  expect(thread.questions).toHaveLength(0);
});
