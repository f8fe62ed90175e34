import { type Content, type ContentReader, type Loan, wholeLoan } from '../../cache/content.ts';
import { type Coverage, type CoveredBlock, coverageOf, coverageOfSpan } from '../../cache/coverage.ts';
import { PartMap } from '../../cache/part-map.ts';
import type { SlotPins } from '../../cache/slot-pins.ts';
import type { WrittenBytes } from '../../cache/written-bytes.ts';
import type { ContentCoding } from '../../http/content-coding.ts';
import type { TraceContext } from '../../http/trace-context.ts';
import { OwnerLostError } from '../fill/fill-error.ts';
import { LOAN_LIMIT_BYTES, type SlotLender } from '../fill/slot-lender.ts';
import type { WireBlock, WireContent, WireIdentity, WireLoan, WireObject } from './messages.ts';
import type { PeerLink } from './peer-link.ts';
import { RemoteEncodings } from './remote-encodings.ts';
import { type ReadRemotely, RemoteReader } from './remote-reader.ts';

/** Measured heap cost of a remote content but for long names, and of each block position it remembers. */
const CONTENT_COST_BYTES = 700;
const PLACE_COST_BYTES = 170;

/** What the contents of one other worker share. */
export interface RemoteMemory {
  readonly link: PeerLink;
  readonly pins: SlotPins;
  readonly lender: SlotLender;
  /** Tracks written bytes; only where blocks are checked. */
  readonly written?: WrittenBytes | undefined;
}

/** The remembered position of another worker's block in the arena; void as soon as the slot holds something else. */
export class RemoteBlock implements CoveredBlock {
  readonly place: WireBlock;
  readonly #pins: SlotPins;

  constructor(place: WireBlock, pins: SlotPins) {
    this.place = place;
    this.#pins = pins;
  }

  /** How much of `[from, to)` of the block is known to be in memory and still is. */
  coverage(from: number, to: number): Coverage {
    const { slot, tag, blockStart, from: first, to: end } = this.place;
    if (this.#pins.tag(slot) !== tag) return 'none';
    return coverageOfSpan(first - blockStart, end - blockStart, from, to);
  }
}

/**
 * A content owned by another worker. The arena positions of its blocks are remembered, so repeated reads do not ask the
 * owner. When a position has become invalid, the owner is asked again.
 */
export class RemoteContent implements Content, ReadRemotely {
  readonly sizeBytes: number;
  readonly contentId: number;
  readonly parts: PartMap;
  readonly #blockBytes: number;
  readonly #memory: RemoteMemory;
  readonly object: WireObject;
  readonly #blocks = new Map<number, RemoteBlock>();
  readonly #onGrown: () => void;
  #identity: WireIdentity;
  #encodings: RemoteEncodings<RemoteContent> | undefined;

  /**
   * @param object whose content it is
   * @param onGrown called when the content's estimated heap cost has grown
   */
  constructor(
    { contentId, identity, parts, partCount }: WireContent,
    memory: RemoteMemory,
    object: WireObject,
    onGrown: () => void = () => undefined,
  ) {
    this.contentId = contentId;
    this.#onGrown = onGrown;
    this.parts = new PartMap(parts, partCount, onGrown);
    this.sizeBytes = identity.sizeBytes;
    this.#blockBytes = identity.blockBytes;
    this.#identity = identity;
    this.#memory = memory;
    this.object = object;
  }

