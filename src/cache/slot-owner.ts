/** The block that occupies a slot. */
export interface SlotOwner {
  /** Identifies the content for the ghost list; the same each time the content is filled. */
  readonly contentHash: number;
  /** The slot was evicted; its bytes are gone. */
  evicted(): void;
  /** The bytes are in `slot` now, which begins with `memory`; where they were is somebody else's. */
  moved(slot: number, memory: Buffer): void;
  /** The slot is needed elsewhere: its fill must end now, with `MemoryTier.complete`, and may go on in another slot. */
  takenBack?(): void;
}
