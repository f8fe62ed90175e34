import { CollectedReply } from '../../backend/collected-reply.ts';
import type { StoreCall, StoreReceiver, StoreReplyHead } from '../../backend/store.ts';
import { httpField, StoreError } from '../../backend/store.ts';
import type { GenerationIdentity } from '../../cache/generation.ts';
import { parseContentLength } from '../../http/content-length.ts';
import { parseContentRange } from '../../http/range.ts';
import { InvalidReplyError, ObjectChangedError, refusedBy } from './fill-error.ts';

/** Takes the bytes of a range, in order; exactly one of `done` and `failed` comes last. */
export interface RangeReceiver {
  bytes(chunk: Buffer): void;
  done(): void;
  failed(error: Error): void;
  /**
   * The store ignores the range and sends all of the content, from zero. Who is returned takes all of it in place of this
   * receiver; for undefined, what is before and behind the range is dropped.
   */
  whole(): RangeReceiver | undefined;
}

/** Where the bytes of a content come from. */
export interface RangeSource {
  /** The backend's name. */
  readonly backend: string;
  /** Sends a ranged GET for `[from, to)`, pinned to the content. */
  send(from: number, to: number, receiver: StoreReceiver): StoreCall;
}

/**
 * Checks what a store sends for `[from, to)` of a known content, and hands on only bytes that belong there.
 *
 * A 206 must name the range, the length, the total and the entity tag that were asked for (RFC 9110 §14.4, §15.3.7);
 * a 200 to a ranged request is the whole content and is consumed from zero.
 */
export class RangedRead implements StoreReceiver {
  readonly #identity: GenerationIdentity;
  readonly #from: number;
  readonly #to: number;
  #receiver: RangeReceiver;
  #skipBytes = 0;
  #leftBytes: number;
  #refusal: CollectedReply | undefined;
  #wrong: Error | undefined;

  constructor(identity: GenerationIdentity, from: number, to: number, receiver: RangeReceiver) {
    this.#identity = identity;
    this.#from = from;
    this.#to = to;
    this.#receiver = receiver;
    this.#leftBytes = to - from;
  }

  answered(head: StoreReplyHead): void {
    if (head.status !== 200 && head.status !== 206) {
      this.#refusal = new CollectedReply(head);
      return;
    }
    this.#wrong = this.#judge(head);
    const coversAll = this.#from === 0 && this.#to === this.#identity.sizeBytes;
    if (head.status === 200 && !this.#wrong && !coversAll) this.#takeWhole();
  }

  arrived(chunk: Buffer): void {
    if (this.#refusal) this.#refusal.arrived(chunk);
    else if (!this.#wrong) this.#handOn(chunk);
  }

  ended(): void {
    const failure = this.#wrong ?? this.#refused();
    if (failure) this.#receiver.failed(failure);
    else if (this.#leftBytes > 0) this.failed(new StoreError('BROKEN', 'the body ended early', undefined));
    else this.#receiver.done();
  }

  failed(error: StoreError): void {
    this.#receiver.failed(this.#wrong ?? error);
  }

  #takeWhole(): void {
    const receiver = this.#receiver.whole();
    if (!receiver) {
      this.#skipBytes = this.#from;
      return;
    }
    this.#receiver = receiver;
    this.#leftBytes = this.#identity.sizeBytes;
  }

  #handOn(chunk: Buffer): void {
    const skipped = Math.min(this.#skipBytes, chunk.length);
    this.#skipBytes -= skipped;
    const wanted = chunk.subarray(skipped, skipped + this.#leftBytes);
    this.#leftBytes -= wanted.length;
    if (wanted.length > 0) this.#receiver.bytes(wanted);
  }

  #judge(head: StoreReplyHead): Error | undefined {
    const tag = httpField(head, 'etag');
    if (this.#identity.entityTag !== undefined && tag !== this.#identity.entityTag) {
      return new ObjectChangedError(`entity tag ${tag} instead of ${this.#identity.entityTag}`);
    }
    return head.status === 206 ? this.#judgePartial(head) : this.#judgeWhole(head);
  }

  #judgePartial(head: StoreReplyHead): Error | undefined {
    const range = parseContentRange(httpField(head, 'content-range'));
    if (range?.first !== this.#from || range.last !== this.#to - 1) {
      return new InvalidReplyError(
        `content-range ${httpField(head, 'content-range')} for bytes ${this.#from}-${this.#to - 1}`,
      );
    }
    if (range.total !== this.#identity.sizeBytes) {
      return new ObjectChangedError(`${range.total} bytes instead of ${this.#identity.sizeBytes}`);
    }
    return this.#judgeLength(
      head,
      this.#to - this.#from,
      new InvalidReplyError('content-length differs from content-range'),
    );
  }

  #judgeWhole(head: StoreReplyHead): Error | undefined {
    return this.#judgeLength(head, this.#identity.sizeBytes, new ObjectChangedError('another length'));
  }

  #judgeLength(head: StoreReplyHead, expected: number, error: Error): Error | undefined {
    const stated = httpField(head, 'content-length');
    return stated === undefined || parseContentLength(stated) === expected ? undefined : error;
  }

  #refused(): Error | undefined {
    if (!this.#refusal) return undefined;
    if (this.#refusal.head.status === 412) return new ObjectChangedError('precondition failed');
    return refusedBy(this.#refusal.whole());
  }
}
