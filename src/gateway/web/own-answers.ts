import { LRUCache } from 'lru-cache';
import type { Clock } from '../../base/clock.ts';
import { couldBeForAll } from './one-request.ts';
import { type ArrivedHead, isOfServer } from './stored-answer.ts';
import type { WebRead } from './web-read.ts';

/** Targets of which something is known. */
const REMEMBERED_LIMIT = 1_000;

/** An origin may change its mind. */
const REMEMBERED_MS = 60_000;

/** So many clients who have sent cookies and got answers for themselves alone while nothing was held. */
const ENOUGH = 4;

interface Found {
  untilMs: number;
  /** Whether several who asked in turn have got one each. */
  isOfEach: boolean;
  /** Clients, by `WebClient.quota`. */
  readonly withCookie: Set<string>;
}

/** Pages of which each reader gets an answer of its own, as far as answers of the last minute tell. Errors tell nothing. */
export class OwnAnswers {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #found = new LRUCache<string, Found>({ max: REMEMBERED_LIMIT });

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock;
  }

  /** Those who asked in turn have got one answer for itself after another. */
  learn(read: WebRead): void {
    this.#renewed(read).isOfEach = true;
  }

  /** `read` was answered so. @param isHeld whether something is held that was for all */
  saw(read: WebRead, arrived: ArrivedHead, isHeld: boolean): void {
    if (isOfServer(arrived.head.status)) return;
    if (couldBeForAll(read, arrived)) this.#found.delete(read.target.key.text);
    else if (!isHeld && hasCookieAlone(read)) this.#sawOwn(read);
  }

  #sawOwn(read: WebRead): void {
    const { withCookie } = this.#renewed(read);
    if (withCookie.size < ENOUGH) withCookie.add(read.client.quota);
  }

  /** Whether those who have waited for one such answer need not wait for another. */
  isOfEach(read: WebRead): boolean {
    return this.#of(read)?.isOfEach ?? false;
  }

  /** Whether `read` gets one as others with cookies do, so that it need not wait at all. */
  isKnownFor(read: WebRead): boolean {
    return (this.#of(read)?.withCookie.size ?? 0) >= ENOUGH && hasCookieAlone(read);
  }

  #of({ target }: WebRead): Found | undefined {
    const found = this.#found.get(target.key.text);
    return found && found.untilMs > this.#clock.monotonicMs() ? found : undefined;
  }

  #renewed(read: WebRead): Found {
    const untilMs = this.#clock.monotonicMs() + REMEMBERED_MS;
    const found = this.#of(read) ?? { untilMs, isOfEach: false, withCookie: new Set<string>() };
    found.untilMs = untilMs;
    this.#found.set(read.target.key.text, found);
    return found;
  }
}

/** What is answered to credentials tells nothing of those who send none (RFC 9111 §3.5). */
function hasCookieAlone({ isPersonal, isAuthorized }: WebRead): boolean {
  return isPersonal && !isAuthorized;
}
