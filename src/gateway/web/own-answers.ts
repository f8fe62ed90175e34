import { LRUCache } from 'lru-cache';
import type { Clock } from '../../base/clock.ts';
import { asksOtherwise, couldBeForAll, couldBeOfOthers, tellsOfOthers } from './one-request.ts';
import { TURNS } from './own-turns.ts';
import type { ArrivedHead } from './stored-answer.ts';
import type { Landing } from './web-flight.ts';
import type { WebRead } from './web-read.ts';

/** Targets of which something is known, each for those who send alike credentials. */
const REMEMBERED_LIMIT = 1_000;

/** An origin may change its mind. */
const REMEMBERED_MS = 60_000;

/** So many clients have got answers for themselves alone while nothing was held: strangers have more than one address. */
const ENOUGH = TURNS;

interface Found {
  untilMs: number;
  /** By `WebClient.quota`. */
  readonly clients: Set<string>;
}

/**
 * Pages of which each reader gets an answer of its own, as far as answers of the last minute tell. What is answered to credentials
 * tells nothing of those who send none (RFC 9111 §3.5), nor the other way round.
 */
export class OwnAnswers {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #found = new LRUCache<string, Found>({ max: REMEMBERED_LIMIT });

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock;
  }

  /** `read` was answered so. @param isHeld whether something is held that was for all */
  saw(read: WebRead, arrived: ArrivedHead, isHeld: boolean): void {
    if (!tellsOfOthers(read, arrived.head)) return;
    if (couldBeForAll(read, arrived)) for (const kind of kinds) this.#found.delete(nameOf(read, kind));
    else if (!isHeld && !isOpen(read, arrived)) this.#sawOwn(read);
  }

  /** Whether each of those who send such credentials gets one, so that they need not wait for one another. */
  isOfEach(read: WebRead): boolean {
    return (this.#of(read)?.clients.size ?? 0) >= ENOUGH;
  }

  /** Whether two get one each, as far as is known, and not the same. */
  isOfBoth(one: WebRead, other: WebRead): boolean {
    return this.isOfEach(one) && this.isOfEach(other) && asksOtherwise(one, other);
  }

  #sawOwn(read: WebRead): void {
    const untilMs = this.#clock.monotonicMs() + REMEMBERED_MS;
    const found = this.#of(read) ?? { untilMs, clients: new Set<string>() };
    found.untilMs = untilMs;
    if (found.clients.size < ENOUGH) found.clients.add(read.client.quota);
    this.#found.set(nameOf(read, kindOf(read)), found);
  }

  #of(read: WebRead): Found | undefined {
    const found = this.#found.get(nameOf(read, kindOf(read)));
    return found && found.untilMs > this.#clock.monotonicMs() ? found : undefined;
  }
}

/** Whether what HEAD has been told leaves open whether GET gets an answer for all. */
function isOpen(read: WebRead, { head }: ArrivedHead): boolean {
  return read.method === 'HEAD' && couldBeOfOthers(read, head);
}

/** Whether `read` has got an answer for itself alone that tells of those who send no credentials. */
export function hasGotOwn(read: WebRead, landing: Landing): boolean {
  const arrived = landing.kind === 'alone' ? landing.arrived : undefined;
  return arrived !== undefined && !read.isAuthorized && tellsOfOthers(read, arrived.head);
}

const kinds = ['authorized', 'cookie', 'plain'] as const;

function kindOf({ isAuthorized, isPersonal }: WebRead): (typeof kinds)[number] {
  if (isAuthorized) return 'authorized';
  return isPersonal ? 'cookie' : 'plain';
}

function nameOf({ target }: WebRead, kind: (typeof kinds)[number]): string {
  return `${kind} ${target.key.text}`;
}
