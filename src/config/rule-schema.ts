import { z } from 'zod';
import { alertNames } from '../alerts/rules/rule-description.ts';
import {
  type AlertOptions,
  isAlertOptions,
  optionOf,
  type RuleSetting,
  settingsOf,
} from '../alerts/rules/rule-settings.ts';
import { amount, choice, duration, map } from './scalars.ts';

const DAY_MS = 86_400_000;
/** Measurements are kept this long, and no timer runs much longer than three weeks. */
const LONGEST_MS = { window: 3 * DAY_MS, every: 20 * DAY_MS };

/** `alerts.rules`: each rule with the settings that it has, or `false`. */
export function rulesSchema() {
  const rules = Object.fromEntries(alertNames.map(name => [name, ruleSchema(name).optional()]));
  return map(rules).pipe(z.custom<AlertOptions>(isAlertOptions));
}

function ruleSchema(name: string) {
  const declared = settingsOf(name);
  const settings = declared === 'off' ? [] : declared;
  const shape = Object.fromEntries(
    settings.map(setting => [setting.name, settingSchema(setting).optional()]),
  );
  return z.union([z.literal(false), map(shape).transform(given => asOptions(given, settings))], {
    error: 'false, or settings such as { threshold: 0.05, for: 1m }',
  });
}

function settingSchema({ name, kind }: RuleSetting): z.ZodType<string | number> {
  if (kind === 'severity') return choice(['info', 'warning', 'critical']);
  if (kind === 'number') return amount(0, Number.MAX_SAFE_INTEGER);
  if (name === 'for' || name === 'clearFor') return duration(0, DAY_MS);
  return duration(1, name === 'every' ? LONGEST_MS.every : LONGEST_MS.window);
}

/** The settings that were given, under their names in code. */
function asOptions(
  given: Readonly<Record<string, string | number | undefined>>,
  settings: readonly RuleSetting[],
): Readonly<Record<string, string | number>> {
  return Object.fromEntries(
    settings.flatMap(({ name, kind }) => {
      const value = given[name];
      return value === undefined ? [] : [[optionOf(name, kind), value]];
    }),
  );
}
