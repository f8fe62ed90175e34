import type { FamilySnapshot, MetricSnapshot, SampleSnapshot } from '../../base/metric-snapshot.ts';
import type { Labels } from '../alert.ts';
import { DownsampledRows, type MeasurementRow } from './downsampled-rows.ts';
import type { Measure } from './measure.ts';
import type { Series } from './series.ts';

/** The growth of counters over a window. */
interface Increase {
  readonly series: readonly Series[];
  /** How much of the window is covered by measurements; less than requested shortly after the start. */
  readonly coveredMs: number;
}

/** Read-only access to past measurements, for rules. */
export interface History {
  /** The growth of counters in the `windowMs` that ended `agoMs` before the latest sample. */
  increase(measure: Measure, windowMs: number, agoMs?: number): Increase;
  /** The gauges in the latest sample. */
  current(measure: Measure): readonly Series[];
}

interface Column {
  readonly index: number;
  readonly labels: Labels;
  /** The counter's value in the previous sample. */
  last: number;
  /** A gauge's value, or a counter's growth since the first sample. */
  value: number;
}

interface Watched {
  readonly measure: Measure;
  readonly columns: Map<string, Column>;
}

/** Keeps only the given measures, for as long as `rows` does: by default the longest window of a rule. */
export class MeasurementHistory implements History {
  readonly #watched = new Map<Measure, Watched>();
  readonly #rows: DownsampledRows;
  #columnCount = 0;

  constructor(measures: Iterable<Measure>, rows = new DownsampledRows()) {
    this.#rows = rows;
    this.watch(measures);
  }

  /** Keeps these measures too, from the next snapshot on. */
  watch(measures: Iterable<Measure>): void {
    for (const measure of measures)
      if (!this.#watched.has(measure)) this.#watched.set(measure, { measure, columns: new Map() });
  }

  /** Adds a snapshot taken at `atMs` (monotonic); times never decrease. */
  record(snapshot: MetricSnapshot, atMs: number): void {
    const families = new Map(snapshot.map(family => [family.name, family]));
    const isFirst = this.#rows.latest === undefined;
    for (const watched of this.#watched.values()) {
      this.#update(watched, families.get(watched.measure.family), isFirst);
    }
    const values = new Float64Array(this.#columnCount);
    for (const { columns } of this.#watched.values()) {
      for (const { index, value } of columns.values()) values[index] = value;
    }
    this.#rows.add({ atMs, values });
  }

  increase(measure: Measure, windowMs: number, agoMs = 0): Increase {
    const latest = this.#rows.latest;
    const end = latest && this.#rows.at(latest.atMs - agoMs);
    const start = end && this.#rows.at(end.atMs - windowMs);
    if (!start) return { series: [], coveredMs: 0 };
    const series = this.#read(measure, ({ index }) => cell(end, index) - cell(start, index));
    return { series, coveredMs: end.atMs - start.atMs };
  }

  current(measure: Measure): readonly Series[] {
    return this.#read(measure, ({ value }) => value);
  }

  #read(measure: Measure, value: (column: Column) => number): readonly Series[] {
    const columns = this.#watched.get(measure)?.columns.values() ?? [];
    return Array.from(columns, column => ({ labels: column.labels, value: value(column) }));
  }

  #update({ measure, columns }: Watched, family: FamilySnapshot | undefined, isFirst: boolean): void {
    for (const [id, { labels, value }] of sumBy(measure, family)) {
      const column = columns.get(id);
      if (column) advance(column, measure, value);
      else columns.set(id, this.#newColumn(measure, labels, value, isFirst));
    }
  }

  #newColumn({ kind }: Measure, labels: Labels, value: number, isFirst: boolean): Column {
    // a counter's value in the first snapshot is not growth; counters that appear later started at zero
    const grown = isFirst && kind === 'counter' ? 0 : value;
    return { index: this.#columnCount++, labels, last: value, value: grown };
  }
}

/**
 * A counter that decreased has lost the part of a dead worker. The growth of the others is unknown then, so none is
 * added.
 */
function advance(column: Column, { kind }: Measure, value: number): void {
  column.value = kind === 'gauge' ? value : column.value + Math.max(0, value - column.last);
  column.last = value;
}

/** Sums the family's samples by the labels of the measure, with one key per combination. */
function sumBy(measure: Measure, family: FamilySnapshot | undefined): Map<string, Series> {
  const sums = new Map<string, Series>();
  const sampleName = `${measure.family}${measure.suffix ?? ''}`;
  for (const sample of family?.values ?? []) {
    if ((sample.metricName ?? measure.family) !== sampleName) continue;
    const labels = pick(sample, measure.by);
    const id = JSON.stringify(labels);
    sums.set(id, { labels, value: (sums.get(id)?.value ?? 0) + sample.value });
  }
  return sums;
}

function pick({ labels }: SampleSnapshot, names: readonly string[]): Labels {
  return Object.fromEntries(names.map(name => [name, String(labels[name] ?? '')]));
}

/** A column that did not exist yet counts as zero. */
function cell(row: MeasurementRow, index: number): number {
  return row.values[index] ?? 0;
}
