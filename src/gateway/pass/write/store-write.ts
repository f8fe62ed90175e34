import type {
  Store,
  StoreCall,
  StoreError,
  StoreErrorCode,
  StoreReceiver,
  StoreReplyHead,
  StoreRequest,
} from '../../../backend/store.ts';
import type { OpenWrite } from '../../../cache/open-writes.ts';
import type { PassedReceiver } from '../pass-through.ts';

/** The body of a write. */
interface SentBody {
  /** Whether all of it, verified, was given to the store. */
  readonly isSent: boolean;
  /** Takes no more of the client. The stream stays open: destroying it would break off the answer to it. */
  leave(): void;
  /** The same, and gives nothing more to the store. */
  stop(): void;
}

/** On whose behalf a write is sent. */
interface Writer {
  /** A write is sent to a store; what this returns is called when it is over. */
  beginWrite(): () => void;
}

interface WriteParts {
  readonly store: Store;
  readonly request: StoreRequest;
  /** That of `request`, if it comes from a client as it is sent. */
  readonly body?: SentBody | undefined;
  readonly open: OpenWrite;
  readonly receiver: PassedReceiver;
  /**
   * How long the document in the answer is at most that says what has become of the write: until it has come, the store may be at work. 0
   * where the head says all.
   */
  readonly resultLimitBytes: number;
}

/**
 * Failures of writes that cannot have reached the store: there was no connection, or the write was not sent because the
 * queue was full, credentials were missing or the breaker was open.
 */
const unsent: ReadonlySet<StoreErrorCode> = new Set(['UNREACHABLE', 'BUSY', 'UNSIGNED', 'CIRCUIT_OPEN']);

/** Failures of an answer whose rest does not come. */
const unfinished: ReadonlySet<StoreErrorCode> = new Set(['BROKEN', 'TIMEOUT']);

/**
 * A write at the store, between the call and whoever gets its answer. The cache learns of the write before the client
 * does (docs/architecture.md, law 5), and a body that is refused ends the call. Its writer counts among those that wait
 * for stores until it is over: else a client could have any number of writes carried out by leaving each at its end.
 */
export class StoreWrite implements StoreCall, StoreReceiver {
  readonly #open: OpenWrite;
  readonly #body: SentBody | undefined;
  /** The writer waits for it no more. */
  #leave: (() => void) | undefined;
  /** Undefined when nobody waits for the answer any more. */
  #receiver: PassedReceiver | undefined;
  #call: StoreCall | undefined;
  #isRefused = false;
  #resultLimitBytes: number;
  /** Whether the head of the answer has come, which may be all of it. */
  #hasBegun = false;
  #unheardBytes = 0;

  private constructor(writer: Writer, { open, body, receiver, resultLimitBytes }: WriteParts) {
    this.#open = open;
    this.#body = body;
    this.#receiver = receiver;
    this.#resultLimitBytes = resultLimitBytes;
    this.#leave = writer.beginWrite();
  }

  static send(writer: Writer, parts: WriteParts): StoreWrite {
    const write = new StoreWrite(writer, parts);
    write.#call = parts.store.send(parts.request, write);
    return write;
  }

  pause(): void {
    this.#call?.pause();
  }

  resume(): void {
    this.#call?.resume();
  }

  took(lengthBytes: number): void {
    this.#call?.took(lengthBytes);
  }

  /**
   * The client has left. A store that has the whole request may still carry it out: then its answer is awaited, since
   * what is read until then may change. Else the request is cut off before its end, and an answer that was for this
   * client alone (SelectObjectContent) in the middle, as is any rest that says nothing of the write.
   */
  abort(): void {
    this.#receiver = undefined;
    const isKnown = this.#hasBegun && this.#resultLimitBytes === 0;
    if (!this.#isWhole || this.#open.changesNothing || isKnown) this.cut();
    // it may have been paused for the client
    else this.#call?.resume();
  }

  /** The body is not what the client declared, or the answer is none that can be passed on. */
  refuse(error: unknown): void {
    const receiver = this.#receiver;
    this.undecided();
    this.cut();
    receiver?.failed(error);
  }

  /** What was answered does not say what became of the write. */
  undecided(): void {
    if (this.#isWhole) this.#open.unsettled();
  }

  /** What becomes of the write is known: nobody wants the rest of its answer. */
  cut(): void {
    this.#receiver = undefined;
    this.#call?.abort();
    this.#finish();
  }

  answered(head: StoreReplyHead): void {
    this.#open[outcomeOf(head, this.#isWhole)]();
    this.#isRefused = head.status >= 300;
    if (this.#isRefused) this.#resultLimitBytes = 0;
    this.#hasBegun = true;
    this.#body?.leave();
    this.#receiver?.answered(head);
  }

  arrived(chunk: Buffer): void {
    if (this.#receiver) this.#receiver.arrived(chunk);
    else this.#unheard(chunk.length);
  }

  /** Nobody waits for the answer any more: what could go on for ever is cut off, unless it is a result that is still to come. */
  #unheard(lengthBytes: number): void {
    this.#unheardBytes += lengthBytes;
    if (this.#resultLimitBytes > 0 && this.#unheardBytes <= this.#resultLimitBytes) return;
    this.#leaveUnread();
    this.cut();
  }

  /** The document may tell an error, and nobody has read it. */
  #leaveUnread(): void {
    if (this.#resultLimitBytes > 0) this.undecided();
  }

  ended(): void {
    if (!this.#receiver) this.#leaveUnread();
    this.#finish();
    this.#receiver?.ended();
  }

  failed(error: StoreError): void {
    if (this.#isWhole && !unsent.has(error.code)) this.#open.unsettled();
    this.#finish();
    // a refusal is known from its head; a store that does not want the rest of a body closes the connection
    if (this.#isRefused && unfinished.has(error.code)) this.#receiver?.ended();
    else this.#receiver?.failed(error);
  }

  /** Whether the store may have the whole request: only then it can carry it out. */
  get #isWhole(): boolean {
    return this.#body?.isSent !== false;
  }

  #finish(): void {
    this.#body?.stop();
    this.#open.over();
    this.#leave?.();
    this.#leave = undefined;
  }
}

/**
 * What the head of an answer says of a write. After a 5xx it may be carried out nevertheless: by a proxy that has lost the
 * store's own answer.
 */
function outcomeOf({ status }: StoreReplyHead, isWhole: boolean): 'answered' | 'refused' | 'unsettled' {
  // 501 says that the store has no such operation
  if (isWhole && status >= 500 && status !== 501) return 'unsettled';
  return status >= 400 && status < 500 ? 'refused' : 'answered';
}
