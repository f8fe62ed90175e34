import { setFlagsFromString } from 'node:v8';
import type { ResourceLimits } from 'node:worker_threads';

/**
 * How the heaps of threads are collected. V8 reads these flags, which are the process's, when a thread starts; there are no options of
 * one thread for them.
 *
 * As almost nothing survives a request, V8 would never grow the young generation beyond its initial 1 MB, and would collect it every
 * few hundred requests.
 *
 * And it would make objects old at once that are made where others have lived long. While the cache fills, that is much of what
 * belongs to a record; later most records are in use for a moment, and what was made old keeps all that it refers to until the next
 * full collection: a fifth of the time of hits at random among many objects went into collections then.
 */
export const heapFlags: readonly string[] = ['--min-semi-space-size=8', '--no-allocation-site-pretenuring'];

/** With a small young generation some of the garbage of requests would be promoted to the old one, and cause full collections. */
const limits: ResourceLimits = { maxYoungGenerationSizeMb: 32 };

/** Sets the flags for threads that are started from now on. @returns the limits to start one with */
export function threadHeap(): ResourceLimits {
  for (const flag of heapFlags) setFlagsFromString(flag);
  return limits;
}
