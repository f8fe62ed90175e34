import type { Alert } from '../alert.ts';
import { describeCause } from '../rules/last-failure.ts';
import { describeRule } from '../rules/rule-description.ts';

/**
 * What is wrong, for health checks: names of rules, how many alerts each has and the names of their causes, but no labels,
 * since those who ask need no token.
 */
export interface Trouble {
  /** Alerts that fire or are about to, except mere information. */
  readonly warnings: readonly string[];
  /** Whether any of these fires. */
  readonly isFiring: boolean;
  /** Critical alerts that fire and are not silenced. */
  readonly critical: readonly string[];
}

export function troubleOf(alerts: readonly Alert[]): Trouble {
  const open = alerts.filter(({ state, severity }) => state !== 'resolved' && severity !== 'info');
  const critical = open.filter(
    ({ state, severity, silencedUntilMs }) =>
      state === 'firing' && severity === 'critical' && silencedUntilMs === undefined,
  );
  const isFiring = open.some(({ state }) => state === 'firing');
  return { warnings: named(open), isFiring, critical: named(critical) };
}

function named(alerts: readonly Alert[]): readonly string[] {
  return Array.from(
    Map.groupBy(alerts, ({ rule }) => rule),
    ([rule, ofRule]) => {
      const count = ofRule.length === 1 ? '' : ` (${ofRule.length} alerts)`;
      const causes = new Set(
        ofRule.flatMap(({ cause }) => (cause === undefined ? [] : describeCause(cause))),
      );
      const why = causes.size === 0 ? '' : `: ${Array.from(causes).join(', ')}`;
      return `${rule}: ${describeRule(rule).title}${count}${why}`;
    },
  );
}
