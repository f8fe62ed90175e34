import type { Fact, Labels, ObjectSubject, Severity } from '../alert.ts';
import type { History } from '../measurement/history.ts';
import type { Measure } from '../measurement/measure.ts';

/** What every condition can be told in `alerts.rules`. Durations are in milliseconds and lose their `Ms` in YAML. */
export interface ConditionOptions {
  readonly severity: Severity;
  /** How long the condition must hold before anybody is told. */
  readonly forMs: number;
  /** How long it must be over before it counts as resolved. */
  readonly clearForMs: number;
}

/** An object somebody asked for, and how often of late. */
export interface RequestedObject extends ObjectSubject {
  readonly count: number;
}

/** All that a rule may look at. */
export interface Observed {
  readonly history: History;
  /** The archived objects of a bucket that were asked for of late, most often first. */
  readonly archivedObjects: (bucket: string) => readonly RequestedObject[];
}

/** The condition holds; `summary` and `facts` say with which figures. */
export interface Breach {
  readonly kind: 'breach';
  readonly labels: Labels;
  readonly summary: string;
  readonly facts: readonly Fact[];
  readonly subject?: ObjectSubject;
}

/** What a rule found about one set of labels. `quiet` is no all-clear: there is too little to go by. */
export type Finding =
  | Breach
  | { readonly kind: 'clear'; readonly labels: Labels }
  | { readonly kind: 'quiet'; readonly labels: Labels };

/** One condition, declared once; `alerts.rules` changes its options or turns it off. */
export interface RuleDefinition<Options extends ConditionOptions> {
  readonly name: string;
  /** A few words for the head of a card. */
  readonly title: string;
  /** What it means and what to look at first. */
  readonly advice: string;
  readonly measures: readonly Measure[];
  /** Rules that name the cause when they fire for the same labels: this one then says nothing new. */
  readonly inhibitedBy: readonly string[];
  /** How long after such a cause has gone its traces are still in the windows, milliseconds. */
  readonly aftermathMs: (options: Options) => number;
  readonly defaults: Options;
  readonly evaluate: (observed: Observed, options: Options) => readonly Finding[];
  /** What a breach looks like, for `tidegate card` and for tests. */
  readonly example: (options: Options) => Breach;
}

/** A rule with its options: what the engine runs. */
export interface Rule {
  readonly name: string;
  readonly title: string;
  readonly advice: string;
  readonly severity: Severity;
  readonly forMs: number;
  readonly clearForMs: number;
  readonly measures: readonly Measure[];
  readonly inhibitedBy: readonly string[];
  readonly aftermathMs: number;
  readonly evaluate: (observed: Observed) => readonly Finding[];
  readonly example: () => Breach;
}

/** The rule with `changes` made to its default options. */
export function bindRule<Options extends ConditionOptions>(
  definition: RuleDefinition<Options>,
  changes: Partial<Options>,
): Rule {
  const options = { ...definition.defaults, ...changes };
  const { name, title, advice, measures, inhibitedBy } = definition;
  const { severity, forMs, clearForMs } = options;
  return {
    ...{ name, title, advice, measures, inhibitedBy, severity, forMs, clearForMs },
    aftermathMs: definition.aftermathMs(options),
    evaluate: observed => definition.evaluate(observed, options),
    example: () => definition.example(options),
  };
}
