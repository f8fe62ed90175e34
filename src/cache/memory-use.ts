/** What a worker takes memory of the cache for: all that grows with its objects. */
type MemoryKind = 'blocks' | 'block-tables' | 'records' | 'packed-records' | 'near-records';

/** What things of one kind take. */
export interface MemoryUse {
  readonly kind: MemoryKind;
  readonly bytes: number;
  readonly count: number;
}
