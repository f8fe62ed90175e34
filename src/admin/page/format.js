// @ts-check
/** How pages write numbers, sizes, durations and times of day. Other times read as on cards: base/time-text.js. */

import { describeDuration } from '../../base/time-text.js';

const NO_VALUE = '–';

const binaryUnits = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];
const decimalUnits = ['', 'k', 'M', 'G', 'T'];

/**
 * `7`, `1 234`, `12.3 k`: shortened from 10 000 on; below 100, fractions have one decimal.
 * @param {number} value
 */
export function formatCount(value) {
  if (value < 100 && !Number.isInteger(value)) return Number(value.toFixed(1)).toString();
  if (value < 9_999.5) {
    return Math.round(value)
      .toString()
      .replace(/\B(?=\d{3}$)/, ' ');
  }
  return scaled(value, 1_000, decimalUnits);
}

/**
 * `0 B`, `980 B`, `1.5 MiB`, `512 GiB`: IEC units, three digits.
 * @param {number} bytes
 */
export function formatBytes(bytes) {
  return scaled(bytes, 1_024, binaryUnits);
}

/**
 * `1.5 MiB/s`.
 * @param {number} bytesPerSecond
 */
export function formatByteRate(bytesPerSecond) {
  return `${formatBytes(bytesPerSecond)}/s`;
}

/**
 * The value in the largest unit that it reaches; what would round up to the next unit is written in that.
 * @param {number} value
 * @param {number} base
 * @param {readonly string[]} units
 */
function scaled(value, base, units) {
  let rest = value;
  let step = 0;
  while (step < units.length - 1 && Math.round(rest) >= base) {
    rest /= base;
    step += 1;
  }
  const figure = step === 0 || rest >= 99.95 ? Math.round(rest).toString() : rest.toFixed(1);
  return `${figure} ${units[step] ?? ''}`.trimEnd();
}

/**
 * `0 %`, `0.14 %`, `53.2 %`, `99.97 %`, `100 %`; `–` for null. Only 0 is written as 0 % and only 1 as 100 %, so that a few
 * errors among many requests are seen.
 * @param {number | null} ratio from 0 to 1
 */
export function formatRatio(ratio) {
  if (ratio === null) return NO_VALUE;
  const percent = ratio * 100;
  const restPercent = 100 - percent;
  if (percent > 0 && percent < 1) return `${Number(percent.toPrecision(2))} %`;
  if (restPercent > 0 && restPercent < 1) {
    const decimals = Math.min(9, 1 - Math.floor(Math.log10(restPercent)));
    return `${Number(percent.toFixed(decimals))} %`;
  }
  return `${Number(percent.toFixed(1))} %`;
}

/**
 * As `describeDuration`; `–` for null.
 * @param {number | null} durationMs
 */
export function formatDuration(durationMs) {
  return durationMs === null ? NO_VALUE : describeDuration(durationMs);
}

/**
 * `12:30:05`, in UTC: for places that say so once, such as the axis of a chart.
 * @param {string | number} at
 */
export function formatTimeOfDay(at) {
  return new Date(at).toISOString().slice(11, 19);
}

/**
 * A formatted number and its unit apart, for places that show them in two sizes: `['1 234', '']`, `['1.5', 'MiB']`.
 * @param {string} text
 * @returns {[figure: string, unit: string]}
 */
export function splitUnit(text) {
  const [, figure = text, unit = ''] = /^(.*[\d–])(?: (\D.*))?$/.exec(text) ?? [];
  return [figure, unit];
}
