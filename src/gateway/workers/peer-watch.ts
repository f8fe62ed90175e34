import type { Clock, Timer } from '../../base/clock.ts';

const TICK_MS = 250;

/**
 * Silent ticks until a peer counts as blocked. Counting ticks rather than time means that a delay of this thread does
 * not count against the peer.
 */
const PATIENCE_TICKS = 4;

interface WatchedPeer {
  /** Whether calls are pending; the peer is watched only while they are. */
  readonly isAwaited: () => boolean;
  /** Sends a ping, which the peer answers immediately even while its results wait for a store. */
  readonly ping: () => void;
  /** Called after a second without any message. */
  readonly onSilent: () => void;
  /** Called with the first message after that. */
  readonly onHeardAgain: () => void;
}

/** Distinguishes a worker whose event loop is blocked from one whose answers wait for a store. */
export class PeerWatch {
  readonly #clock: Clock;
  readonly #peer: WatchedPeer;
  #timer: Timer | undefined;
  #silentTicks = 0;
  #isPinged = false;
  #isSilent = false;

  constructor(clock: Clock, peer: WatchedPeer) {
    this.#clock = clock;
    this.#peer = peer;
  }

  /** Whether the peer counts as blocked: silent for a second, and no message since. */
  get isSilent(): boolean {
    return this.#isSilent;
  }

  /** A call was sent, or more are pending. */
  begin(): void {
    if (this.#isSilent || !this.#peer.isAwaited()) return;
    this.#timer ??= this.#clock.after(TICK_MS, () => this.#tick());
  }

  /** A message of any kind has arrived. */
  heard(): void {
    if (this.#isSilent) this.#peer.onHeardAgain();
    this.#silentTicks = 0;
    this.#isPinged = false;
    this.#isSilent = false;
    this.begin();
  }

  end(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #tick(): void {
    this.#timer = undefined;
    if (!this.#peer.isAwaited()) {
      this.#silentTicks = 0;
      return;
    }
    this.#silentTicks++;
    if (this.#silentTicks >= PATIENCE_TICKS) {
      this.#isSilent = true;
      this.#peer.onSilent();
      return;
    }
    if (!this.#isPinged) this.#peer.ping();
    this.#isPinged = true;
    this.begin();
  }
}
