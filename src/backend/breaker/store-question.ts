import type { CallContext, SentRequest } from '../call-context.ts';
import { isStoreFailure, outcomeOf } from '../call-outcome.ts';
import type { OriginReceiver } from '../origin-call.ts';
import { mayRefuseSignature } from '../signature-refusal.ts';
import { faultOf, StoreError, type StoreRequest } from '../store.ts';
import { TransferWatch } from '../transfer-watch.ts';

/** A store that works answers a question without bytes of an object sooner than this. */
export const QUESTION_LIMIT_MS = 3_000;

/** @param how the status of the answer, or why there is none, see `causeName` */
export type ToldOfStore = (isAlive: boolean, how: string) => void;

interface QuestionParts extends Pick<CallContext, 'clock' | 'meter' | 'outages' | 'isSigned'> {
  /** Beside all calls, so that it waits for none of them. */
  readonly send: CallContext['send'];
  readonly limitMs: number;
}

/**
 * A question to a store that no client has chosen. The store works if it answers at all, be it by a refusal; not if it
 * answers 429 or 5xx (501 says that it does not know the question). What is no fault of the store says nothing of it, as
 * when the gateway has no valid credentials.
 */
export class StoreQuestion implements OriginReceiver {
  readonly #parts: QuestionParts;
  readonly #request: StoreRequest;
  readonly #judged: ToldOfStore;
  readonly #watch: TransferWatch;
  readonly #startedMs: number;
  #sent: SentRequest | undefined;
  #isOver = false;

  private constructor(parts: QuestionParts, request: StoreRequest, judged: ToldOfStore) {
    const { clock, limitMs } = parts;
    this.#parts = parts;
    this.#request = request;
    this.#judged = judged;
    this.#startedMs = clock.monotonicMs();
    this.#watch = new TransferWatch({ headMs: limitMs, minRateBytes: 0, windowMs: limitMs }, clock, () =>
      this.failed(new StoreError('TIMEOUT', 'the store does not answer', undefined, 'FIRST_BYTE_TIMEOUT')),
    );
  }

  /** @param judged called once, asynchronously */
  static ask(parts: QuestionParts, request: StoreRequest, judged: ToldOfStore): void {
    const question = new StoreQuestion(parts, request, judged);
    try {
      question.#sent = parts.send(request, question);
    } catch (error) {
      const failure = error instanceof StoreError ? error : faultOf(error);
      queueMicrotask(() => question.failed(failure));
    }
    if (question.#isOver) question.#sent?.abort();
  }

  answered(status: number): void {
    if (!this.#end()) return;
    const { clock, meter, outages, isSigned } = this.#parts;
    meter.answered(this.#request, status, clock.monotonicMs() - this.#startedMs);
    outages?.answered(status, isSigned && mayRefuseSignature(status));
    // nothing of a body is wanted
    this.#sent?.abort();
    this.#judged(status === 501 || (status < 500 && status !== 429), String(status));
  }

  arrived(): void {}

  ended(): void {
    this.failed(new StoreError('INVALID', 'the store ended the response without a head', undefined));
  }

  failed(error: StoreError): void {
    if (!this.#end()) return;
    const { meter, outages } = this.#parts;
    meter.ended(this.#request, outcomeOf(error));
    outages?.failed(error);
    this.#sent?.abort();
    this.#judged(!isStoreFailure(error), error.reason);
  }

  /** False when it had already ended. */
  #end(): boolean {
    if (this.#isOver) return false;
    this.#isOver = true;
    this.#watch.end();
    return true;
  }
}
