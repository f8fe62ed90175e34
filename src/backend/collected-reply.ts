import type { StoreReplyHead, WholeReply } from './store.ts';

/** Error bodies are short; what is longer is cut. */
const BODY_LIMIT_BYTES = 64 * 1024;

/** An answer with which a store refuses what it was asked, as its body arrives. */
export class CollectedReply {
  readonly head: StoreReplyHead;
  readonly #chunks: Buffer[] = [];
  #lengthBytes = 0;

  constructor(head: StoreReplyHead) {
    this.head = head;
  }

  arrived(chunk: Buffer): void {
    if (this.#lengthBytes >= BODY_LIMIT_BYTES) return;
    this.#chunks.push(Buffer.from(chunk));
    this.#lengthBytes += chunk.length;
  }

  /** The answer with as much of its body as has arrived. */
  whole(): WholeReply {
    return { ...this.head, body: Buffer.concat(this.#chunks).subarray(0, BODY_LIMIT_BYTES) };
  }
}
