/** The arena is divided into granules: slots begin and end between two of them. A multiple of a cache line, so that no two slots share one. */
export const GRANULE_BYTES = 512;

/** Granules that a slot for `bytes` takes. */
export function granulesFor(bytes: number): number {
  return Math.max(1, Math.ceil(bytes / GRANULE_BYTES));
}
