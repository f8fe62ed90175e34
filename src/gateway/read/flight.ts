import type { Clock, Timer } from '../../base/clock.ts';
import type { Asked } from '../../cache/record.ts';
import { DesertedError } from '../fill/fill-error.ts';

/** How often a request is looked at that is to be sent once more when it is late. */
const CHECK_MS = 500;

/** Those who wait for the answer to a request in progress, as seen by who makes it. */
export interface Audience {
  /** Whether all who waited have left: the request goes on for whoever comes next. */
  readonly isGone: boolean;
  /** Aborted with a DesertedError when the answer is not wanted any more. */
  readonly signal: AbortSignal;
}

/** Who waits for an answer. */
export interface Waiting {
  /** Aborted when it has left; one without it waits for the answer in any case. */
  readonly gone?: AbortSignal | undefined;
  /** Whether it wants the answer for readers who are yet to come. */
  readonly isForLater?: boolean;
}

/** How something is requested. */
export interface Sending<Answer> {
  /** Sends the request. */
  ask(audience: Audience): Promise<Answer>;
  /** Whether a request that was sent at `sentMs`, and is silent since, is better sent once more. */
  isLate(sentMs: number): boolean;
}

class Request implements Audience {
  readonly sentMs: number;
  readonly #flight: { readonly isGone: boolean };
  readonly #abandoning = new AbortController();

  constructor(flight: { readonly isGone: boolean }, sentMs: number) {
    this.#flight = flight;
    this.sentMs = sentMs;
  }

  get isGone(): boolean {
    return this.#flight.isGone;
  }

  get signal(): AbortSignal {
    return this.#abandoning.signal;
  }

  abandon(): void {
    this.#abandoning.abort(new DesertedError());
  }
}

/**
 * A request in progress that others may join. At one which a reader was tired of waiting for, the store may hang, so another is
 * sent beside it once it is late, for those who wait still or come back. The first one goes on, since a store may be slow instead,
 * and readers who are less patient than it takes would else never be answered. All get the answer that comes first, and the other
 * request ends: a late answer replaces nothing. What fails does so for all only if it was sent last.
 */
export class Flight<Answer> {
  /** Whether it is wanted by somebody who does not wait for it. */
  isWanted = false;
  readonly asked: Asked;
  readonly answer: Promise<Answer>;
  readonly #sending: Sending<Answer>;
  readonly #clock: Pick<Clock, 'monotonicMs' | 'after'>;
  readonly #deserted: () => void;
  readonly #answering = Promise.withResolvers<Answer>();
  /** The first and the latest request that are under way. */
  #requests: readonly Request[] = [];
  #checking: Timer | undefined;
  #waiting = 0;
  #readers = 0;

  /** @param deserted called each time that the last who waited has left */
  constructor(
    asked: Asked,
    sending: Sending<Answer>,
    waiting: Waiting,
    deserted: () => void,
    clock: Pick<Clock, 'monotonicMs' | 'after'>,
  ) {
    this.asked = asked;
    this.#deserted = deserted;
    this.#sending = sending;
    this.#clock = clock;
    this.answer = this.#answering.promise;
    this.#wait(waiting);
    this.#send();
  }

  get isGone(): boolean {
    return this.#waiting === 0;
  }

  /** Waits for the answer as well. */
  join(waiting: Waiting): void {
    const hadReaders = this.#readers > 0;
    this.#wait(waiting);
    if (!hadReaders) this.#sendAnotherWhenLate();
  }

  abandon(): void {
    this.#checking?.cancel();
    for (const request of this.#requests) request.abandon();
  }

  #wait({ gone, isForLater = false }: Waiting): void {
    const reader = isForLater ? 0 : 1;
    this.#waiting++;
    this.#readers += reader;
    gone?.addEventListener('abort', () => {
      this.#readers -= reader;
      if (--this.#waiting === 0) this.#deserted();
      else this.#sendAnotherWhenLate();
    });
  }

  #sendAnotherWhenLate(): void {
    this.#checking?.cancel();
    const latest = this.#requests.at(-1);
    if (!latest || this.#readers === 0) return;
    if (this.#sending.isLate(latest.sentMs)) this.#send();
    else this.#checking = this.#clock.after(CHECK_MS, () => this.#sendAnotherWhenLate());
  }

  #send(): void {
    const [first, ...others] = this.#requests;
    const request = new Request(this, this.#clock.monotonicMs());
    this.#requests = first ? [first, request] : [request];
    for (const other of others) other.abandon();
    this.#sending.ask(request).then(
      answer => this.#end(request, () => this.#answering.resolve(answer)),
      error => {
        if (this.#requests.at(-1) === request) this.#end(request, () => this.#answering.reject(error));
        else this.#requests = this.#requests.filter(other => other !== request);
      },
    );
  }

  #end(by: Request, tell: () => void): void {
    if (!this.#requests.includes(by)) return;
    const others = this.#requests.filter(other => other !== by);
    this.#requests = [];
    this.#checking?.cancel();
    tell();
    for (const other of others) other.abandon();
  }
}
