/** The block that occupies a slot. */
export interface SlotOwner {
  /** Identifies the content for the ghost list; the same each time the content is filled. Whoever takes the block over leaves it. */
  readonly contentHash: number;
  /** `slot` is being evicted; its bytes are gone when this has returned. */
  evicted(slot: number): void;
  /** The bytes are in `slot` now, which is all of `memory`. */
  moved(slot: number, memory: Buffer): void;
  /** The slot is needed elsewhere: its fill must end now, with `MemoryTier.complete`, and may go on in another slot. */
  takenBack?(): void;
}

/** Who has taken over a block that is complete. */
export type LaterOwner = Omit<SlotOwner, 'contentHash'>;
