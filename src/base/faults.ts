import type { Clock } from './clock.ts';
import type { Logger } from './logger.ts';
import type { CounterCell, Metrics } from './metrics.ts';

/** What is logged of one fault at the most. */
const TEXT_LIMIT = 8 * 1024;

/**
 * Takes exceptions that nobody expected: mistakes of this program, met in code that serves a request. Each is counted and
 * logged once, however many requests it ends; the worker goes on.
 */
export class Faults {
  readonly #count: CounterCell;
  readonly #logger: Logger | undefined;
  readonly #noted = new WeakSet<Error>();

  constructor(metrics: Metrics, logger: Logger | undefined) {
    this.#logger = logger;
    this.#count = metrics
      .counter(
        'tidegate_request_faults_total',
        'Exceptions that ended a request and should not have happened.',
      )
      .cell();
  }

  /** @param requestId of the request that it ended; undefined for one that ended what several may have waited for. */
  note(error: unknown, requestId?: string): void {
    const chain = chainOf(error);
    const isKnown = chain.some(one => this.#noted.has(one));
    for (const one of chain) this.#noted.add(one);
    if (isKnown) return;
    this.#count.value++;
    const fault =
      chain.length === 0 ? String(error) : chain.map(one => one.stack ?? one.message).join('\ncaused by ');
    this.#logger?.error(
      { requestId, fault: fault.slice(0, TEXT_LIMIT) },
      'unexpected exception while a request was served',
    );
  }
}

/** `clock` with timers that end no thread: what a callback throws is noted. */
export function guardedClock(clock: Clock, faults: Faults): Clock {
  return {
    nowMs: () => clock.nowMs(),
    monotonicMs: () => clock.monotonicMs(),
    after: (delayMs, callback) =>
      clock.after(delayMs, () => {
        try {
          callback();
        } catch (error) {
          faults.note(error);
        }
      }),
  };
}

/** `error` and what caused it. Only texts of them are logged: their other properties may hold what was being processed. */
function chainOf(error: unknown): Error[] {
  const chain: Error[] = [];
  for (let one = error; one instanceof Error && chain.length < 8; one = one.cause) chain.push(one);
  return chain;
}
