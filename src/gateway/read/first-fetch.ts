import { CollectedReply } from '../../backend/collected-reply.ts';
import {
  httpField,
  type StoreCall,
  type StoreError,
  type StoreReceiver,
  type StoreReplyHead,
  type WholeReply,
} from '../../backend/store.ts';
import {
  answersRange,
  type ContentRange,
  parseUnsatisfiedRange,
  type RangeRequest,
} from '../../http/range.ts';
import {
  type ContentHead,
  faultOfLength,
  hasInexactRange,
  hasNoContent,
  isPartAsWhole,
  keptContent,
  mayBePart,
  readContentHead,
  tellsEmpty,
  tellsWhole,
} from '../fill/content-head.ts';
import { InvalidReplyError, isRefusal } from '../fill/fill-error.ts';
import { ExpectedBytes, type RangeReceiver } from '../fill/ranged-read.ts';
import { wholeBlocks } from '../fill/readers.ts';
import type { ObjectRead } from '../request/object-read.ts';
import type { Learned } from './object-source.ts';

/** What a miss requests first: bytes `[from, to)`, a suffix, or a part. */
export type FirstExtent =
  | { readonly kind: 'span'; readonly from: number; readonly to: number }
  | { readonly kind: 'suffix'; readonly lengthBytes: number }
  | { readonly kind: 'part'; readonly partNumber: number };

/**
 * The first request for an unknown object: the blocks that contain the requested range. A read of a few bytes fetches
 * only the block that contains them.
 *
 * @param limitBytes limit for a span; rounded down to whole blocks, at least one
 */
export function firstExtent(
  { range, partNumber, policy, isConditional }: ObjectRead,
  limitBytes: number,
): FirstExtent {
  if (partNumber !== undefined) return { kind: 'part', partNumber };
  const blockBytes = policy.blockSizeBytes;
  if (range.kind === 'suffix') {
    return { kind: 'suffix', lengthBytes: isConditional ? Math.min(range.length, blockBytes) : range.length };
  }
  const first = range.kind === 'from' ? range.first : 0;
  const from = first - (first % blockBytes);
  const limit = isConditional ? from + blockBytes : from + wholeBlocks(limitBytes, blockBytes);
  return { kind: 'span', from, to: Math.min(wantedUntil(range, blockBytes), limit) };
}

/** The first block of an object: a GET that transfers little. */
export function firstBlock({ policy }: ObjectRead): FirstExtent {
  return { kind: 'span', from: 0, to: policy.blockSizeBytes };
}

function wantedUntil(range: RangeRequest, blockBytes: number): number {
  if (range.kind !== 'from' || range.last === undefined) return Number.POSITIVE_INFINITY;
  return (Math.floor(range.last / blockBytes) + 1) * blockBytes;
}

/** The number of the part that `extent` requests. */
export function partNumberOf(extent: FirstExtent | undefined): number | undefined {
  return extent?.kind === 'part' ? extent.partNumber : undefined;
}

/** The Range header for `extent`; undefined for a part, which is requested by number. */
export function rangeHeader(extent: FirstExtent): string | undefined {
  if (extent.kind === 'part') return undefined;
  return extent.kind === 'suffix' ? `bytes=-${extent.lengthBytes}` : `bytes=${extent.from}-${extent.to - 1}`;
}

/** A 416 for the first bytes means the object is empty, which a plain GET confirms; otherwise HEAD tells the size. */
export function mayBeEmpty(extent: FirstExtent, reply: WholeReply): boolean {
  if (extent.kind === 'span' && extent.from === 0) return true;
  const sizeBytes = parseUnsatisfiedRange(httpField(reply, 'content-range'));
  return sizeBytes === undefined ? extent.kind === 'suffix' : sizeBytes === 0;
}

/** The bytes that a response will bring, of a content of `sizeBytes`. */
export interface ArrivingBytes {
  readonly entityTag: string;
  readonly sizeBytes: number;
  readonly from: number;
  readonly to: number;
}

/** The store's answer to a first GET. */
export type FirstAnswer =
  | { readonly kind: 'readable'; readonly learned: Learned }
  /** Readable but not cacheable, see `UncacheableRecord`: the transfer is aborted. */
  | { readonly kind: 'unkeepable'; readonly head: ContentHead }
  /** Any other answer, with its body. */
  | { readonly kind: 'refused'; readonly reply: WholeReply };

/** What a readable answer says, and the receiver of its bytes; without one the transfer is aborted. */
export interface TakenAnswer {
  readonly learned: Learned;
  readonly receiver: RangeReceiver | undefined;
}

/** Learns from the head of a readable answer. Called before any of its bytes, which `call` brings. */
export type TakeAnswer = (
  head: ContentHead,
  arriving: ArrivingBytes,
  call: StoreCall | undefined,
) => TakenAnswer;

/** Receives the result of a first GET. */
interface FirstFetchCallbacks {
  readonly take: TakeAnswer;
  readonly answered: (answer: FirstAnswer) => void;
  readonly failed: (error: Error) => void;
}

