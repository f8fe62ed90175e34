/** All measured numbers at one moment; a column that did not exist yet is missing. */
export interface MeasurementRow {
  readonly atMs: number;
  readonly values: Float64Array;
}

/** Rows at least `spacingMs` apart, for `keepMs`. */
export interface RetentionLevel {
  readonly spacingMs: number;
  readonly keepMs: number;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Every sample for the quick rules, one a minute for the day's course, one in ten for the longest: some 1100 rows. */
export const retentionLevels: readonly RetentionLevel[] = [
  { spacingMs: 0, keepMs: 20 * MINUTE_MS },
  { spacingMs: MINUTE_MS, keepMs: 6.5 * HOUR_MS },
  { spacingMs: 10 * MINUTE_MS, keepMs: 73 * HOUR_MS },
];

/** How far before a window a rule may look for what to compare it with. */
export const LONGEST_BASELINE_MS = 6 * HOUR_MS;

/** The longest window that is within what is kept, wherever between two rows of the last rung it begins. */
export const LONGEST_WINDOW_MS = 72 * HOUR_MS - LONGEST_BASELINE_MS;

/** The past in a bounded number of rows: the nearer, the finer. */
export class DownsampledRows {
  readonly #rungs: readonly (RetentionLevel & { readonly rows: MeasurementRow[] })[];

  constructor(ladder: readonly RetentionLevel[] = retentionLevels) {
    this.#rungs = ladder.map(rung => ({ ...rung, rows: [] }));
  }

  /** Adds the row of a later moment than any before. */
  add(row: MeasurementRow): void {
    for (const { rows, spacingMs, keepMs } of this.#rungs) {
      const last = rows.at(-1);
      if (last && row.atMs - last.atMs < spacingMs) continue;
      rows.push(row);
      // the last row from before the rung's reach stays: it is what the full length is compared with
      while ((rows[1]?.atMs ?? Number.POSITIVE_INFINITY) <= row.atMs - keepMs) rows.shift();
    }
  }

  get latest(): MeasurementRow | undefined {
    return this.#rungs[0]?.rows.at(-1);
  }

  /** The latest row known from `atMs` or before, or the oldest there is. */
  at(atMs: number): MeasurementRow | undefined {
    for (const { rows } of this.#rungs) {
      const index = rows.findLastIndex(row => row.atMs <= atMs);
      if (index >= 0) return rows[index];
    }
    return this.#rungs.at(-1)?.rows[0];
  }
}
