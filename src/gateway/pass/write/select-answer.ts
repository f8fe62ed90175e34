import type { StoreReplyHead } from '../../../backend/store.ts';
import type { PassedReceiver } from '../pass-through.ts';

/**
 * The first byte of a stream of events is that of the length of its first message, which is far shorter than 128 MiB
 * (https://docs.aws.amazon.com/AmazonS3/latest/API/RESTSelectObjectAppendix.html); documents begin with a character.
 */
const FIRST_OF_TEXT = 0x08;

/** Passes on the answer of SelectObjectContent, a stream of events under 200. In its place stores send a document that tells an error. */
export class SelectAnswer implements PassedReceiver {
  readonly #events: PassedReceiver;
  readonly #document: PassedReceiver;
  #head: StoreReplyHead | undefined;
  #chosen: PassedReceiver | undefined;

  /** @param document gets refusals as well, and what has another status */
  constructor(events: PassedReceiver, document: PassedReceiver) {
    this.#events = events;
    this.#document = document;
  }

  answered(head: StoreReplyHead): void {
    this.#head = head;
    if (head.status !== 200) this.#choose(this.#document);
  }

  arrived(chunk: Buffer): void {
    const isText = (chunk[0] ?? 0) >= FIRST_OF_TEXT;
    this.#choose(isText ? this.#document : this.#events).arrived(chunk);
  }

  ended(): void {
    this.#choose(this.#events).ended();
  }

  failed(error: unknown): void {
    this.#events.failed(error);
  }

  /** Once; what is chosen first stays so. */
  #choose(receiver: PassedReceiver): PassedReceiver {
    if (this.#chosen) return this.#chosen;
    this.#chosen = receiver;
    if (this.#head) receiver.answered(this.#head);
    return receiver;
  }
}
