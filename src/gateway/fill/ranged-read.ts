import { CollectedReply } from '../../backend/collected-reply.ts';
import type { StoreCall, StoreReceiver, StoreReplyHead } from '../../backend/store.ts';
import { StoreError } from '../../backend/store.ts';
import type { GenerationIdentity } from '../../cache/generation-identity.ts';
import { isOfMoment } from '../../http/whose-error.ts';
import { type ContentHead, faultOfLength, isPartAsWhole, readContentHead } from './content-head.ts';
import { InvalidReplyError, isRefusal, ObjectChangedError, refusedBy } from './fill-error.ts';

/** Receives the bytes of a range, in order; exactly one of `done` and `failed` comes last. */
export interface RangeReceiver {
  bytes(chunk: Buffer): void;
  done(): void;
  failed(error: Error): void;
  /** More bytes follow the range: the call is to be aborted, as they need not end. */
  excess(): void;
  /**
   * The store ignores the range and sends the whole content. The returned receiver gets all of it instead of this one;
   * if undefined, bytes outside the range are dropped.
   */
  whole(): RangeReceiver | undefined;
}

/** A source of a content's bytes. */
export interface RangeSource {
  /** The backend's name. */
  readonly backend: string;
  /** Whether it asks for a version by its id: what is refused then is that version, which a reader may not have asked for. */
  readonly isByVersion?: boolean;
  /** See `Store.mayRetry`. */
  mayRetry(): boolean;
  /** Sends a ranged GET for `[from, to)` with If-Match on the content's entity tag. */
  send(from: number, to: number, receiver: StoreReceiver): StoreCall;
}

/** Passes on the expected bytes of a body: drops the first `skipBytes`, passes on `lengthBytes`, and drops the rest. */
export class ExpectedBytes {
  readonly #receiver: Omit<RangeReceiver, 'whole'>;
  #skipBytes: number;
  #leftBytes: number;

  constructor(receiver: Omit<RangeReceiver, 'whole'>, skipBytes: number, lengthBytes: number) {
    this.#receiver = receiver;
    this.#skipBytes = skipBytes;
    this.#leftBytes = lengthBytes;
  }

  /** Whether all expected bytes have been passed on. */
  get isComplete(): boolean {
    return this.#leftBytes === 0;
  }

