import { describeDuration } from '../../base/time-text.js';
import { stateFailures, stateUsable } from '../measurement/measure.ts';
import { total } from '../measurement/series.ts';
import { formatCount } from '../wording.ts';
import type { Breach, ConditionOptions, RuleDefinition } from './rule.ts';

interface StateDirectoryOptions extends ConditionOptions {
  /** How long a past failure is still reported. */
  readonly windowMs: number;
}

/** The state of alerts cannot be written to disk, or could not for a moment. */
export const stateDirectory: RuleDefinition<StateDirectoryOptions> = {
  name: 'stateDirectory',
  title: 'The state directory cannot be used, or could not recently',
  advice:
    'Requests are served as usual. Cards wait in memory and are sent from there, but a restart would lose them, and nothing can be silenced. The log says why; free some space or repair the directory; the state is then written again without a restart.',
  measures: [stateUsable, stateFailures],
  inhibitedBy: [],
  inhibitAfterMs: () => 0,
  defaults: { severity: 'warning', windowMs: 10 * 60_000, forMs: 0, clearForMs: 60_000 },
  evaluate: ({ history }, options) => {
    const [usable] = history.current(stateUsable);
    const failures = total(history.increase(stateFailures, options.windowMs).series);
    if (usable?.value === 0) return [breach('now', failures, options)];
    return [failures > 0 ? breach('before', failures, options) : { kind: 'clear', labels: {} }];
  },
  example: options => breach('now', 1, options),
};

function breach(when: 'now' | 'before', failures: number, { windowMs }: StateDirectoryOptions): Breach {
  const window = describeDuration(windowMs);
  return {
    kind: 'breach',
    labels: {},
    summary:
      when === 'now'
        ? 'Alerts and cards are kept in memory only: the state directory cannot be used.'
        : `The state directory could not be used in the last ${window}, and was written again.`,
    facts: [{ name: 'Failures', value: `${formatCount(failures)} in ${window}` }],
  };
}