/** Receives the answer to the first GET for an unknown object: record and bytes in one request. */
export class FirstFetch implements StoreReceiver {
  readonly #asked: FirstExtent | undefined;
  readonly #callbacks: FirstFetchCallbacks;
  readonly #maxSizeBytes: number;
  #call: StoreCall | undefined;
  #bytes: ExpectedBytes | undefined;
  #refusal: CollectedReply | undefined;

  /**
   * @param asked the requested range; undefined for the whole object
   * @param maxSizeBytes size limit for cached objects
   */
  constructor(asked: FirstExtent | undefined, maxSizeBytes: number, callbacks: FirstFetchCallbacks) {
    this.#asked = asked;
    this.#maxSizeBytes = maxSizeBytes;
    this.#callbacks = callbacks;
  }

  /** Sets the call whose answer this receives. */
  sent(call: StoreCall): void {
    this.#call = call;
  }

  answered(reply: StoreReplyHead): void {
    if (isRefusal(reply.status)) {
      this.#refusal = new CollectedReply(reply);
      return;
    }
    const head = readContentHead(reply);
    const arriving = arrivingBytes(head, this.#asked, this.#maxSizeBytes);
    if (arriving.kind === 'bytes') {
      this.#take(head, arriving.bytes);
      return;
    }
    this.#call?.abort();
    if (arriving.kind === 'unkeepable') this.#callbacks.answered({ kind: 'unkeepable', head });
    else this.#callbacks.failed(arriving.error);
  }

  arrived(chunk: Buffer): void {
    this.#bytes?.arrived(chunk);
    this.#refusal?.arrived(chunk);
  }

  ended(): void {
    this.#bytes?.ended();
    if (this.#refusal) this.#callbacks.answered({ kind: 'refused', reply: this.#refusal.whole() });
  }

  failed(error: StoreError): void {
    if (this.#bytes) this.#bytes.failed(error);
    else this.#callbacks.failed(error);
  }

  #take(head: ContentHead, arriving: ArrivingBytes): void {
    const { learned, receiver } = this.#callbacks.take(head, arriving, this.#call);
    this.#callbacks.answered({ kind: 'readable', learned });
    if (receiver) this.#bytes = new ExpectedBytes(receiver, 0, arriving.to - arriving.from);
    else if (arriving.sizeBytes > 0) this.#call?.abort();
  }
}

/** What a 200 or 206 brings. */
type Arriving =
  | { readonly kind: 'bytes'; readonly bytes: ArrivingBytes }
  /** It cannot be cached, see `keptContent`. */
  | { readonly kind: 'unkeepable' }
  /** It cannot be the answer to the request. */
  | { readonly kind: 'invalid'; readonly error: InvalidReplyError };

const unkeepable: Arriving = { kind: 'unkeepable' };

function arrivingBytes(head: ContentHead, asked: FirstExtent | undefined, maxSizeBytes: number): Arriving {
  if (head.status !== 200 && head.status !== 206) return invalid(`status ${head.status}`);
  if (hasInexactRange(head)) return unkeepable;
  if (mayFindNothing(asked) && hasNoContent(head)) {
    if (!tellsEmpty(head)) return unkeepable;
    const empty = keptContent({ ...head, sizeBytes: 0 }, maxSizeBytes);
    if (empty) return { kind: 'bytes', bytes: { ...empty, from: 0, to: 0 } };
  }
  const { status, range } = head;
  if (isPartAsWhole(head) && partNumberOf(asked) === undefined) return invalid('200 with bytes alone');
  if (status === 206 && !(range && fits(range, asked))) return invalid(`content-range ${head.rangeText}`);
  const kept = tellsWhole(head, partNumberOf(asked)) ? keptContent(head, maxSizeBytes) : undefined;
  if (!kept) return unkeepable;
  if (!range) return { kind: 'bytes', bytes: { ...kept, from: 0, to: kept.sizeBytes } };
  const fault = faultOfLength(head);
  if (fault !== undefined) return invalid(fault);
  return { kind: 'bytes', bytes: { ...kept, from: range.first, to: range.last + 1 } };
}

function invalid(reason: string): Arriving {
  return { kind: 'invalid', error: new InvalidReplyError(reason) };
}

/** For an empty object, only a suffix range and part 1 are answered without an error (docs/semantics.md 24, 25, 47). */
function mayFindNothing(asked: FirstExtent | undefined): boolean {
  return asked?.kind === 'suffix' || (asked?.kind === 'part' && asked.partNumber === 1);
}

/** Whether `range` is the one that was requested. */
function fits(range: ContentRange, asked: FirstExtent | undefined): boolean {
  if (!asked) return false;
  if (asked.kind === 'part') return mayBePart(range, asked.partNumber);
  if (asked.kind === 'suffix') return answersRange(range, { kind: 'suffix', length: asked.lengthBytes });
  return answersRange(range, { kind: 'from', first: asked.from, last: asked.to - 1 });
}
