import { isNoticeName, type NoticeOptions, noticeTable } from './notice-table.ts';
import { isRuleName, type RuleOptions, ruleTable } from './rule-table.ts';

/** All of `alerts.rules`: conditions and notices, changed or off. */
export type AlertOptions = RuleOptions & NoticeOptions;

/** A setting by its name in YAML; lengths of time are in milliseconds. */
export interface RuleSetting {
  readonly name: string;
  readonly kind: 'duration' | 'number' | 'severity';
  readonly value: string | number;
}

/** The settings of a rule under `options`, `off` when it is turned off or unknown. */
export function settingsOf(name: string, options: AlertOptions = {}): readonly RuleSetting[] | 'off' {
  const changes = isRuleName(name) || isNoticeName(name) ? options[name] : false;
  if (changes === false) return 'off';
  const defaults = isRuleName(name)
    ? ruleTable[name].defaults
    : isNoticeName(name)
      ? noticeTable[name].defaults
      : {};
  return Object.entries({ ...defaults, ...changes }).map(([option, value]) => settingOf(option, value));
}

/** Durations carry their unit in code (`forMs`), and in their value in YAML (`for: 1m`). */
function settingOf(option: string, value: string | number): RuleSetting {
  if (typeof value === 'string') return { name: option, kind: 'severity', value };
  return option.endsWith('Ms')
    ? { name: option.slice(0, -2), kind: 'duration', value }
    : { name: option, kind: 'number', value };
}
