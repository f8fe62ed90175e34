import type { Fact, Labels, ObjectSubject, Severity } from '../alert.ts';
import type { History } from '../measurement/history.ts';
import type { Measure } from '../measurement/measure.ts';

/** Options that all conditions have in `alerts.rules`. Durations are in milliseconds; their YAML keys have no `Ms`. */
export interface ConditionOptions {
  readonly severity: Severity;
  /** How long the condition must hold before it is notified. */
  readonly forMs: number;
  /** How long it must be clear before it counts as resolved. */
  readonly clearForMs: number;
}

/** An object and how often it was recently requested. */
export interface RequestedObject extends ObjectSubject {
  readonly count: number;
}

/** The input of a rule. */
export interface RuleInput {
  readonly history: History;
  /** The recently requested archived objects of a bucket, the most requested first. */
  readonly archivedObjects: (bucket: string) => readonly RequestedObject[];
}

/** The condition holds; `summary` and `facts` contain the figures. */
export interface Breach {
  readonly kind: 'breach';
  readonly labels: Labels;
  readonly summary: string;
  readonly facts: readonly Fact[];
  /** Why it is so, as the name of an error such as `ECONNREFUSED`. */
  readonly cause?: string | undefined;
  /** The objects it is about, the most important first. */
  readonly subjects?: readonly ObjectSubject[];
}

/** The finding for one set of labels. `no-data` means too little data; it does not mean that the condition is clear. */
export type Finding =
  | Breach
  | { readonly kind: 'clear'; readonly labels: Labels }
  | { readonly kind: 'no-data'; readonly labels: Labels };

/** A condition, declared once; `alerts.rules` can change its options or disable it. */
export interface RuleDefinition<Options extends ConditionOptions> {
  readonly name: string;
  /** A few words for the title of a card. */
  readonly title: string;
  /** What it means and what to look at first. */
  readonly advice: string;
  readonly measures: readonly Measure[];
  /** Rules that name the cause: while one fires for the same labels, this one is suppressed. */
  readonly inhibitedBy: readonly string[];
  /** How long after such a cause is resolved its errors remain in the windows, in milliseconds. */
  readonly inhibitAfterMs: (options: Options) => number;
  readonly defaults: Options;
  readonly evaluate: (observed: RuleInput, options: Options) => readonly Finding[];
  /** An example of a breach, for `tidegate card` and tests. */
  readonly example: (options: Options) => Breach;
}

/** A rule bound to its options, as run by the engine. */
export interface Rule {
  readonly name: string;
  readonly title: string;
  readonly advice: string;
  readonly severity: Severity;
  readonly forMs: number;
  readonly clearForMs: number;
  readonly measures: readonly Measure[];
  readonly inhibitedBy: readonly string[];
  readonly inhibitAfterMs: number;
  readonly evaluate: (observed: RuleInput) => readonly Finding[];
  readonly example: () => Breach;
}

/** Binds the rule to its default options with `changes` applied. */
export function bindRule<Options extends ConditionOptions>(
  definition: RuleDefinition<Options>,
  changes: Partial<Options>,
): Rule {
  const options = { ...definition.defaults, ...changes };
  const { name, title, advice, measures, inhibitedBy } = definition;
  const { severity, forMs, clearForMs } = options;
  return {
    ...{ name, title, advice, measures, inhibitedBy, severity, forMs, clearForMs },
    inhibitAfterMs: definition.inhibitAfterMs(options),
    evaluate: observed => definition.evaluate(observed, options),
    example: () => definition.example(options),
  };
}
