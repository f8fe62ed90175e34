import {
  ERROR_BODY_LIMIT_BYTES,
  type Store,
  type StoreReplyHead,
  type StoreRequest,
  type WholeReply,
} from './store.ts';

/** Initial memory; it doubles as needed, so many small pieces of a body cost no more than its bytes. */
const FIRST_BYTES = 4 * 1024;

/** How much of a body is collected. */
interface CollectLimits {
  /** Where it is truncated. */
  readonly limitBytes: number;
  /** Called before the memory for it grows to `sizeBytes`. */
  readonly grew?: (sizeBytes: number) => void;
}

const errorLimits: CollectLimits = { limitBytes: ERROR_BODY_LIMIT_BYTES };

/** An answer whose body is collected as it arrives, up to a limit. */
export class CollectedReply {
  readonly head: StoreReplyHead;
  readonly #limitBytes: number;
  readonly #grew: ((sizeBytes: number) => void) | undefined;
  #memory = Buffer.alloc(0);
  #lengthBytes = 0;

  /** By default, the body is truncated at the limit for error bodies. */
  constructor(head: StoreReplyHead, { limitBytes, grew }: CollectLimits = errorLimits) {
    this.head = head;
    this.#limitBytes = head.status >= 300 ? Math.min(limitBytes, ERROR_BODY_LIMIT_BYTES) : limitBytes;
    this.#grew = grew;
  }

  /** Whether the limit is reached. */
  get isFull(): boolean {
    return this.#lengthBytes >= this.#limitBytes;
  }

  /** Copies the chunk: its memory is reused after the call. */
  arrived(chunk: Buffer): void {
    const taken = chunk.subarray(0, this.#limitBytes - this.#lengthBytes);
    this.#makeRoom(this.#lengthBytes + taken.length);
    this.#memory.set(taken, this.#lengthBytes);
    this.#lengthBytes += taken.length;
  }

  /** The answer with the body received so far. */
  whole(): WholeReply {
    // refusals are kept, and the cache counts their length: they get a copy of this size
    if (this.#lengthBytes > ERROR_BODY_LIMIT_BYTES)
      return { ...this.head, body: this.#memory.subarray(0, this.#lengthBytes) };
    const body = Buffer.allocUnsafeSlow(this.#lengthBytes);
    this.#memory.copy(body, 0, 0, this.#lengthBytes);
    return { ...this.head, body };
  }

  #makeRoom(lengthBytes: number): void {
    if (lengthBytes <= this.#memory.length) return;
    const doubled = Math.min(this.#limitBytes, Math.max(FIRST_BYTES, 2 * this.#memory.length));
    const sizeBytes = Math.max(doubled, lengthBytes);
    this.#grew?.(sizeBytes);
    const memory = Buffer.allocUnsafeSlow(sizeBytes);
    this.#memory.copy(memory, 0, 0, this.#lengthBytes);
    this.#memory = memory;
  }
}

/**
 * Sends `request` and collects the answer. A body longer than the limit is truncated and the rest is not read.
 *
 * @param signal aborts the request; the promise is then rejected with its reason
 */
export function sendAndCollect(
  store: Pick<Store, 'send'>,
  request: StoreRequest,
  limits: CollectLimits,
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
    let reply = new CollectedReply({ status: 0, fields: [] }, limits);
    const finish = () => {
      settle();
      resolve(reply.whole());
    };
    const call = store.send(request, {
      answered: head => {
        reply = new CollectedReply(head, limits);
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
