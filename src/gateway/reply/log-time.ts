const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** Times as texts, which are kept, since most lines are of the same second or millisecond as the line before. */
export class LogTimes {
  readonly #before: string;
  readonly #behind: string;
  #second = Number.NaN;
  #millisecond = Number.NaN;
  #beginning = '';
  #iso = '';
  #combined = '';

  /** @param before what the text of `iso` begins with; @param behind what it ends with */
  constructor(before = '', behind = '') {
    this.#before = before;
    this.#behind = behind;
  }

  /** ISO 8601 in UTC with milliseconds. */
  iso(nowMs: number): string {
    const millisecond = Math.floor(nowMs);
    if (millisecond === this.#millisecond) return this.#iso;
    this.#setSecond(nowMs);
    this.#millisecond = millisecond;
    this.#iso = `${this.#beginning}${thousandths(millisecond - this.#second * 1000)}Z${this.#behind}`;
    return this.#iso;
  }

  /** As `%t` of Apache: `10/Oct/2000:13:55:36 +0000`. */
  combined(nowMs: number): string {
    this.#setSecond(nowMs);
    return this.#combined;
  }

  #setSecond(nowMs: number): void {
    const second = Math.floor(nowMs / 1000);
    if (second === this.#second) return;
    this.#second = second;
    const date = new Date(second * 1000);
    const iso = date.toISOString();
    this.#beginning = this.#before + iso.slice(0, -'000Z'.length);
    const day = iso.slice(8, 10);
    this.#combined = `${day}/${months[date.getUTCMonth()]}/${date.getUTCFullYear()}:${iso.slice(11, 19)} +0000`;
  }
}

/** The whole number of a JSON number with three decimals, and those: 20_061 → `20.061`. */
export function withThousandths(thousandthsInAll: number): string {
  const whole = Math.floor(thousandthsInAll / 1000);
  return `${whole}.${thousandths(thousandthsInAll - whole * 1000)}`;
}

function thousandths(count: number): string {
  if (count >= 100) return String(count);
  return count >= 10 ? `0${count}` : `00${count}`;
}
