import type { Alert } from '../../src/alerts/alert.ts';
import type { Change } from '../../src/alerts/engine/condition.ts';
import { ConditionTracker } from '../../src/alerts/engine/condition-tracker.ts';
import { MeasurementHistory } from '../../src/alerts/measurement/history.ts';
import type { RequestedObject, Rule } from '../../src/alerts/rules/rule.ts';
import { ManualClock } from './manual-clock.ts';
import { MeasuredGateway } from './measured-gateway.ts';

/** What a gateway counts in one step. */
export type Load = (gateway: MeasuredGateway) => void;

/** Runs rules over made-up measurements, step by step, on a clock moved by hand. */
export class RuleBench {
  readonly clock = new ManualClock();
  readonly gateway = new MeasuredGateway();
  readonly changes: Change[] = [];
  archived: readonly RequestedObject[] = [];
  readonly #board: ConditionTracker;
  readonly #history: MeasurementHistory;
  readonly #stepMs: number;

  constructor(rules: readonly Rule[], stepMs = 5_000) {
    this.#board = new ConditionTracker(rules);
    this.#history = new MeasurementHistory(rules.flatMap(rule => rule.measures));
    this.#stepMs = stepMs;
  }

  /** Lets `durationMs` go by under this load. Gives the transitions of that time, such as `fired`. */
  run(durationMs: number, load: Load): readonly string[] {
    const before = this.changes.length;
    for (let passedMs = 0; passedMs < durationMs; passedMs += this.#stepMs) {
      load(this.gateway);
      this.clock.advance(this.#stepMs);
      this.#step();
    }
    return this.changes.slice(before).map(({ transition }) => transition);
  }

  /** The alert that was opened first and is still open, with its latest figures. */
  current(): Alert | undefined {
    return this.#board.episodes()[0]?.alert;
  }

  #step(): void {
    const { clock } = this;
    this.#history.record(this.gateway.snapshot(), clock.monotonicMs());
    const observed = {
      history: this.#history,
      archivedObjects: (bucket: string) => this.archived.filter(object => object.bucket === bucket),
    };
    const moment = { monotonicMs: clock.monotonicMs(), wallMs: clock.nowMs() };
    this.changes.push(...this.#board.step(observed, moment));
  }
}
