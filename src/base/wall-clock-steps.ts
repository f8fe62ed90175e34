/** How far the wall clock may be set back without notice: corrections by NTP, which come slowly. */
const TOLERATED_MS = 1_000;

/** Notices when the wall clock is set back: ages that were reckoned by it before are too small from then on. */
export class WallClockSteps {
  /** What the wall clock is ahead of the monotonic one. */
  #aheadMs = -Infinity;

  /** Whether the clock was set back by more than a second since the last call. Both clocks as they are now. */
  hasSteppedBack(wallMs: number, monotonicMs: number): boolean {
    const aheadMs = wallMs - monotonicMs;
    const hasStepped = aheadMs < this.#aheadMs - TOLERATED_MS;
    if (hasStepped || aheadMs > this.#aheadMs) this.#aheadMs = aheadMs;
    return hasStepped;
  }
}
