import { Refusal } from '../../backend/refusal.ts';
import {
  httpField,
  type StoreCall,
  type StoreError,
  type StoreReceiver,
  type StoreReplyHead,
  type WholeReply,
} from '../../backend/store.ts';
import { parseContentRange } from '../../http/range.ts';
import { WrongAnswerError } from '../fill/fill-error.ts';
import { RangedRead, type RangeReceiver } from '../fill/ranged-read.ts';
import type { FirstExtent } from './first-extent.ts';

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
  /** Anything else that the store said, with its body. */
  refused(reply: WholeReply): void;
  failed(error: Error): void;
}

/** Takes the answer to the first GET for an object of which nothing is known: record and bytes in one request. */
export class FirstFetch implements StoreReceiver {
  readonly #asked: FirstExtent | undefined;
  readonly #outcome: FirstFetchOutcome;
  #call: StoreCall | undefined;
  #bytes: RangedRead | undefined;
  #refusal: Refusal | undefined;

  /** @param asked the range that was asked for; undefined when the whole object was. */
  constructor(asked: FirstExtent | undefined, outcome: FirstFetchOutcome) {
    this.#asked = asked;
    this.#outcome = outcome;
  }

  /** The call that this takes the answer of. */
  sent(call: StoreCall): void {
    this.#call = call;
  }

  answered(head: StoreReplyHead): void {
    if (head.status !== 200 && head.status !== 206) {
      this.#refusal = new Refusal(head);
      return;
    }
    const arriving = arrivingBytes(head, this.#asked);
    if (arriving instanceof Error) this.#giveUp(arriving);
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

  #giveUp(error: Error): void {
    this.#call?.abort();
    this.#outcome.failed(error);
  }
}

/** Which bytes a 200 or 206 brings; an error when it cannot be the answer to what was asked. */
function arrivingBytes(head: StoreReplyHead, asked: FirstExtent | undefined): ArrivingBytes | Error {
  const entityTag = httpField(head, 'etag');
  if (!entityTag?.startsWith('"')) return new WrongAnswerError(`no strong entity tag (${entityTag})`);
  const length = Number(httpField(head, 'content-length') ?? Number.NaN);
  if (!Number.isSafeInteger(length)) return new WrongAnswerError('no content-length');
  if (head.status === 200) return { entityTag, sizeBytes: length, from: 0, to: length };
  const range = parseContentRange(httpField(head, 'content-range'));
  if (range?.total === undefined || !fits(range.first, range.last, range.total, asked)) {
    return new WrongAnswerError(`content-range ${httpField(head, 'content-range')}`);
  }
  if (length !== range.last - range.first + 1)
    return new WrongAnswerError('content-length differs from content-range');
  return { entityTag, sizeBytes: range.total, from: range.first, to: range.last + 1 };
}

function fits(first: number, last: number, total: number, asked: FirstExtent | undefined): boolean {
  if (!asked) return false;
  if (asked.kind === 'part') return true;
  if (asked.kind === 'suffix') return last === total - 1 && first === Math.max(0, total - asked.lengthBytes);
  return first === asked.from && last === Math.min(asked.to, total) - 1;
}
