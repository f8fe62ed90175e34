import type { FamilySnapshot, MetricSnapshot, SampleSnapshot } from '../../src/base/metric-snapshot.ts';

type Labels = Readonly<Record<string, string>>;

/** A gateway of which only the measurements exist: tests say what it counted. */
export class MeasuredGateway {
  readonly #families = new Map<string, Map<string, SampleSnapshot>>();

  /** Counts `count` more. */
  add(family: string, labels: Labels, count = 1): void {
    this.#change(family, family, labels, before => before + count);
  }

  /** Sets a gauge. */
  set(family: string, labels: Labels, value: number): void {
    this.#change(family, family, labels, () => value);
  }

  /** Observes `value` in a histogram with these bounds, `times` times. */
  observe(family: string, labels: Labels, bounds: readonly number[], value: number, times = 1): void {
    for (const bound of [...bounds, Number.POSITIVE_INFINITY]) {
      const le = bound === Number.POSITIVE_INFINITY ? '+Inf' : String(bound);
      const more = value <= bound ? times : 0;
      this.#change(family, `${family}_bucket`, { le, ...labels }, before => before + more);
    }
    this.#change(family, `${family}_count`, labels, before => before + times);
  }

  snapshot(): MetricSnapshot {
    return Array.from(
      this.#families,
      ([name, samples]): FamilySnapshot => ({
        name,
        help: '',
        type: 'counter',
        aggregator: 'sum',
        values: [...samples.values()],
      }),
    );
  }

  #change(family: string, metricName: string, labels: Labels, change: (before: number) => number): void {
    const samples = this.#families.get(family) ?? new Map<string, SampleSnapshot>();
    this.#families.set(family, samples);
    const id = JSON.stringify([metricName, labels]);
    samples.set(id, { metricName, labels, value: change(samples.get(id)?.value ?? 0) });
  }
}
