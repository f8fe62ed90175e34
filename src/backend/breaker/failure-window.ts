class Half {
  readonly index: number;
  calls = 0;
  failures = 0;

  constructor(index: number) {
    this.index = index;
  }
}

/** Counts the calls of about the last `windowMs`: those of the current half window and of the one before. */
export class FailureWindow {
  readonly #halfMs: number;
  #before = new Half(-2);
  #current = new Half(-1);

  constructor(windowMs: number) {
    this.#halfMs = windowMs / 2;
  }

  get calls(): number {
    return this.#before.calls + this.#current.calls;
  }

  get failures(): number {
    return this.#before.failures + this.#current.failures;
  }

  count(isFailure: boolean, nowMs: number): void {
    this.#moveTo(nowMs);
    this.#current.calls++;
    if (isFailure) this.#current.failures++;
  }

  clear(): void {
    this.#before = new Half(-2);
    this.#current = new Half(-1);
  }

  #moveTo(nowMs: number): void {
    const index = Math.floor(nowMs / this.#halfMs);
    if (index === this.#current.index) return;
    this.#before = index === this.#current.index + 1 ? this.#current : new Half(index - 1);
    this.#current = new Half(index);
  }
}
