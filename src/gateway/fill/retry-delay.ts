/** So often a transfer is asked for without any progress before it is given up. */
export const attemptsWithoutProgress = 5;

const firstDelayMs = 50;
const longestDelayMs = 1_000;

/**
 * How long to wait before a transfer is tried again, after `fruitless` tries in a row that brought nothing.
 *
 * @param random a number in [0, 1): spreads those that broke together.
 */
export function retryDelayMs(fruitless: number, random: number): number {
  if (fruitless === 0) return 0;
  return Math.min(longestDelayMs, firstDelayMs * 2 ** (fruitless - 1)) * (0.5 + random / 2);
}