  /** Estimated heap cost of the content. */
  get costBytes(): number {
    const others = this.parts.costBytes + (this.#encodings?.costBytes ?? 0);
    return CONTENT_COST_BYTES + this.#namesBytes + PLACE_COST_BYTES * this.#blocks.size + others;
  }

  get encodings(): RemoteEncodings<RemoteContent> {
    this.#encodings ??= new RemoteEncodings(coding => this.#inCoding(coding), this.#onGrown);
    return this.#encodings;
  }

  coverage(from: number, to: number): Coverage {
    return coverageOf(this.#blocks, this.#blockBytes, from, to);
  }

  lend(from: number, to: number): Loan | undefined {
    return wholeLoan(this.lendFrom(from, to), to - from);
  }

  peekText(from: number, to: number): string | undefined {
    const block = this.#pinned(from);
    if (!block) return undefined;
    const text = to <= block.to ? this.#text(block, from, to) : undefined;
    this.#memory.pins.release(block.slot);
    return text;
  }

  /** As it was told last. */
  get identity(): WireIdentity {
    return this.#identity;
  }

  open(from: number, to: number, _hasBegun?: boolean, trace?: TraceContext): ContentReader {
    return new RemoteReader(this, this.#memory.link, from, to, trace);
  }

  /** Its bytes are in `block`. */
  place(block: WireBlock): void {
    this.#remember(block);
  }

  /** The owner has told of the content again: it may be asked for in another way. */
  learn({ identity, parts, partCount }: WireContent): void {
    this.#identity = identity;
    for (const [number, part] of parts) this.parts.learn(number, part, partCount);
  }

  /** Bytes from `from` on, at most up to `to`, if they are known to be in memory and still are. */
  lendFrom(from: number, to: number): Loan | undefined {
    const block = this.#pinned(from);
    if (!block) return undefined;
    const bytes = this.#view(block, from, Math.min(to, block.to, from + LOAN_LIMIT_BYTES));
    return this.#memory.lender.lendHeld(block.slot, bytes);
  }

  /**
   * Converts a loan of the owner. The slot is pinned by this worker too: the owner's pin is released when its thread
   * dies, but the socket may still be reading.
   *
   * @throws OwnerLostError when the owner has died and its memory may have been reused
   */
  borrowed(loan: WireLoan): Loan | undefined {
    if (loan.kind === 'end') return undefined;
    if (loan.kind === 'copy') {
      // the next read finds it in memory and counts as a hit
      if (loan.block) this.#remember(loan.block);
      const { buffer, byteOffset, byteLength } = loan.bytes;
      return this.#memory.lender.lendReceived(Buffer.from(buffer, byteOffset, byteLength));
    }
    const { slot, tag } = loan.block;
    const { pins } = this.#memory;
    if (!pins.acquire(slot, tag)) throw new OwnerLostError('has died');
    this.#remember(loan.block);
    const bytes = this.#view(loan.block, loan.from, loan.to);
    return { bytes, slot, release: () => pins.release(slot) };
  }

  /** Memory of what names the content, as far as others choose how long it is. */
  get #namesBytes(): number {
    const { entityTag = '', versionId = '', asked } = this.#identity;
    let bytes = entityTag.length + 2 * versionId.length + (this.object.place?.length ?? 0);
    for (const { name, value } of asked?.selecting ?? []) bytes += 100 + name.length + value.length;
    return bytes;
  }

  async #inCoding(coding: ContentCoding): Promise<RemoteContent | 'no-gain' | undefined> {
    const { contentId, object } = this;
    const made = await this.#memory.link.call('encode', { contentId, object, coding }, () => undefined);
    if (made === undefined || made === 'no-gain') return made;
    return new RemoteContent(made, this.#memory, object, this.#onGrown);
  }

  /** The block with the byte at `position`, pinned for one who reads it now; undefined where it is not in memory any more. */
  #pinned(position: number): WireBlock | undefined {
    const index = Math.floor(position / this.#blockBytes);
    const block = this.#blocks.get(index)?.place;
    if (!block || position < block.from || position >= block.to) return undefined;
    const { pins } = this.#memory;
    if (!pins.acquire(block.slot, block.tag)) {
      this.#blocks.delete(index);
      return undefined;
    }
    pins.visit(block.slot);
    return block;
  }

  #remember(block: WireBlock): void {
    const { size } = this.#blocks;
    this.#blocks.set(block.blockStart / this.#blockBytes, new RemoteBlock(block, this.#memory.pins));
    if (this.#blocks.size > size) this.#onGrown();
  }

  /** The bytes `[from, to)` of a pinned block as text, without a view of them, which would cost more than a short text. */
  #text(block: WireBlock, from: number, to: number): string {
    const { pins, written } = this.#memory;
    if (written) return this.#view(block, from, to).toString('latin1');
    const { segment, start } = pins.placeOf(block.slot);
    const blockAt = start - block.blockStart;
    return segment.toString('latin1', blockAt + from, blockAt + to);
  }

  /** The memory of `[from, to)` of a pinned block. Where blocks are checked, see `WrittenBytes`, of written bytes only. */
  #view({ slot, blockStart }: WireBlock, from: number, to: number): Buffer {
    const { pins, written } = this.#memory;
    const bytes = pins.view(slot, from - blockStart, to - blockStart);
    try {
      written?.check(bytes, this.object.objectKey.text, from, to);
    } catch (error) {
      // the loan is never returned, so its pin is released here
      pins.release(slot);
      throw error;
    }
    return bytes;
  }
}
