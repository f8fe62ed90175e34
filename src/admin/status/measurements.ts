import type { FamilySnapshot, MetricSnapshot, SampleSnapshot } from '../../base/metric-snapshot.ts';

/** Computes sums over a snapshot; a metric that does not exist counts as 0. */
export class Measurements {
  readonly #families = new Map<string, FamilySnapshot>();

  constructor(snapshot: MetricSnapshot) {
    for (const family of snapshot) this.#families.set(family.name, family);
  }

  /** The sum of a metric's samples whose labels match. */
  total(name: string, wanted: (labels: SampleSnapshot['labels']) => boolean = () => true): number {
    const values = this.#families.get(name)?.values ?? [];
    return values.reduce((sum, { labels, value }) => (wanted(labels) ? sum + value : sum), 0);
  }

  /** The sums for each value of one label. */
  by(name: string, label: string): ReadonlyMap<string, number> {
    const sums = new Map<string, number>();
    for (const { labels, value } of this.#families.get(name)?.values ?? []) {
      const key = String(labels[label] ?? '');
      sums.set(key, (sums.get(key) ?? 0) + value);
    }
    return sums;
  }
}
