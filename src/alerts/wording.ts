/** Formats numbers for cards; durations and times are in base/time-text.js. */

/** `5.3 %`, `0.14 %`: rounded to two digits. */
export function formatShare(share: number): string {
  return `${Number((share * 100).toPrecision(2))} %`;
}

/** `1 234`: thousands separated, no decimals. */
export function formatCount(count: number): string {
  return Math.round(count)
    .toString()
    .replace(/\B(?=(\d{3})+$)/g, ' ');
}

/** `12.5 a second`. */
export function formatRate(perSecond: number): string {
  return `${Number(perSecond.toPrecision(3))} a second`;
}
