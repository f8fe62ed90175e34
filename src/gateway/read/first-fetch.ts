import { CollectedReply } from '../../backend/collected-reply.ts';
import {
  httpField,
  type StoreCall,
  type StoreError,
  type StoreReceiver,
  type StoreReplyHead,
  type WholeReply,
} from '../../backend/store.ts';
import { parseContentLength } from '../../http/content-length.ts';
import { type ContentRange, isInexactRange, parseContentRange } from '../../http/range.ts';
import { InvalidReplyError } from '../fill/fill-error.ts';
import { RangedRead, type RangeReceiver } from '../fill/ranged-read.ts';
import type { FirstExtent } from './first-extent.ts';
import { isOfEmptyObject, strongTagOf, wholeSizeBytes } from './reply-content.ts';

/** The bytes that an answer is going to bring, of a content of `sizeBytes`. */
export interface ArrivingBytes {
  readonly entityTag: string;
  readonly sizeBytes: number;
  readonly from: number;
  readonly to: number;
}

/** Where the answer to a first question goes. */
export interface FirstFetchOutcome {
  /** The object is readable; what is returned takes its bytes. Undefined: they are not wanted, the transfer is given up. */
  readable(head: StoreReplyHead, arriving: ArrivingBytes): RangeReceiver | undefined;
  /** The object is readable, and not to be kept, see `UncacheableRecord`: the transfer is given up. */
  unkeepable(head: StoreReplyHead): void;
  /** Anything else that the store said, with its body. */
  refused(reply: WholeReply): void;
  failed(error: Error): void;
}

/** Takes the answer to the first GET for an object of which nothing is known: record and bytes in one request. */
export class FirstFetch implements StoreReceiver {
  readonly #asked: FirstExtent | undefined;
  readonly #outcome: FirstFetchOutcome;
  readonly #maxSizeBytes: number;
  #call: StoreCall | undefined;
  #bytes: RangedRead | undefined;
  #refusal: CollectedReply | undefined;

  /**
   * @param asked the range that was asked for; undefined when the whole object was.
   * @param maxSizeBytes of objects that are kept.
   */
  constructor(asked: FirstExtent | undefined, maxSizeBytes: number, outcome: FirstFetchOutcome) {
    this.#asked = asked;
    this.#maxSizeBytes = maxSizeBytes;
    this.#outcome = outcome;
  }

  /** The call that this takes the answer of. */
  sent(call: StoreCall): void {
    this.#call = call;
  }

  answered(head: StoreReplyHead): void {
    if (head.status !== 200 && head.status !== 206) {
      this.#refusal = new CollectedReply(head);
      return;
    }
    const arriving = arrivingBytes(head, this.#asked, this.#maxSizeBytes);
    if (arriving instanceof Error) this.#giveUp(() => this.#outcome.failed(arriving));
    else if (arriving === 'unkeepable') this.#giveUp(() => this.#outcome.unkeepable(head));
    else this.#take(head, arriving);
  }

  arrived(chunk: Buffer): void {
    this.#bytes?.arrived(chunk);
    this.#refusal?.arrived(chunk);
  }

  ended(): void {
    this.#bytes?.ended();
    if (this.#refusal) this.#outcome.refused(this.#refusal.whole());
  }

  failed(error: StoreError): void {
    if (this.#bytes) this.#bytes.failed(error);
    else this.#outcome.failed(error);
  }

  #take(head: StoreReplyHead, arriving: ArrivingBytes): void {
    const receiver = this.#outcome.readable(head, arriving);
    if (!receiver) {
      if (arriving.sizeBytes > 0) this.#call?.abort();
      return;
    }
    const identity = {
      objectKey: '',
      versionId: undefined,
      entityTag: arriving.entityTag,
      sizeBytes: arriving.sizeBytes,
    };
    this.#bytes = new RangedRead(identity, arriving.from, arriving.to, receiver);
    this.#bytes.answered(head);
  }

  #giveUp(tell: () => void): void {
    this.#call?.abort();
    tell();
  }
}

/**
 * Which bytes a 200 or 206 brings; an error when it cannot be the answer to what was asked. What names no strong entity
 * tag, or not how long the whole is, cannot be kept; what is longer than `maxSizeBytes` is not.
 */
function arrivingBytes(
  head: StoreReplyHead,
  asked: FirstExtent | undefined,
  maxSizeBytes: number,
): ArrivingBytes | 'unkeepable' | InvalidReplyError {
  const stated = httpField(head, 'content-range');
  if (head.status === 206 && isInexactRange(stated)) return 'unkeepable';
  const entityTag = strongTagOf(head);
  if (entityTag !== undefined && mayFindNothing(asked) && isOfEmptyObject(head))
    return { entityTag, sizeBytes: 0, from: 0, to: 0 };
  const range = parseContentRange(stated);
  if (head.status === 206 && !(range && fits(range, asked)))
    return new InvalidReplyError(`content-range ${stated}`);
  const sizeBytes = wholeSizeBytes(head);
  if (entityTag === undefined || sizeBytes === undefined || sizeBytes > maxSizeBytes) return 'unkeepable';
  if (head.status === 200 || !range) return { entityTag, sizeBytes, from: 0, to: sizeBytes };
  const length = httpField(head, 'content-length');
  if (length !== undefined && parseContentLength(length) !== range.last - range.first + 1)
    return new InvalidReplyError('content-length differs from content-range');
  return { entityTag, sizeBytes, from: range.first, to: range.last + 1 };
}

/** Only the last bytes and the first part are there of an empty object too (behaviours.md 24, 25, 47). */
function mayFindNothing(asked: FirstExtent | undefined): boolean {
  return asked?.kind === 'suffix' || (asked?.kind === 'part' && asked.partNumber === 1);
}

/** A range whose sender does not know the end of the object is taken for the one that was asked. */
function fits({ first, last, total }: ContentRange, asked: FirstExtent | undefined): boolean {
  if (!asked) return false;
  if (asked.kind === 'part' || total === undefined) return true;
  if (asked.kind === 'suffix') return last === total - 1 && first === Math.max(0, total - asked.lengthBytes);
  return first === asked.from && last === Math.min(asked.to, total) - 1;
}
