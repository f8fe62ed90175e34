import type { CounterCell } from '../../base/metrics.ts';

/** How much of a request's body has come. Counted as it comes: an upload may take hours. */
export class ReceivedBody {
  receivedBytes = 0;
  readonly #counter: CounterCell;

  constructor(counter: CounterCell) {
    this.#counter = counter;
  }

  arrived(lengthBytes: number): void {
    this.receivedBytes += lengthBytes;
    this.#counter.add(lengthBytes);
  }
}
