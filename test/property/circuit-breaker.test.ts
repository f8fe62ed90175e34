import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Breaker } from '../../src/backend/breaker/breaker.ts';
import { type BreakerState, initiallyClosed } from '../../src/backend/breaker/breaker-state.ts';
import {
  allocateBreakers,
  decodeState,
  encodeState,
  MOST_PROBES,
} from '../../src/backend/breaker/breaker-word.ts';
import { ManualClock } from '../support/manual-clock.ts';

const settings = {
  threshold: 0.5,
  minRequests: 4,
  windowMs: 10_000,
  openMs: 5_000,
  probes: 2,
  probeMs: 20_000,
};

type Step =
  | { readonly kind: 'call'; readonly thread: number }
  | { readonly kind: 'end'; readonly nth: number; readonly isFailure: boolean }
  | { readonly kind: 'drop'; readonly nth: number }
  | { readonly kind: 'pass'; readonly milliseconds: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('call' as const), thread: fc.nat(1) }) },
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('end' as const), nth: fc.nat(), isFailure: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('drop' as const), nth: fc.nat() }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('pass' as const),
      milliseconds: fc.integer({ min: 0, max: 6_000 }),
    }),
  },
);

/** Two threads with one store, and the calls that are under way. */
class Threads {
  readonly clock = new ManualClock();
  readonly changes: BreakerState['kind'][] = ['closed'];
  #openedMs = -Infinity;
  /** Trials that have succeeded since it was half-open. */
  #succeeded = 0;
  readonly #running: { readonly breaker: Breaker; readonly isTrial: boolean }[] = [];
  readonly #breakers: readonly Breaker[];

  constructor() {
    const words = allocateBreakers(1);
    const changed = ({ to }: { to: BreakerState['kind'] }) => this.#changed(to);
    this.#breakers = [0, 1].map(
      () => new Breaker({ settings, words, index: 0, address: 0, clock: this.clock, changed }),
    );
  }

  get state(): BreakerState {
    return this.#breakers[0]?.state ?? initiallyClosed;
  }

  admits(): boolean {
    return this.#breakers[0]?.admit() !== 'refuse';
  }

  run(each: Step): void {
    if (each.kind === 'pass') this.clock.advance(each.milliseconds);
    else if (each.kind === 'call') this.#call(each.thread);
    else this.#end(each.nth, each.kind === 'drop' ? 'dropped' : each.isFailure ? 'failed' : 'succeeded');
    // both threads see the same
    expect(this.#breakers[1]?.state).toEqual(this.state);
    if (this.state.kind !== 'half-open') return;
    expect(this.state.running + this.state.succeeded).toBeLessThanOrEqual(settings.probes);
  }

  #call(thread: number): void {
    const breaker = this.#breakers[thread];
    if (!breaker) return;
    const before = breaker.state;
    const nowMs = this.clock.monotonicMs();
    const admission = breaker.admit();
    if (before.kind === 'closed') expect(admission).toBe('send');
    if (before.kind === 'open')
      expect(admission).toBe(nowMs - this.#openedMs < settings.openMs ? 'refuse' : 'try');
    if (admission !== 'refuse') this.#running.push({ breaker, isTrial: admission === 'try' });
  }

  #end(nth: number, how: 'succeeded' | 'failed' | 'dropped'): void {
    const [call] = this.#running.splice(nth % Math.max(1, this.#running.length), 1);
    if (!call) return;
    if (call.isTrial && how === 'succeeded') this.#succeeded++;
    if (how === 'succeeded') call.breaker.succeeded();
    if (how === 'failed') call.breaker.failed(undefined);
    if (call.isTrial) call.breaker.tried(how);
  }

  #changed(to: BreakerState['kind']): void {
    const from = this.changes.at(-1);
    this.changes.push(to);
    const allowed: Record<BreakerState['kind'], string[]> = {
      closed: ['open'],
      open: ['half-open'],
      'half-open': ['open', 'closed'],
    };
    expect(allowed[from ?? 'closed']).toContain(to);
    if (to === 'open') this.#openedMs = this.clock.monotonicMs();
    if (to === 'half-open') this.#succeeded = 0;
    if (to === 'closed') expect(this.#succeeded).toBeGreaterThanOrEqual(settings.probes);
  }
}

it('a breaker refuses only while it is open, tries a store with a few calls, and closes only after as many successes', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 120, size: 'max' }), steps => {
      const threads = new Threads();
      for (const each of steps) threads.run(each);
    }),
    { numRuns: 500 },
  );
});

it('a breaker always tries the store again, whatever became of the calls before', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 120, size: 'max' }), steps => {
      const threads = new Threads();
      for (const each of steps) threads.run(each);
      threads.clock.advance(settings.openMs + settings.probeMs);
      expect(threads.admits()).toBe(true);
    }),
  );
});

const time = fc.integer({ min: 0, max: 2 ** 42 });
const count = fc.integer({ min: 0, max: MOST_PROBES });
const state: fc.Arbitrary<BreakerState> = fc.oneof(
  fc.record({ kind: fc.constant('closed' as const), sinceMs: time }),
  fc.record({ kind: fc.constant('open' as const), untilMs: time }),
  fc.record({ kind: fc.constant('half-open' as const), untilMs: time, running: count, succeeded: count }),
);

it('a state survives in one word, and says nothing of another address', () => {
  fc.assert(
    fc.property(state, fc.nat(1_000), fc.integer({ min: 1, max: 255 }), (held, address, other) => {
      const [word = 0n] = new BigInt64Array([encodeState(held, address)]);
      expect(decodeState(word, address)).toEqual(held);
      expect(decodeState(word, address + other)).toEqual(initiallyClosed);
    }),
  );
});
