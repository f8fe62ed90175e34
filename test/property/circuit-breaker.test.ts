import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Breaker, type BreakerChange, PAUSE_MS } from '../../src/backend/breaker/breaker.ts';
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
  questionMs: 5_000,
};

type Step =
  | { readonly kind: 'call'; readonly thread: number; readonly isFailure: boolean }
  | { readonly kind: 'answer'; readonly thread: number; readonly isAlive: boolean }
  | { readonly kind: 'replace'; readonly thread: number }
  | { readonly kind: 'pass'; readonly milliseconds: number };

const thread = fc.nat(1);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      kind: fc.constant('call' as const),
      thread,
      isFailure: fc.oneof({ weight: 4, arbitrary: fc.constant(true) }, fc.constant(false)),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant('answer' as const), thread, isAlive: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('replace' as const), thread }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('pass' as const),
      milliseconds: fc.integer({ min: 0, max: 6_000 }),
    }),
  },
);

interface Running {
  readonly breaker: Breaker;
  readonly questions: ((isAlive: boolean) => void)[];
  /** When it was last told that the store works. */
  restsSinceMs: number;
}

/** Two threads with one store. */
class Threads {
  readonly clock = new ManualClock();
  readonly #words = allocateBreakers(1);
  readonly #threads: Running[] = [0, 1].map(() => this.#start());
  #openedMs = -Infinity;
  /** Questions that were answered since it was half-open. */
  #alive = 0;
  /** The answer that is being told. */
  #told: boolean | undefined;

  get state(): BreakerState {
    return this.#threads[0]?.breaker.state ?? initiallyClosed;
  }

  run(each: Step): void {
    if (each.kind === 'pass') this.clock.advance(each.milliseconds);
    else if (each.kind === 'replace') this.#replace(each.thread);
    else if (each.kind === 'call') this.#call(each.thread, each.isFailure);
    else this.answer(each.thread, each.isAlive);
    for (const { breaker, questions } of this.#threads) {
      expect(breaker.state).toEqual(this.state);
      expect(breaker.isRefusing).toBe(this.state.kind !== 'closed');
      expect(questions.length).toBeLessThanOrEqual(1);
    }
  }

  answer(nth: number, isAlive: boolean): void {
    const thread = this.#threads[nth];
    const told = thread?.questions.shift();
    if (!thread || !told) return;
    if (isAlive) thread.restsSinceMs = this.clock.monotonicMs();
    if (isAlive) this.#alive++;
    this.#told = isAlive;
    told(isAlive);
    this.#told = undefined;
  }

  #start(): Running {
    const questions: Running['questions'] = [];
    const running: Running = {
      breaker: new Breaker({
        ...{ settings, words: this.#words, index: 0, address: 0, clock: this.clock },
        changed: change => this.#changed(change),
      }),
      questions,
      restsSinceMs: -Infinity,
    };
    running.breaker.guard({
      ask: told => {
        const { kind } = this.state;
        const restMs = this.clock.monotonicMs() - running.restsSinceMs;
        if (kind === 'closed') expect(restMs).toBeGreaterThanOrEqual(PAUSE_MS);
        questions.push(told);
      },
      opened: () => undefined,
    });
    return running;
  }

  #replace(nth: number): void {
    this.#threads[nth]?.breaker.stop();
    this.#threads[nth] = this.#start();
  }

  #call(nth: number, isFailure: boolean): void {
    const breaker = this.#threads[nth]?.breaker;
    if (isFailure) breaker?.failed();
    else breaker?.succeeded();
  }

  #changed({ from, to }: BreakerChange): void {
    const allowed: Record<BreakerState['kind'], string[]> = {
      closed: ['open'],
      open: ['half-open'],
      'half-open': ['open', 'closed'],
    };
    expect(allowed[from]).toContain(to);
    const nowMs = this.clock.monotonicMs();
    // only a question that was not answered opens it, whatever calls tell
    if (to === 'open') expect(this.#told).toBe(false);
    if (to === 'half-open') this.#alive = 0;
    if (to === 'half-open') expect(nowMs - this.#openedMs).toBeGreaterThanOrEqual(settings.openMs);
    if (to === 'closed') expect(this.#alive).toBeGreaterThanOrEqual(settings.probes);
    if (to === 'closed') expect(this.#told).toBe(true);
    if (to === 'open') this.#openedMs = nowMs;
  }
}

const steps = fc.array(step, { maxLength: 120, size: 'max' });

it('a breaker opens only when a question is not answered, and closes only when as many as configured are', () => {
  fc.assert(
    fc.property(steps, all => {
      const threads = new Threads();
      for (const each of all) threads.run(each);
    }),
    { numRuns: 500 },
  );
});

it('a breaker of a store that works again closes, whatever was before, and though no call is wanted', () => {
  fc.assert(
    fc.property(steps, all => {
      const threads = new Threads();
      for (const each of all) threads.run(each);
      for (let round = 0; round < 3; round++) {
        for (let question = 0; question <= settings.probes; question++)
          for (const nth of [0, 1]) threads.answer(nth, true);
        threads.clock.advance(Math.max(settings.openMs, settings.questionMs));
      }
      expect(threads.state.kind).toBe('closed');
    }),
  );
});

const time = fc.integer({ min: 0, max: 2 ** 42 });
const state: fc.Arbitrary<BreakerState> = fc.oneof(
  fc.record({ kind: fc.constant('closed' as const), sinceMs: time }),
  fc.record({ kind: fc.constant('open' as const), untilMs: time }),
  fc.record({
    kind: fc.constant('half-open' as const),
    untilMs: time,
    succeeded: fc.integer({ min: 0, max: MOST_PROBES }),
  }),
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
