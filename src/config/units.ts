const msPerUnit: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

const bytesPerUnit: Readonly<Record<string, number>> = {
  B: 1,
  KiB: 2 ** 10,
  MiB: 2 ** 20,
  GiB: 2 ** 30,
  TiB: 2 ** 40,
};

/** Parses `500ms`, `10s`, `5m`, `1h` or `1d` to milliseconds; undefined for anything else. */
export function parseDurationMs(text: string): number | undefined {
  return parseQuantity(text, msPerUnit);
}

/** Parses `64KiB`, `1MiB`, `20GiB` or `512B` to bytes; undefined for anything else. */
export function parseSizeBytes(text: string): number | undefined {
  return parseQuantity(text, bytesPerUnit);
}

/** Formats a duration in the largest unit that gives a whole number: 90000 → `90s`, 60000 → `1m`. */
export function formatDuration(durationMs: number): string {
  return formatQuantity(durationMs, msPerUnit);
}

/** Formats a size in the largest unit that gives a whole number: 1048576 → `1MiB`. */
export function formatSize(sizeBytes: number): string {
  return formatQuantity(sizeBytes, bytesPerUnit);
}

function parseQuantity(text: string, units: Readonly<Record<string, number>>): number | undefined {
  const [, digits, unit] = /^(\d+(?:\.\d+)?)([A-Za-z]+)$/.exec(text) ?? [];
  const factor = unit !== undefined && Object.hasOwn(units, unit) ? units[unit] : undefined;
  if (digits === undefined || factor === undefined) return undefined;
  const amount = Number(digits) * factor;
  return Number.isSafeInteger(amount) ? amount : undefined;
}

function formatQuantity(amount: number, units: Readonly<Record<string, number>>): string {
  const fitting = Object.entries(units).filter(([, factor]) => amount > 0 && amount % factor === 0);
  const [unit, factor] = fitting.at(-1) ?? Object.entries(units)[0] ?? ['', 1];
  return `${amount / factor}${unit}`;
}
