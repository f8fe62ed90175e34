/** Runs actions one after the other. */
export class Turns {
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  /** Actions that have not ended. */
  get waiting(): number {
    return this.#waiting;
  }

  /** Rejects as `action` does; later ones are run all the same. */
  take<Result>(action: () => Promise<Result>): Promise<Result> {
    this.#waiting++;
    const result = this.#last.then(action).finally(() => {
      this.#waiting--;
    });
    this.#last = result.catch(() => undefined);
    return result;
  }
}
