// @ts-check
/** How durations and times are written, on cards and on pages: these load this file too, so it is plain JavaScript. */

/** @type {readonly (readonly [name: string, lengthMs: number])[]} */
const units = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
];

/**
 * `2 h 5 min`, `45 s`, `180 ms`, `0.4 ms`: the two largest units that are not zero.
 * @param {number} durationMs
 * @returns {string}
 */
export function describeDuration(durationMs) {
  if (durationMs <= 0) return '0 s';
  if (durationMs < 9.95) return `${Number(durationMs.toPrecision(2))} ms`;
  if (durationMs < 999.5) return `${Math.round(durationMs)} ms`;
  if (durationMs < 10_000) return `${Number((durationMs / 1_000).toFixed(1))} s`;
  let restMs = Math.round(durationMs / 1_000) * 1_000;
  /** @type {string[]} */
  const parts = [];
  for (const [name, lengthMs] of units) {
    const count = Math.floor(restMs / lengthMs);
    restMs -= count * lengthMs;
    if (count > 0) parts.push(`${count} ${name}`);
    else if (parts.length > 0) break;
    if (parts.length === 2) break;
  }
  return parts.join(' ');
}

/**
 * `2026-01-01 12:30:05 UTC`: the same time zone for all readers.
 * @param {string | number} at an RFC 3339 time, or milliseconds since 1970
 * @returns {string}
 */
export function formatMoment(at) {
  return `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}
