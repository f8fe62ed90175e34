/** At most `limit` requests are counted within any `lengthMs`. */
export interface RateWindow {
  readonly lengthMs: number;
  readonly limit: number;
}

/** docs/cards.md, Limits: 4 a second, 60 in 30 s, 100 an hour, 150 in two hours, 1800 a day. */
export const serviceWindows: readonly RateWindow[] = [
  { lengthMs: 1_000, limit: 4 },
  { lengthMs: 30_000, limit: 60 },
  { lengthMs: 3_600_000, limit: 100 },
  { lengthMs: 7_200_000, limit: 150 },
  { lengthMs: 86_400_000, limit: 1_800 },
];

/** What several gateways may each take of one channel: below a quarter nothing is left of 4 a second. */
export const SMALLEST_SHARE = 0.25;

/**
 * The windows of a gateway that may use `share` (0.25 to 1) of the channel.
 *
 * @throws RangeError outside of it
 */
export function shareOfWindows(windows: readonly RateWindow[], share: number): readonly RateWindow[] {
  if (!(share >= SMALLEST_SHARE && share <= 1)) {
    throw new RangeError(`a share lies between ${SMALLEST_SHARE} and 1, not ${share}`);
  }
  return windows.map(({ lengthMs, limit }) => ({ lengthMs, limit: Math.floor(limit * share) }));
}

/** The windows for what is not critical: `fraction` of each is kept back. */
export function withoutReserve(windows: readonly RateWindow[], fraction: number): readonly RateWindow[] {
  return windows.map(({ lengthMs, limit }) => ({ lengthMs, limit: limit - Math.floor(limit * fraction) }));
}

/**
 * The first moment, `nowMs` or later, at which one more request fits every window.
 *
 * `repliesMs` holds when the replies to earlier requests came, oldest first. The service counts in fixed
 * windows whose phase nobody knows, and it counted a request at some moment before it replied: a window is
 * therefore safe once its whole length has passed since the reply to the request that `limit` more would push out.
 */
export function nextSlotMs(
  windows: readonly RateWindow[],
  repliesMs: readonly number[],
  nowMs: number,
): number {
  let slotMs = nowMs;
  for (const { lengthMs, limit } of windows) {
    const blocking = repliesMs[repliesMs.length - limit];
    if (blocking !== undefined) slotMs = Math.max(slotMs, blocking + lengthMs);
  }
  return slotMs;
}

/** How many requests fit into the tightest of `windows` at `nowMs`. */
export function slotsLeft(
  windows: readonly RateWindow[],
  repliesMs: readonly number[],
  nowMs: number,
): number {
  let left = Number.POSITIVE_INFINITY;
  for (const { lengthMs, limit } of windows) {
    left = Math.min(left, limit - countAfter(repliesMs, nowMs - lengthMs));
  }
  return Math.max(0, left);
}

/** The longest time for which a reply matters to any of `windows`. */
export function longestWindowMs(windows: readonly RateWindow[]): number {
  return Math.max(0, ...windows.map(window => window.lengthMs));
}

/** How many of the ascending `momentsMs` lie after `sinceMs`. */
function countAfter(momentsMs: readonly number[], sinceMs: number): number {
  let first = momentsMs.length;
  while (first > 0 && (momentsMs[first - 1] ?? 0) > sinceMs) first--;
  return momentsMs.length - first;
}
