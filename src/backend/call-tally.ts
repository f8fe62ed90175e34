import type { CallContext } from './call-context.ts';
import { REFUSED, type UnansweredOutcome } from './call-outcome.ts';
import { mayRefuseSignature, type RefusalVerdict, SignatureRefusal } from './signature-refusal.ts';
import type { StoreRequest } from './store.ts';

type TallyContext = Pick<CallContext, 'meter' | 'outages' | 'isSigned'>;

/**
 * Counts how one call has ended, and tells the log of failures what the store answered. An answer that may refuse the
 * gateway's own keys or signature is counted only when its body says so, or something else.
 */
export class CallTally {
  readonly #request: StoreRequest;
  readonly #context: TallyContext;
  /** Whether the last sending is counted. */
  #isCounted = false;
  /** Set until it is known what a refusal is about. */
  #refusal: SignatureRefusal | undefined;
  #status = 0;

  constructor(request: StoreRequest, context: TallyContext) {
    this.#request = request;
    this.#context = context;
  }

  sent(): void {
    this.#isCounted = false;
  }

  /** The head of an answer has arrived, `durationMs` after the request. */
  answered(status: number, durationMs: number): void {
    const { meter } = this.#context;
    if (this.#isUntold(status) && this.#request.method !== 'HEAD') {
      this.#status = status;
      this.#refusal = new SignatureRefusal();
      meter.answering(durationMs);
      return;
    }
    meter.answered(this.#request, status, durationMs);
    this.#isCounted = true;
  }

  /** The answer can be used. */
  accepted(status: number): void {
    if (this.#refusal === undefined) this.#context.outages?.answered(status, this.#isUntold(status));
  }

  arrived(chunk: Buffer): void {
    this.#context.meter.arrived(chunk.length);
    const verdict = this.#refusal?.arrived(chunk);
    if (verdict) this.#settle(verdict);
  }

  /** The body of the answer has ended. */
  ended(): void {
    this.#settle({ kind: 'other' });
  }

  /** The call has ended otherwise. An answer that had begun is counted with its status. */
  failed(how: UnansweredOutcome): void {
    if (!this.#isCounted) this.#context.meter.ended(this.#request, this.#refusal ? this.#status : how);
    this.#refusal = undefined;
    this.#isCounted = true;
  }

  #settle(verdict: RefusalVerdict): void {
    if (this.#refusal === undefined) return;
    const { meter, outages } = this.#context;
    this.#refusal = undefined;
    this.#isCounted = true;
    const isRefused = verdict.kind === 'own-signature';
    meter.ended(this.#request, isRefused ? REFUSED : this.#status);
    if (isRefused) outages?.refused(verdict.code);
    else outages?.answered(this.#status);
  }

  #isUntold(status: number): boolean {
    return this.#context.isSigned && mayRefuseSignature(status);
  }
}
