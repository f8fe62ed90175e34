import type { ServerResponse } from 'node:http';
import { holdBack } from '../../../transport/held-back.ts';
import type { BodyRate } from '../../reply/body-rates.ts';
import type { ExchangeObserver } from '../../reply/exchange-observer.ts';
import type { Exchange } from '../../request/exchange.ts';

/** Holds back the body of a request, so that its client sends no faster than its rate allows. */
export class UploadPace {
  readonly #rate: BodyRate;
  readonly #response: ServerResponse;
  readonly #guard: (step: () => void) => () => void;
  #endWait: (() => void) | undefined;

  /** @param guard wraps event handlers that may throw */
  constructor(rate: BodyRate, response: ServerResponse, guard: (step: () => void) => () => void) {
    this.#rate = rate;
    this.#response = response;
    this.#guard = guard;
  }

  /** The largest piece that should be read at once. */
  get pieceBytes(): number {
    return this.#rate.pieceBytes;
  }

  /** Whether the client has to wait before more is read. */
  get isWaiting(): boolean {
    return this.#endWait !== undefined;
  }

  /** Counts bytes that have come. @param goOn called when more may be read, if the client has to wait now */
  count(lengthBytes: number, goOn: () => void): void {
    this.#rate.charge(lengthBytes);
    const { waitMs } = this.#rate;
    if (waitMs === 0 || this.#endWait) return;
    const letGo = holdBack(this.#response);
    const wait = this.#rate.clock.after(
      waitMs,
      this.#guard(() => {
        this.stop();
        goOn();
      }),
    );
    this.#endWait = () => {
      this.#endWait = undefined;
      wait.cancel();
      letGo();
    };
  }

  /** No more of the body is read. */
  stop(): void {
    this.#endWait?.();
  }
}

/** Undefined where the client of `exchange` may send at any rate. */
export function paceOf(exchange: Exchange, { rates }: ExchangeObserver): UploadPace | undefined {
  const rate = rates.ofUpload(exchange);
  return rate && new UploadPace(rate, exchange.response, step => exchange.guard(step));
}
