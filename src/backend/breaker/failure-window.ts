/** Failures of one object that count: a single bad object is asked for again and again, and says little of the store. */
const FAILURES_OF_OBJECT = 3;

/** Objects whose failures are told apart in one half of the window. */
const OBJECTS = 1_000;

class Half {
  readonly index: number;
  calls = 0;
  failures = 0;
  readonly failuresOf = new Map<string, number>();

  constructor(index: number) {
    this.index = index;
  }
}

/** Counts the calls of the last `windowMs`, or somewhat less: of the running half of that time and the one before. */
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

  succeeded(nowMs: number): void {
    this.#moveTo(nowMs);
    this.#current.calls++;
  }

  /**
   * @param object the object that the call was for; undefined where the failure has nothing to do with it, such as that of
   *   a connection
   */
  failed(object: string | undefined, nowMs: number): void {
    this.#moveTo(nowMs);
    if (object !== undefined && this.#isToldEnough(object)) return;
    this.#current.calls++;
    this.#current.failures++;
  }

  clear(): void {
    this.#before = new Half(-2);
    this.#current = new Half(-1);
  }

  #isToldEnough(object: string): boolean {
    const { failuresOf } = this.#current;
    const known = (failuresOf.get(object) ?? 0) + (this.#before.failuresOf.get(object) ?? 0);
    if (known >= FAILURES_OF_OBJECT) return true;
    if (failuresOf.size < OBJECTS) failuresOf.set(object, (failuresOf.get(object) ?? 0) + 1);
    return false;
  }

  #moveTo(nowMs: number): void {
    const index = Math.floor(nowMs / this.#halfMs);
    if (index === this.#current.index) return;
    this.#before = index === this.#current.index + 1 ? this.#current : new Half(index - 1);
    this.#current = new Half(index);
  }
}
