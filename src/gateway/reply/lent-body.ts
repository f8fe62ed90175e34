import type { Socket } from 'node:net';
import type { Loan } from '../../cache/content.ts';
import type { BodyOwner } from '../../transport/answer.ts';
import { cutOff } from '../../transport/cut-off.ts';
import type { Exchange } from '../request/exchange.ts';
import type { PendingSend, PendingSends } from './pending-sends.ts';

/** Callbacks of sending a body. */
interface LentBodyCallbacks {
  /** The registry of responses that wait for their clients. */
  readonly sends: PendingSends;
  /** The response is complete or aborted, or the client has disconnected. */
  onEnd(): void;
}

/** A body that is a single loan. The loan is released when the connection has accepted all of it, or has closed. */
export class LentBody implements BodyOwner, PendingSend {
  readonly loan: Loan;
  readonly #exchange: Exchange;
  readonly #callbacks: LentBodyCallbacks;

  constructor(exchange: Exchange, loan: Loan, callbacks: LentBodyCallbacks) {
    this.#exchange = exchange;
    this.loan = loan;
    this.#callbacks = callbacks;
  }

  get socket(): Socket | null {
    return this.#exchange.response.socket;
  }

  onBackpressure(): void {
    this.#callbacks.sends.watch(this);
  }

  cutOff(error: Error): void {
    this.#exchange.failure = error;
    cutOff(this.#exchange.response);
  }

  onDone(isTaken: boolean): void {
    const exchange = this.#exchange;
    if (isTaken) exchange.bodyBytes = this.loan.bytes.length;
    else exchange.hasClientLeft = exchange.failure === undefined;
    try {
      this.#callbacks.sends.forget(this);
      this.loan.release();
      this.#callbacks.onEnd();
    } catch (error) {
      exchange.fault(error);
    }
  }
}
