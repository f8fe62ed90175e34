import type { Outcome } from '../read/background-turns.ts';
import type { WebFetch } from './web-fetch.ts';
import { type Landing, outcomeOf, WebFlight } from './web-flight.ts';
import type { WebRead } from './web-read.ts';

/** What is to be asked while another question hangs. */
export interface HedgeQuestion {
  /** Who waits for it. */
  readonly by: WebRead;
  /** What is asked: as `by` does, or as nobody in particular. */
  readonly read: WebRead;
  readonly isOfNobody: boolean;
}

/** One question that is asked while another hangs, see `Hedging`. */
export class Hedge {
  readonly question: HedgeQuestion;
  readonly flight: WebFlight;
  #fetch: WebFetch | undefined;
  #isDeserted = false;

  /**
   * @param hung what hangs
   * @param sinceMs by `Clock.monotonicMs`
   */
  constructor(question: HedgeQuestion, hung: WebFlight, sinceMs: number, landed: (landing: Landing) => void) {
    this.question = question;
    this.flight = new WebFlight(question.read, sinceMs, landed, hung.isOfRange);
    this.flight.begins = begun => hung.answered(begun);
  }

  /** Whether it was sent, and not given up: otherwise its end is no answer. */
  get isSent(): boolean {
    return this.#fetch !== undefined;
  }

  /** @param ask see `QuestionSender.send` */
  send(ask: (read: WebRead, flight: WebFlight) => WebFetch): void {
    try {
      this.#fetch = ask(this.question.read, this.flight);
    } catch {
      // it has landed
    }
  }

  giveUp(): void {
    const sent = this.#fetch;
    this.#fetch = undefined;
    sent?.left();
  }

  /** Gives it up since nobody waits for what comes, which says nothing of the origin. */
  desert(): void {
    this.#isDeserted = true;
    this.giveUp();
  }

  /** What the background is told of how it has ended. */
  outcomeOf(landing: Landing): Outcome {
    return this.#isDeserted ? 'failed' : outcomeOf(landing);
  }
}
