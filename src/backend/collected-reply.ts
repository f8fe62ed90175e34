import type { Store, StoreReplyHead, StoreRequest, WholeReply } from './store.ts';

/** Error bodies are short; what is longer is cut. */
const ERROR_BODY_LIMIT_BYTES = 64 * 1024;

/** An answer whose body is kept as it arrives, up to a limit. */
export class CollectedReply {
  readonly head: StoreReplyHead;
  readonly #limitBytes: number;
  readonly #chunks: Buffer[] = [];
  #lengthBytes = 0;

  /** @param limitBytes what is longer is cut; without it, as long as an error's body may be. */
  constructor(head: StoreReplyHead, limitBytes = ERROR_BODY_LIMIT_BYTES) {
    this.head = head;
    this.#limitBytes = limitBytes;
  }

  /** Whether nothing more is kept. */
  get isFull(): boolean {
    return this.#lengthBytes >= this.#limitBytes;
  }

  /** Keeps a copy: the memory of `chunk` is used again. */
  arrived(chunk: Buffer): void {
    if (this.isFull) return;
    this.#chunks.push(Buffer.from(chunk));
    this.#lengthBytes += chunk.length;
  }

  /** The answer with as much of its body as has arrived. */
  whole(): WholeReply {
    return { ...this.head, body: Buffer.concat(this.#chunks).subarray(0, this.#limitBytes) };
  }
}

/**
 * Collects an answer; a body longer than `limitBytes` is cut there and the rest not read.
 *
 * @param signal gives the request up; the promise is then rejected with its reason.
 */
export function sendAndCollect(
  store: Store,
  request: StoreRequest,
  limitBytes: number,
  signal?: AbortSignal,
): Promise<WholeReply> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    const giveUp = () => {
      call.abort();
      reject(signal?.reason);
    };
    const settle = () => signal?.removeEventListener('abort', giveUp);
    let reply = new CollectedReply({ status: 0, fields: [] }, limitBytes);
    const finish = () => {
      settle();
      resolve(reply.whole());
    };
    const call = store.send(request, {
      answered: head => {
        reply = new CollectedReply(head, limitBytes);
      },
      arrived: chunk => {
        reply.arrived(chunk);
        if (!reply.isFull) return;
        call.abort();
        finish();
      },
      ended: finish,
      failed: error => {
        settle();
        reject(error);
      },
    });
    signal?.addEventListener('abort', giveUp);
  });
}
