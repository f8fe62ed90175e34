/** A periodic check of all connections of a listener. Its timer does not keep the process alive. */
export class Sweep {
  readonly #look: (stepMs: number) => void;
  #stepMs: number;
  #timer: NodeJS.Timeout;

  /** @param look called every `stepMs` with that time */
  constructor(stepMs: number, look: (stepMs: number) => void) {
    this.#look = look;
    this.#stepMs = stepMs;
    this.#timer = this.#start();
  }

  /** Changes the interval. */
  every(stepMs: number): void {
    if (stepMs === this.#stepMs) return;
    this.stop();
    this.#stepMs = stepMs;
    this.#timer = this.#start();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #start(): NodeJS.Timeout {
    return setInterval(() => this.#look(this.#stepMs), this.#stepMs).unref();
  }
}
