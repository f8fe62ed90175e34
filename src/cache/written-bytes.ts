import type { SharedMemory } from './shared-memory.ts';

/** Bytes were to be handed out that nobody has written since their slot was given out: what another object left there. */
export class UnwrittenBytesError extends Error {
  readonly code = 'UNWRITTEN_BYTES';
  /** `ObjectKey.text`. */
  readonly object: string;
  /** `[from, to)` of the object was to be handed out. */
  readonly from: number;
  readonly to: number;

  constructor(object: string, from: number, to: number) {
    super(
      `bytes ${from}-${to - 1} of ${JSON.stringify(object)} are said to be held and were not all written`,
    );
    this.object = object;
    this.from = from;
    this.to = to;
  }
}

/** What a slot is filled with when it is given out. */
export const UNWRITTEN_BYTE = 0xa5;

/**
 * An account of which bytes of the arena were written since their slot was given out, apart from what blocks say of
 * themselves. It costs as much memory as the arena and is there only where blocks are checked, see `allocateSharedMemory`.
 */
export class WrittenBytes {
  readonly #segments: readonly ArrayBufferLike[];
  /** One for each segment: 1 where a byte was written. */
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

  /** The account of `memory`, if it has one. `onViolation` is told of each violation before it is thrown. */
  static of(
    { segments, written }: SharedMemory,
    onViolation: (error: UnwrittenBytesError) => void = () => undefined,
  ): WrittenBytes | undefined {
    return written && new WrittenBytes(segments, written, onViolation);
  }

  /** `memory` of the arena is given out. It gets a pattern, so that what is not written is seen. */
  given(memory: Buffer): void {
    memory.fill(UNWRITTEN_BYTE);
    this.#accountOf(memory).fill(0);
  }

  /** All of `memory` has been written. */
  note(memory: Buffer): void {
    this.#accountOf(memory).fill(1);
  }

  /**
   * `memory` is handed out as bytes `[from, to)` of `object`.
   *
   * @throws UnwrittenBytesError when it is not all of them, or not all of it was written
   */
  check(memory: Buffer, object: string, from: number, to: number): void {
    if (memory.length === to - from && !this.#accountOf(memory).includes(0)) return;
    const error = new UnwrittenBytesError(object, from, to);
    this.#onViolation(error);
    throw error;
  }

  #accountOf({ buffer, byteOffset, length }: Buffer): Uint8Array {
    const account = this.#written[this.#segments.indexOf(buffer)];
    if (!account) throw new RangeError('the memory is not of the arena');
    return account.subarray(byteOffset, byteOffset + length);
  }
}
