import { CollectedReply } from '../../backend/collected-reply.ts';
import type {
  StoreCall,
  StoreError,
  StoreReceiver,
  StoreReplyHead,
  WholeReply,
} from '../../backend/store.ts';
import type { ContentRange } from '../../http/range.ts';
import {
  type ContentHead,
  hasInexactRange,
  isOfEmptyObject,
  keptContent,
  readContentHead,
} from '../fill/content-head.ts';
import { InvalidReplyError } from '../fill/fill-error.ts';
import { ExpectedBytes, hasOtherLength, type RangeReceiver } from '../fill/ranged-read.ts';
import type { FirstExtent } from './first-extent.ts';

/** The bytes that an answer is going to bring, of a content of `sizeBytes`. */
export interface ArrivingBytes {
  readonly entityTag: string;
  readonly sizeBytes: number;
  readonly from: number;
  readonly to: number;
}

/** What a store said to a first GET. */
export type FirstAnswer<Learned> =
  | { readonly kind: 'readable'; readonly learned: Learned }
  /** Readable, but not to be kept, see `UncacheableRecord`: the transfer is given up. */
  | { readonly kind: 'unkeepable'; readonly head: StoreReplyHead }
  /** Anything else that the store said, with its body. */
  | { readonly kind: 'refused'; readonly reply: WholeReply };

/** What a readable answer taught, and who takes its bytes: without a receiver the transfer is given up. */
export interface TakenAnswer<Learned> {
  readonly learned: Learned;
  readonly receiver: RangeReceiver | undefined;
}

/** Where the answer to a first question goes. */
export interface FirstFetchOutcome<Learned> {
  /** The object is readable. Called before any of its bytes. */
  take(head: ContentHead, arriving: ArrivingBytes): TakenAnswer<Learned>;
  answered(answer: FirstAnswer<Learned>): void;
  failed(error: Error): void;
}

/** Takes the answer to the first GET for an object of which nothing is known: record and bytes in one request. */
export class FirstFetch<Learned> implements StoreReceiver {
  readonly #asked: FirstExtent | undefined;
  readonly #outcome: FirstFetchOutcome<Learned>;
  readonly #maxSizeBytes: number;
  #call: StoreCall | undefined;
  #bytes: ExpectedBytes | undefined;
  #refusal: CollectedReply | undefined;

  /**
   * @param asked the range that was asked for; undefined when the whole object was.
   * @param maxSizeBytes of objects that are kept.
   */
  constructor(asked: FirstExtent | undefined, maxSizeBytes: number, outcome: FirstFetchOutcome<Learned>) {
    this.#asked = asked;
    this.#maxSizeBytes = maxSizeBytes;
    this.#outcome = outcome;
  }

  /** The call that this takes the answer of. */
  sent(call: StoreCall): void {
    this.#call = call;
  }

  answered(reply: StoreReplyHead): void {
    if (reply.status !== 200 && reply.status !== 206) {
      this.#refusal = new CollectedReply(reply);
      return;
    }
    const head = readContentHead(reply);
    const arriving = arrivingBytes(head, this.#asked, this.#maxSizeBytes);
    if (typeof arriving === 'object' && !(arriving instanceof Error)) {
      this.#take(head, arriving);
      return;
    }
    this.#call?.abort();
    if (arriving === 'unkeepable') this.#outcome.answered({ kind: 'unkeepable', head });
    else this.#outcome.failed(arriving);
  }

  arrived(chunk: Buffer): void {
    this.#bytes?.arrived(chunk);
    this.#refusal?.arrived(chunk);
  }

  ended(): void {
    this.#bytes?.ended();
    if (this.#refusal) this.#outcome.answered({ kind: 'refused', reply: this.#refusal.whole() });
  }

  failed(error: StoreError): void {
    if (this.#bytes) this.#bytes.failed(error);
    else this.#outcome.failed(error);
  }

  #take(head: ContentHead, arriving: ArrivingBytes): void {
    const { learned, receiver } = this.#outcome.take(head, arriving);
    this.#outcome.answered({ kind: 'readable', learned });
    if (receiver) this.#bytes = new ExpectedBytes(receiver, 0, arriving.to - arriving.from);
    else if (arriving.sizeBytes > 0) this.#call?.abort();
  }
}

/**
 * Which bytes a 200 or 206 brings; an error when it cannot be the answer to what was asked; 'unkeepable' for an answer
 * that is not kept, see `keptContent`.
 */
function arrivingBytes(
  head: ContentHead,
  asked: FirstExtent | undefined,
  maxSizeBytes: number,
): ArrivingBytes | 'unkeepable' | InvalidReplyError {
  if (hasInexactRange(head)) return 'unkeepable';
  if (mayFindNothing(asked) && isOfEmptyObject(head)) {
    const empty = keptContent({ ...head, sizeBytes: 0 }, maxSizeBytes);
    if (empty) return { ...empty, from: 0, to: 0 };
  }
  const { status, range } = head;
  if (status === 206 && !(range && fits(range, asked)))
    return new InvalidReplyError(`content-range ${head.rangeText}`);
  const kept = keptContent(head, maxSizeBytes);
  if (!kept) return 'unkeepable';
  if (!range) return { ...kept, from: 0, to: kept.sizeBytes };
  if (hasOtherLength(head, range.last - range.first + 1))
    return new InvalidReplyError('content-length differs from content-range');
  return { ...kept, from: range.first, to: range.last + 1 };
}

/** Only the last bytes and the first part are there of an empty object too (docs/semantics.md 24, 25, 47). */
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
