import type { RetryBudget } from './retry-budget.ts';
import type { StoreError, StoreRequest } from './store.ts';

/** Methods that change nothing (RFC 9110 §9.2.1). The store has to answer them in time. */
const safe: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** A second connection of the pool may be closed like the first one. */
const RESENDS = 2;

/** A call is not sent again later than this after it was first sent: its client waits. */
const DEADLINE_MS = 2_000;

const FIRST_DELAY_MS = 100;

/** Whether the request of a call changes nothing at the store. */
export function isSafe({ method }: Pick<StoreRequest, 'method'>): boolean {
  return safe.has(method);
}

interface ResendParts {
  readonly budget: RetryBudget;
  /** A number in [0, 1), for jitter. */
  readonly random: () => number;
}

/**
 * Decides whether and when a call is sent again that has failed before it was answered:
 *
 * - any call for which there was no connection: the store has got nothing of it;
 * - one that changes nothing, when its connection broke: stores close idle connections, some of them just when the next
 *   request is on its way (RFC 9112 §9.3.1).
 *
 * Other calls are sent once, although HTTP calls PUT and DELETE idempotent (RFC 9110 §9.2.2): the store may have carried
 * out the first, and another writer may have changed the object since. A repeated write would undo that. Nor are answers
 * of the store a reason, 503 among them: the client learns of them and knows whether it wants to repeat.
 */
export class Resends {
  readonly #request: StoreRequest;
  readonly #parts: ResendParts;
  #made = 0;

  constructor(request: StoreRequest, parts: ResendParts) {
    this.#request = request;
    this.#parts = parts;
  }

  /**
   * The delay before the call is sent again after `error`; undefined if it is not.
   *
   * @param sinceMs how long ago it was first sent
   */
  delayMs({ code }: StoreError, sinceMs: number): number | undefined {
    const isUnsent = code === 'UNREACHABLE' && !this.#hasBegunBody;
    const isHarmless = code === 'BROKEN' && isSafe(this.#request);
    if (!this.#request.isResent || this.#made >= RESENDS || !(isUnsent || isHarmless)) return undefined;
    const delayMs = this.#backOffMs(isUnsent);
    if (sinceMs + delayMs > DEADLINE_MS || !this.#parts.budget.take()) return undefined;
    this.#made++;
    return delayMs;
  }

  /** Exponential, half of it jitter; none before the first new connection in place of a broken one. */
  #backOffMs(isUnsent: boolean): number {
    if (this.#made === 0 && !isUnsent) return 0;
    return FIRST_DELAY_MS * 2 ** this.#made * (0.5 + this.#parts.random() / 2);
  }

  get #hasBegunBody(): boolean {
    const stream = this.#request.bodyStream?.stream;
    return stream !== undefined && (stream.readableDidRead || stream.destroyed);
  }
}
