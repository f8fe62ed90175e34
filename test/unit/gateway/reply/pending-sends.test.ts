import { Socket } from 'node:net';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Loan } from '../../../../src/cache/content.ts';
import { type PendingSend, PendingSends } from '../../../../src/gateway/reply/pending-sends.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

let clock: ManualClock;
let sends: PendingSends;
/** Slots that are needed by fills. */
let needed: number;
/** How often a slot is held, where that is more than once. */
let holds: Map<number, number>;
let cut: string[];

beforeEach(() => {
  clock = new ManualClock();
  needed = 0;
  holds = new Map();
  cut = [];
  const claimNeed = () => needed > 0 && needed-- > 0;
  sends = new PendingSends(clock, { holds: slot => holds.get(slot) ?? 1, claimNeed });
});

/** An answer of which `queue.writeQueueSize` bytes wait. */
class Stuck implements PendingSend {
  readonly queue = { writeQueueSize: 1_000_000 };
  readonly socket = Object.assign(new Socket(), { _handle: this.queue });
  readonly #name: string;
  readonly ownBytes: number;
  loan: Loan;

  constructor(name: string, slot: number | undefined, ownBytes = 0) {
    this.#name = name;
    this.ownBytes = ownBytes;
    this.loan = lent(slot);
  }

  cutOff(): void {
    cut.push(this.#name);
    sends.forget(this);
  }
}

function lent(slot: number | undefined): Loan {
  return { bytes: Buffer.alloc(8), slot, release: () => undefined };
}

function watched(name: string, slot: number | undefined): Stuck {
  const send = new Stuck(name, slot);
  sends.watch(send);
  return send;
}

it('cuts nobody while no slot is needed, however long it takes nothing', () => {
  watched('one', 1);
  clock.advance(3_600_000);
  expect(cut).toEqual([]);
});

it('cuts those that stalled first, and no more than there are slots needed', () => {
  for (const slot of [1, 2, 3]) {
    watched(`stalled ${slot}`, slot);
    clock.advance(1_000);
  }
  clock.advance(20_000);
  needed = 2;
  clock.advance(500);
  expect(cut).toEqual(['stalled 1', 'stalled 2']);
  clock.advance(20_000);
  expect(cut.length).toBe(2);
});

it('cuts nobody who has not stalled for five seconds', () => {
  watched('one', 1);
  needed = 1;
  clock.advance(5_000);
  expect(cut).toEqual([]);
  clock.advance(500);
  expect(cut).toEqual(['one']);
});

it.each([
  ['takes 16 KiB now and then', (send: Stuck) => (send.queue.writeQueueSize -= 16_384), []],
  ['is given the next piece', (send: Stuck) => (send.loan = lent(1)), []],
  ['holds a copy', (send: Stuck) => (send.loan = lent(undefined)), []],
  ['takes a few bytes now and then', (send: Stuck) => (send.queue.writeQueueSize -= 100), ['one']],
])('judges by what is taken: one that %s', (_what, moves, expected) => {
  const send = watched('one', 1);
  needed = 1;
  for (let second = 0; second < 20; second++) {
    clock.advance(1_000);
    moves(send);
  }
  expect(cut).toEqual(expected);
});

it('does not count time in which the process stood still', () => {
  watched('one', 1);
  needed = 1;
  clock.advance(1_000);
  for (let times = 0; times < 8; times++) {
    clock.holdUp(9_000);
    clock.advance(0);
    expect(cut).toEqual([]);
  }
  clock.advance(1_000);
  expect(cut).toEqual(['one']);
});

it('does not count time in which a response waits for its turn with nothing queued for its client', () => {
  const send = watched('one', 1);
  needed = 1;
  clock.advance(4_000);
  send.queue.writeQueueSize = 0;
  clock.advance(60_000);
  expect(cut).toEqual([]);
  send.queue.writeQueueSize = 1_000_000;
  clock.advance(5_000);
  expect(cut).toEqual([]);
  clock.advance(500);
  expect(cut).toEqual(['one']);
});

it('cuts all who hold a slot for one need, and none where one of them moves', () => {
  for (const name of ['a', 'b']) watched(name, 1);
  watched('c', 2);
  holds.set(1, 2).set(2, 2);
  clock.advance(6_000);
  needed = 2;
  clock.advance(500);
  expect(cut).toEqual(['a', 'b']);
  expect(needed).toBe(1);
});

it('has no timer while it watches nobody', () => {
  const send = watched('one', 1);
  clock.advance(500);
  sends.forget(send);
  clock.advance(500);
  expect(sends.size).toBe(0);
  needed = 1;
  clock.advance(60_000);
  expect(cut).toEqual([]);
});

describe('responses that hold heap memory', () => {
  const pageBytes = 16 * 1024 * 1024;

  function page(name: string): Stuck {
    const send = new Stuck(name, undefined, pageBytes);
    sends.watch(send);
    return send;
  }

  it('are aborted after five seconds without progress, oldest first, until half of the room is free', () => {
    for (const name of ['one', 'two', 'three', 'four']) {
      page(name);
      clock.advance(500);
    }
    clock.advance(3_400);
    expect(cut).toEqual([]);
    clock.advance(10_000);
    expect(cut).toEqual(['one', 'two']);
  });

  it('are not aborted while their clients take something', () => {
    const pages = ['one', 'two', 'three', 'four'].map(page);
    for (let second = 0; second < 30; second++) {
      for (const { queue } of pages) queue.writeQueueSize -= 8 * 1024;
      clock.advance(1_000);
    }
    expect(cut).toEqual([]);
  });
});