  arrived(chunk: Buffer): void {
    const skipped = Math.min(this.#skipBytes, chunk.length);
    this.#skipBytes -= skipped;
    const wanted = chunk.subarray(skipped, skipped + this.#leftBytes);
    this.#leftBytes -= wanted.length;
    if (wanted.length > 0) this.#receiver.bytes(wanted);
    if (skipped + wanted.length < chunk.length) this.#receiver.excess();
  }

  ended(): void {
    if (this.#leftBytes > 0) this.failed(new StoreError('BROKEN', 'the body ended early', undefined));
    else this.#receiver.done();
  }

  failed(error: Error): void {
    this.#receiver.failed(error);
  }
}

/**
 * Validates the store's answer to a request for `[from, to)` of a known content, and passes on only bytes of that
 * range.
 *
 * A 206 must have the requested range, length, total and entity tag (RFC 9110 §14.4, §15.3.7). A 200 to a ranged
 * request is the whole content and is read from byte zero.
 */
export class RangedRead implements StoreReceiver {
  readonly #identity: GenerationIdentity;
  readonly #from: number;
  readonly #to: number;
  readonly #receiver: RangeReceiver;
  readonly #isOfOthers: () => boolean;
  #bytes: ExpectedBytes | undefined;
  #refusal: CollectedReply | undefined;
  #isInvalid = false;

  /** @param isOfOthers whether a refusal may be of something else than what a reader has asked for */
  constructor(
    identity: GenerationIdentity,
    from: number,
    to: number,
    receiver: RangeReceiver,
    isOfOthers = () => false,
  ) {
    this.#isOfOthers = isOfOthers;
    this.#identity = identity;
    this.#from = from;
    this.#to = to;
    this.#receiver = receiver;
  }

  answered(head: StoreReplyHead): void {
    if (isRefusal(head.status)) {
      this.#refusal = new CollectedReply(head);
      return;
    }
    const invalid = this.#validate(readContentHead(head));
    if (invalid) this.#invalid(invalid);
    else this.#bytes = head.status === 206 ? this.#partial() : this.#whole();
  }

  arrived(chunk: Buffer): void {
    this.#refusal?.arrived(chunk);
    this.#bytes?.arrived(chunk);
  }

  ended(): void {
    if (this.#bytes) this.#bytes.ended();
    else if (!this.#isInvalid) this.#receiver.failed(this.#refused());
  }

  failed(error: StoreError): void {
    if (this.#bytes) this.#bytes.failed(error);
    else if (!this.#isInvalid) this.#receiver.failed(error);
  }

  /** Fails without waiting for the body, which may be long and need not end; the receiver aborts the call. */
  #invalid(error: Error): void {
    this.#isInvalid = true;
    this.#receiver.failed(error);
  }

  #partial(): ExpectedBytes {
    return new ExpectedBytes(this.#receiver, 0, this.#to - this.#from);
  }

  #whole(): ExpectedBytes {
    const { sizeBytes } = this.#identity;
    if (this.#from === 0 && this.#to === sizeBytes) return this.#partial();
    const receiver = this.#receiver.whole();
    if (receiver) return new ExpectedBytes(receiver, 0, sizeBytes);
    return new ExpectedBytes(this.#receiver, this.#from, this.#to - this.#from);
  }

  #validate(head: ContentHead): Error | undefined {
    if (head.status !== 200 && head.status !== 206) return new InvalidReplyError(`status ${head.status}`);
    const { entityTag, sizeBytes, contentEncoding } = this.#identity;
    if (entityTag !== undefined && head.entityTag !== entityTag)
      return new ObjectChangedError(`entity tag ${head.entityTag} instead of ${entityTag}`);
    if (head.contentEncoding !== contentEncoding)
      return new ObjectChangedError(`content-encoding ${head.contentEncoding} instead of ${contentEncoding}`);
    if (head.status === 206) return this.#validatePartial(head);
    if (isPartAsWhole(head)) return new InvalidReplyError('200 with bytes alone');
    return hasOtherLength(head, sizeBytes) ? new ObjectChangedError('another length') : undefined;
  }

  #validatePartial(head: ContentHead): Error | undefined {
    const { range } = head;
    // checked first: if the object has become shorter, the store sends a shorter range as well
    if (range && range.total !== this.#identity.sizeBytes)
      return new ObjectChangedError(`${range.total} bytes instead of ${this.#identity.sizeBytes}`);
    if (range?.first !== this.#from || range.last !== this.#to - 1)
      return new InvalidReplyError(`content-range ${head.rangeText} for bytes ${this.#from}-${this.#to - 1}`);
    const fault = faultOfLength(head);
    return fault === undefined ? undefined : new InvalidReplyError(fault);
  }

  #refused(): Error {
    if (!this.#refusal) return new StoreError('BROKEN', 'the answer ended without a head', undefined);
    const { status } = this.#refusal.head;
    if (status === 412) return new ObjectChangedError('precondition failed');
    // the range was within the object, so the object has become shorter
    if (status === 416) return new ObjectChangedError('there are no such bytes');
    // each reader asks anew for what it wants itself, the version or the current object
    if (!isOfMoment(status) && isRefusal(status) && this.#isOfOthers())
      return new ObjectChangedError('what was asked for is refused');
    return refusedBy(this.#refusal.whole());
  }
}

/** Whether the answer has a Content-Length other than `lengthBytes`. */
export function hasOtherLength(head: ContentHead, lengthBytes: number): boolean {
  return head.lengthBytes !== undefined && head.lengthBytes !== lengthBytes;
}
