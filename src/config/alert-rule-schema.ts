import { z } from 'zod';
import { LONGEST_WINDOW_MS } from '../alerts/measurement/downsampled-rows.ts';
import { type NoticeOptions, noticeTable } from '../alerts/rules/notice-table.ts';
import { type RuleOptions, ruleTable } from '../alerts/rules/rule-table.ts';
import { amount, choice, duration, integer, map, share } from './scalars.ts';

const DAY_MS = 86_400_000;

export const severity = () => choice(['info', 'warning', 'critical']);

/** Options that are shares from 0 to 1: nothing ever exceeds a larger one, so the rule would be silent. */
export const shares: ReadonlySet<string> = new Set([
  'backendErrorBudget.budget',
  'backendErrorBurn.budget',
  'backendErrors.threshold',
  'backendTimeouts.threshold',
  'hitRatioDrop.drop',
  'hitRatioDrop.threshold',
  'refusedSignatures.threshold',
  'serverErrors.threshold',
]);

/**
 * `false`, or changes to the defaults of a rule. The YAML keys are derived from its options: `windowMs` becomes
 * `window`.
 */
function settingsOf(rule: string, defaults: object) {
  const names = new Map(Object.keys(defaults).map(option => [keyOf(option), option]));
  const shape = Object.fromEntries(
    Object.entries(defaults).map(([option, fallback]) => [
      keyOf(option),
      optionSchema(rule, option).optional().meta({ fallback }),
    ]),
  );
  const settings = map(shape).transform(given =>
    Object.fromEntries(Object.entries(given).map(([key, value]) => [names.get(key) ?? key, value])),
  );
  const keys = [...names.keys()].join(', ');
  return z
    .union([z.literal(false), settings], { error: `false, or a map of ${keys}` })
    .optional()
    .meta({ otherwise: 'the defaults below' });
}

const keyOf = (option: string) => option.replace(/Ms$/, '');

function optionSchema(rule: string, option: string) {
  if (option === 'severity') return severity();
  // measurements are kept no longer than this, so a longer window would silently cover less
  if (option === 'windowMs') return duration(0, LONGEST_WINDOW_MS);
  if (option.endsWith('Ms')) return duration(0, 30 * DAY_MS);
  if (shares.has(`${rule}.${option}`)) return share();
  return option.startsWith('min') ? integer(0, 1_000_000_000) : amount(0, 1_000_000_000);
}

const definitions: Readonly<Record<string, { readonly defaults: object }>> = { ...ruleTable, ...noticeTable };
const shape = Object.fromEntries(
  Object.entries(definitions).map(([name, { defaults }]) => [name, settingsOf(name, defaults)]),
);

/** `alerts.rules`: all rules and notices by name, with their options. */
export const alertRulesSchema = map(shape)
  .prefault({})
  // the type checker cannot follow a shape built from the two tables
  .transform(rules => rules as RuleOptions & NoticeOptions);
