import { reloadSucceeded } from '../measurement/measure.ts';
import type { Breach, ConditionOptions, RuleDefinition } from './rule.ts';

/** The last reload of the configuration was refused. */
export const configReload: RuleDefinition<ConditionOptions> = {
  name: 'configReload',
  title: 'The configuration was not reloaded',
  advice:
    'The gateway goes on with the configuration from before. The log says which key is wrong; tidegate check finds it too. Mend the file and reload it; a restart with it would fail.',
  measures: [reloadSucceeded],
  inhibitedBy: [],
  inhibitAfterMs: () => 0,
  defaults: { severity: 'warning', forMs: 10 * 60_000, clearForMs: 10 * 60_000 },
  evaluate: ({ history }) => {
    const [succeeded] = history.current(reloadSucceeded);
    return [succeeded?.value === 0 ? breach : { kind: 'clear', labels: {} }];
  },
  example: () => breach,
};

const breach: Breach = {
  kind: 'breach',
  labels: {},
  summary: 'The last reload of the configuration was refused, and the file has not been mended since.',
  facts: [],
};
