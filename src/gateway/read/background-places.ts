/**
 * Questions of one kind at a time, to each store, that nobody waits for, or not any more. They count for no client, so they must
 * leave the connections to those who wait; the next reader of what was left out begins it.
 */
const BACKGROUND_LIMIT = 16;

/** The places of such questions in one worker. */
export class BackgroundPlaces {
  readonly #taken = new Map<string, number>();

  /**
   * Takes a place at the store of this name.
   *
   * @returns gives it back; undefined where there is none
   */
  take(store: string): (() => void) | undefined {
    const taken = this.#taken.get(store) ?? 0;
    if (taken >= BACKGROUND_LIMIT) return undefined;
    this.#taken.set(store, taken + 1);
    return () => this.#taken.set(store, (this.#taken.get(store) ?? 1) - 1);
  }
}
