import { z } from 'zod';
import { LONGEST_WINDOW_MS } from '../alerts/measurement/downsampled-rows.ts';
import { type NoticeOptions, noticeTable } from '../alerts/rules/notice-table.ts';
import { type RuleOptions, ruleTable } from '../alerts/rules/rule-table.ts';
import { amount, choice, duration, integer, map } from './scalars.ts';

const DAY_MS = 86_400_000;

export const severity = () => choice(['info', 'warning', 'critical']);

/** `false`, or changes to the defaults of a rule, whose options name the keys: `windowMs` is `window` in YAML. */
function settingsOf(defaults: object) {
  const names = new Map(Object.keys(defaults).map(option => [option.replace(/Ms$/, ''), option]));
  const shape = Object.fromEntries(
    Array.from(names, ([key, option]) => [key, optionSchema(option).optional()]),
  );
  const settings = map(shape).transform(given =>
    Object.fromEntries(Object.entries(given).map(([key, value]) => [names.get(key) ?? key, value])),
  );
  const keys = [...names.keys()].join(', ');
  return z.union([z.literal(false), settings], { error: `false, or a map of ${keys}` }).optional();
}

function optionSchema(option: string) {
  if (option === 'severity') return severity();
  // a longer one would be told of the past that is kept as if it were all of it
  if (option === 'windowMs') return duration(0, LONGEST_WINDOW_MS);
  if (option.endsWith('Ms')) return duration(0, 30 * DAY_MS);
  return option.startsWith('min') ? integer(0, 1_000_000_000) : amount(0, 1_000_000_000);
}

const definitions: Readonly<Record<string, { readonly defaults: object }>> = { ...ruleTable, ...noticeTable };
const shape = Object.fromEntries(
  Object.entries(definitions).map(([name, { defaults }]) => [name, settingsOf(defaults)]),
);

/** `alerts.rules`: every rule and notice that there is, by name, with the options that it has. */
export const alertRulesSchema = map(shape)
  .prefault({})
  // the shape was made of the two tables, name by name and option by option
  .transform(rules => rules as RuleOptions & NoticeOptions);
