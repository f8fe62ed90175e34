/** Allows at most `limit` requests within any `lengthMs`. */
export interface RateWindow {
  readonly lengthMs: number;
  readonly limit: number;
}

/** docs/cards.md, Limits: 4 in 1 s, 60 in 30 s, 100 in 1 h, 150 in 2 h, 1800 in 24 h. */
export const serviceWindows: readonly RateWindow[] = [
  { lengthMs: 1_000, limit: 4 },
  { lengthMs: 30_000, limit: 60 },
  { lengthMs: 3_600_000, limit: 100 },
  { lengthMs: 7_200_000, limit: 150 },
  { lengthMs: 86_400_000, limit: 1_800 },
];

/** The smallest share for gateways that share a channel: less would not allow one post per second. */
export const SMALLEST_SHARE = 0.25;

/**
 * The windows of a gateway that may use `share` (0.25 to 1) of the channel.
 *
 * @throws RangeError when out of bounds
 */
export function shareOfWindows(windows: readonly RateWindow[], share: number): readonly RateWindow[] {
  if (!(share >= SMALLEST_SHARE && share <= 1)) {
    throw new RangeError(`a share lies between ${SMALLEST_SHARE} and 1, not ${share}`);
  }
  return windows.map(({ lengthMs, limit }) => ({ lengthMs, limit: Math.floor(limit * share) }));
}

/** The windows for non-critical cards: `fraction` of each is reserved. */
export function withoutReserve(windows: readonly RateWindow[], fraction: number): readonly RateWindow[] {
  return windows.map(({ lengthMs, limit }) => ({ lengthMs, limit: limit - Math.floor(limit * fraction) }));
}

/**
 * The earliest time, not before `nowMs`, at which one more request fits all windows.
 *
 * `repliesMs` are the arrival times of replies, oldest first. The service counts in fixed windows with an unknown
 * phase, and counted each request some time before its reply. So a window has room once its full length has passed
 * since the reply to the `limit`th latest request.
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

/** How many more requests fit the fullest of `windows` at `nowMs`. */
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

/** The length of the longest window, after which replies no longer matter. */
export function longestWindowMs(windows: readonly RateWindow[]): number {
  return Math.max(0, ...windows.map(window => window.lengthMs));
}

/** The number of ascending `momentsMs` after `sinceMs`. */
function countAfter(momentsMs: readonly number[], sinceMs: number): number {
  let first = momentsMs.length;
  while (first > 0 && (momentsMs[first - 1] ?? 0) > sinceMs) first--;
  return momentsMs.length - first;
}
