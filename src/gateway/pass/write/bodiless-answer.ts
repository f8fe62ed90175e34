import type { StoreReplyHead } from '../../../backend/store.ts';
import { isLength } from '../../../s3/passed-fields.ts';
import type { PassedReceiver } from '../pass-through.ts';

/**
 * Passes on the answer of a write that has no document: what a store puts there nevertheless may be names that are not for the client.
 * Refusals are not changed.
 */
export class BodilessAnswer implements PassedReceiver {
  readonly #receiver: PassedReceiver;
  readonly #cut: () => void;
  /** Whether the client has all that it gets. */
  #isDone = false;

  /** @param cut ends the call: what comes could go on for ever */
  constructor(receiver: PassedReceiver, cut: () => void) {
    this.#receiver = receiver;
    this.#cut = cut;
  }

  answered(head: StoreReplyHead): void {
    if (head.status >= 300) {
      this.#receiver.answered(head);
      return;
    }
    this.#isDone = true;
    this.#receiver.answered(withoutBody(head));
    this.#receiver.ended();
  }

  arrived(chunk: Buffer): void {
    if (this.#isDone) this.#cut();
    else this.#receiver.arrived(chunk);
  }

  ended(): void {
    if (!this.#isDone) this.#receiver.ended();
  }

  failed(error: unknown): void {
    if (!this.#isDone) this.#receiver.failed(error);
  }
}

function withoutBody(head: StoreReplyHead): StoreReplyHead {
  const fields = head.fields.filter(field => !isLength(field));
  // RFC 9110 §8.6: a 204 has no length
  if (head.status === 204) return { ...head, fields };
  return { ...head, fields: [...fields, { name: 'content-length', value: '0', store: false }] };
}
