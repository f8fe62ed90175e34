import { isNoticeName, type NoticeOptions, noticeTable } from './notice-table.ts';
import { isRuleName, type RuleOptions, ruleTable } from './rule-table.ts';

/** All of `alerts.rules`: changes to conditions and notices, or `false`. */
export type AlertOptions = RuleOptions & NoticeOptions;

/** A setting under its YAML name; durations are in milliseconds. */
export interface RuleSetting {
  readonly name: string;
  readonly kind: 'duration' | 'number' | 'severity';
  readonly value: string | number;
}

/** The settings of a rule with `options` applied; `off` when it is disabled or unknown. */
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

/** Durations have their unit in the name in code (`forMs`), and in the value in YAML (`for: 1m`). */
function settingOf(option: string, value: string | number): RuleSetting {
  if (typeof value === 'string') return { name: option, kind: 'severity', value };
  return option.endsWith('Ms')
    ? { name: option.slice(0, -2), kind: 'duration', value }
    : { name: option, kind: 'number', value };
}
