import type { StoreReplyHead } from '../../../backend/store.ts';
import type { Clock, Timer } from '../../../base/clock.ts';
import { isLength } from '../../../s3/passed-fields.ts';
import type { PassedReceiver } from '../pass-through.ts';

/** So much of a body that nobody gets is read, and for so long, for the sake of its connection. */
const DISCARDED_LIMIT_BYTES = 64 * 1024;
const DISCARDED_LIMIT_MS = 5_000;

interface BodilessParts {
  readonly clock: Pick<Clock, 'after'>;
  /** Ends the call. */
  readonly cut: () => void;
}

/**
 * Passes on the answer of a write that has no document: what a store puts there nevertheless may be names that are not for the client.
 * Refusals are not changed.
 */
export class BodilessAnswer implements PassedReceiver {
  readonly #receiver: PassedReceiver;
  readonly #parts: BodilessParts;
  /** Whether the client has all that it gets. */
  #isDone = false;
  #limit: Timer | undefined;
  #discardedBytes = 0;

  constructor(receiver: PassedReceiver, parts: BodilessParts) {
    this.#receiver = receiver;
    this.#parts = parts;
  }

  answered(head: StoreReplyHead): void {
    if (head.status >= 300) {
      this.#receiver.answered(head);
      return;
    }
    const { clock, cut } = this.#parts;
    this.#isDone = true;
    this.#limit = clock.after(DISCARDED_LIMIT_MS, cut);
    this.#receiver.answered(withoutBody(head));
    this.#receiver.ended();
  }

  arrived(chunk: Buffer): void {
    if (!this.#isDone) {
      this.#receiver.arrived(chunk);
      return;
    }
    this.#discardedBytes += chunk.length;
    if (this.#discardedBytes > DISCARDED_LIMIT_BYTES) this.#cut();
  }

  ended(): void {
    this.#limit?.cancel();
    if (!this.#isDone) this.#receiver.ended();
  }

  failed(error: unknown): void {
    this.#limit?.cancel();
    if (!this.#isDone) this.#receiver.failed(error);
  }

  #cut(): void {
    this.#limit?.cancel();
    this.#parts.cut();
  }
}

function withoutBody(head: StoreReplyHead): StoreReplyHead {
  const fields = head.fields.filter(field => !isLength(field));
  // RFC 9110 §8.6: a 204 has no length
  if (head.status === 204) return { ...head, fields };
  return { ...head, fields: [...fields, { name: 'content-length', value: '0', store: false }] };
}
