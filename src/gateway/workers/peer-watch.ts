import type { Clock, Timer } from '../../base/clock.ts';

const TICK_MS = 250;

/** So many ticks without a word. Ticks are counted and not time, so that being held up here blames nobody else. */
const PATIENCE_TICKS = 4;

export interface WatchedPeer {
  /** Whether answers of it are awaited; it is watched for as long as they are. */
  readonly isAwaited: () => boolean;
  /** Asks it for a word, which it gives at once whatever its answers wait for. */
  readonly ping: () => void;
  /** It has said nothing for a second. */
  readonly onSilent: () => void;
}

/** Tells a worker whose event loop stands still from one whose answers wait for a store. */
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

  /** Whether it has said nothing for a second, and nothing since. */
  get isSilent(): boolean {
    return this.#isSilent;
  }

  /** An answer is awaited. */
  begin(): void {
    if (this.#isSilent) return;
    this.#timer ??= this.#clock.after(TICK_MS, () => this.#tick());
  }

  /** It has said something, whatever it is. */
  heard(): void {
    this.#silentTicks = 0;
    this.#isPinged = false;
    this.#isSilent = false;
    if (this.#peer.isAwaited()) this.begin();
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
