import { formatHttpDate } from './http-date.ts';

/** The value of the Date header (RFC 9110 §6.6.1), formatted once per second. */
export class DateHeader {
  #second = Number.NaN;
  #text = '';

  /** @param nowMs milliseconds since the epoch. */
  at(nowMs: number): string {
    const second = Math.floor(nowMs / 1000);
    if (second !== this.#second) {
      this.#second = second;
      this.#text = formatHttpDate(nowMs);
    }
    return this.#text;
  }
}
