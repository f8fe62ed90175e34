/** Formats numbers and times for cards. */

const units: readonly (readonly [name: string, lengthMs: number])[] = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
];

/** `2 h 5 min`, `45 s`, `180 ms`: the two largest units that are not zero. */
export function describeDuration(durationMs: number): string {
  if (durationMs === 0) return '0 s';
  if (durationMs < 999.5) return `${Math.round(durationMs)} ms`;
  if (durationMs < 10_000) return `${Number((durationMs / 1_000).toFixed(1))} s`;
  let restMs = Math.round(durationMs / 1_000) * 1_000;
  const parts: string[] = [];
  for (const [name, lengthMs] of units) {
    const count = Math.floor(restMs / lengthMs);
    restMs -= count * lengthMs;
    if (count > 0) parts.push(`${count} ${name}`);
    else if (parts.length > 0) break;
    if (parts.length === 2) break;
  }
  return parts.join(' ');
}

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

/** `2026-01-01 12:30:05 UTC`: the same time zone for all readers. */
export function formatMoment(atMs: number): string {
  return `${new Date(atMs).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}
