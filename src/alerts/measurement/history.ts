import type { FamilySnapshot, MetricSnapshot, SampleSnapshot } from '../../base/metric-snapshot.ts';
import type { Labels } from '../alert.ts';
import { DownsampledRows, type MeasurementRow } from './downsampled-rows.ts';
import type { Measure } from './measure.ts';
import type { Series } from './series.ts';

/** What grew over a window. */
export interface Increase {
  readonly series: readonly Series[];
  /** How much of the window has been measured: less than asked for while the gateway is young. */
  readonly coveredMs: number;
}

/** What rules see: the measured past, read only. */
export interface History {
  /** How much the counters grew in the `windowMs` that ended `agoMs` before the latest sample. */
  increase(measure: Measure, windowMs: number, agoMs?: number): Increase;
  /** The gauges of the latest sample. */
  current(measure: Measure): readonly Series[];
}

interface Column {
  readonly index: number;
  readonly labels: Labels;
  /** A counter's value in the sample before. */
  last: number;
  /** A gauge's value, or how much a counter has grown since the first sample. */
  value: number;
}

interface Watched {
  readonly measure: Measure;
  readonly columns: Map<string, Column>;
}

/** Keeps the measures of the rules, and nothing else of a snapshot, for as long as the longest window. */
export class MeasurementHistory implements History {
  readonly #watched: ReadonlyMap<Measure, Watched>;
  readonly #rows = new DownsampledRows();
  #columnCount = 0;

  constructor(measures: Iterable<Measure>) {
    this.#watched = new Map(
      Array.from(new Set(measures), measure => [measure, { measure, columns: new Map() }]),
    );
  }

  /** Takes in a snapshot of the moment `atMs` (monotonic); moments never go back. */
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
    // what a counter held before we looked for the first time is not growth; what appears later began at zero
    const grown = isFirst && kind === 'counter' ? 0 : value;
    return { index: this.#columnCount++, labels, last: value, value: grown };
  }
}

/** A counter that shrank lost a worker's part: how much the others grew meanwhile is not known, so nothing is added. */
function advance(column: Column, { kind }: Measure, value: number): void {
  column.value = kind === 'gauge' ? value : column.value + Math.max(0, value - column.last);
  column.last = value;
}

/** The family's samples added up by the measure's labels, under one text per combination. */
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

/** A column that did not exist yet had not grown. */
function cell(row: MeasurementRow, index: number): number {
  return row.values[index] ?? 0;
}
