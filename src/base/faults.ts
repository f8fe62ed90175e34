import type { Clock } from './clock.ts';
import type { Logger } from './logger.ts';
import type { CounterCell, Metrics } from './metrics.ts';

/** Longest logged text of one fault. */
const TEXT_LIMIT = 8 * 1024;

/**
 * Reports unexpected exceptions: bugs of this program that surface while a request is served. Each exception is counted
 * and logged once, even if it ends several requests; the worker keeps running.
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

  /**
   * @param requestId the request it ended; undefined if it ended something that several requests may have waited for
   */
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

/** `clock` whose timer callbacks cannot crash the thread: their exceptions are reported to `faults`. */
export function guardedClock(clock: Clock, faults: Faults): Clock {
  return {
    nowMs: clock.nowMs.bind(clock),
    monotonicMs: clock.monotonicMs.bind(clock),
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

/** `error` and its causes. Only their messages and stacks are logged: other properties may hold customer data. */
function chainOf(error: unknown): Error[] {
  const chain: Error[] = [];
  for (let one = error; one instanceof Error && chain.length < 8; one = one.cause) chain.push(one);
  return chain;
}
