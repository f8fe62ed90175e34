import type { SharedMemory } from './shared-memory.ts';

/**
 * Bytes were about to be handed out that nobody wrote since their slot was allocated, so they may belong to another
 * object.
 */
export class UnwrittenBytesError extends Error {
  readonly code = 'UNWRITTEN_BYTES';
  /** `ObjectKey.text`. */
  readonly object: string;
  /** The byte range `[from, to)` of the object that was requested. */
  readonly from: number;
  readonly to: number;

  constructor(object: string, from: number, to: number) {
    super(`bytes ${from}-${to - 1} of ${JSON.stringify(object)} are marked as held but were not all written`);
    this.object = object;
    this.from = from;
    this.to = to;
  }
}

/** Slots are filled with this byte when they are allocated. */
export const UNWRITTEN_BYTE = 0xa5;

/**
 * Tracks which bytes of the arena were written since their slot was allocated, independently of what blocks report. It
 * costs as much memory as the arena and is used only where blocks are checked, see `allocateSharedMemory`.
 */
export class WrittenBytes {
  readonly #segments: readonly ArrayBufferLike[];
  /** One array per segment: 1 where a byte was written. */
  readonly #written: readonly Uint8Array[];
  readonly #onViolation: (error: UnwrittenBytesError) => void;

  private constructor(
    segments: readonly SharedArrayBuffer[],
    written: readonly SharedArrayBuffer[],
    onViolation: (error: UnwrittenBytesError) => void,
  ) {
    this.#segments = segments;
    this.#written = written.map(account => new Uint8Array(account));
    this.#onViolation = onViolation;
  }

  /** The tracker of `memory`, if it has one. `onViolation` is called with each violation before it is thrown. */
  static of(
    { segments, written }: SharedMemory,
    onViolation: (error: UnwrittenBytesError) => void = () => undefined,
  ): WrittenBytes | undefined {
    return written && new WrittenBytes(segments, written, onViolation);
  }

  /** Marks newly allocated `memory` as unwritten and fills it with a pattern, so that unwritten bytes are visible. */
  given(memory: Buffer): void {
    memory.fill(UNWRITTEN_BYTE);
    this.#accountOf(memory).fill(0);
  }

  /** Marks all of `memory` as written. */
  note(memory: Buffer): void {
    this.#accountOf(memory).fill(1);
  }

  /** The bytes of `from` were copied to `to`: what was written of them is known there as well. */
  moved(from: Buffer, to: Buffer): void {
    this.#accountOf(to).set(this.#accountOf(from));
  }

  /**
   * Verifies `memory` before it is handed out as bytes `[from, to)` of `object`.
   *
   * @throws UnwrittenBytesError when the length is wrong or not all of it was written
   */
  check(memory: Buffer, object: string, from: number, to: number): void {
    if (memory.length === to - from && !this.#accountOf(memory).includes(0)) return;
    const error = new UnwrittenBytesError(object, from, to);
    this.#onViolation(error);
    throw error;
  }

  #accountOf({ buffer, byteOffset, length }: Buffer): Uint8Array {
    const account = this.#written[this.#segments.indexOf(buffer)];
    if (!account) throw new RangeError('the memory is not part of the arena');
    return account.subarray(byteOffset, byteOffset + length);
  }
}
