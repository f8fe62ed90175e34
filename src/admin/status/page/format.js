/** Figures as people read them. */

/** A count, shortened with the SI letters from 10,000 on. */
export function count(value) {
  if (value >= 1e9) return `${(value / 1e9).toFixed(1)} G`;
  if (value >= 1e6) return `${(value / 1e6).toFixed(1)} M`;
  if (value >= 1e4) return `${(value / 1e3).toFixed(1)} k`;
  return value >= 100 || Number.isInteger(value) ? String(Math.round(value)) : value.toFixed(1);
}

/** A size as figure and unit. */
export function size(bytes, suffix = '') {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  const step = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10));
  const value = bytes / 2 ** (10 * step);
  return [value >= 100 || step === 0 ? String(Math.round(value)) : value.toFixed(1), units[step] + suffix];
}

/** The two largest units that are not zero. */
export function duration(seconds) {
  const parts = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor(seconds / 3_600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'm'],
    [seconds % 60, 's'],
  ].filter(([amount]) => amount > 0);
  return (
    parts
      .slice(0, 2)
      .map(([amount, unit]) => `${amount}${unit}`)
      .join(' ') || '0s'
  );
}
