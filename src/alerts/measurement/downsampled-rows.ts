/** All measured numbers at one time; columns that did not exist yet are missing. */
export interface MeasurementRow {
  readonly atMs: number;
  readonly values: Float64Array;
}

/** Rows at least `spacingMs` apart, kept for `keepMs`. */
interface RetentionLevel {
  readonly spacingMs: number;
  readonly keepMs: number;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/**
 * Every sample for rules with short windows, then one per minute, then one per ten minutes for the longest: about 1100
 * rows.
 */
const retentionLevels: readonly RetentionLevel[] = [
  { spacingMs: 0, keepMs: 20 * MINUTE_MS },
  { spacingMs: MINUTE_MS, keepMs: 6.5 * HOUR_MS },
  { spacingMs: 10 * MINUTE_MS, keepMs: 73 * HOUR_MS },
];

/** How far before its window a rule may look for a baseline. */
export const LONGEST_BASELINE_MS = 6 * HOUR_MS;

/** The longest window that is always fully covered by the kept rows, wherever it starts between two rows. */
export const LONGEST_WINDOW_MS = 72 * HOUR_MS - LONGEST_BASELINE_MS;

/** Keeps the past in a limited number of rows: recent times in finer steps. */
export class DownsampledRows {
  readonly #levels: readonly (RetentionLevel & { readonly rows: MeasurementRow[] })[];

  constructor(levels: readonly RetentionLevel[] = retentionLevels) {
    this.#levels = levels.map(level => ({ ...level, rows: [] }));
  }

  /** Adds a row; its time must be later than that of all others. */
  add(row: MeasurementRow): void {
    for (const { rows, spacingMs, keepMs } of this.#levels) {
      const last = rows.at(-1);
      if (last && row.atMs - last.atMs < spacingMs) continue;
      rows.push(row);
      // the last row before the kept period stays, as the baseline of the longest window
      while ((rows[1]?.atMs ?? Number.POSITIVE_INFINITY) <= row.atMs - keepMs) rows.shift();
    }
  }

  get latest(): MeasurementRow | undefined {
    return this.#levels[0]?.rows.at(-1);
  }

  /** The latest row at or before `atMs`, or else the oldest. */
  at(atMs: number): MeasurementRow | undefined {
    for (const { rows } of this.#levels) {
      const index = rows.findLastIndex(row => row.atMs <= atMs);
      if (index >= 0) return rows[index];
    }
    return this.#levels.at(-1)?.rows[0];
  }
}
