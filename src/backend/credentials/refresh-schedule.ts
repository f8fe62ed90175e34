/** How long before their end credentials are renewed, and the share of what is left for those that end sooner. */
const MARGIN_MS = 10 * 60_000;
const MARGIN_SHARE = 1 / 3;

/** Services that end credentials at once must not be asked without pause. */
const SHORTEST_MS = 1_000;

const LONGEST_RETRY_MS = 60_000;

/**
 * When credentials that are valid for another `leftMs` are renewed: a margin before their end, and up to half a margin
 * sooner, so that gateways that were started together do not ask together.
 *
 * @param random a number in [0, 1)
 */
export function renewalDelayMs(leftMs: number, random: number): number {
  const marginMs = Math.min(MARGIN_MS, leftMs * MARGIN_SHARE);
  return Math.max(SHORTEST_MS, leftMs - marginMs * (1 + random / 2));
}

/**
 * The delay after so many failures in a row: exponential back-off with jitter.
 *
 * @param random a number in [0, 1)
 */
export function retryDelayMs(failures: number, random: number): number {
  const doubled = SHORTEST_MS * 2 ** Math.min(failures - 1, 10);
  return Math.min(LONGEST_RETRY_MS, doubled) * (0.5 + random / 2);
}
