import type { Alert } from '../alert.ts';
import { describeCause } from '../rules/last-failure.ts';
import { describeRule } from '../rules/rule-description.ts';

/**
 * What is wrong, for health checks, each alert with its labels and its cause. Those who ask need no token, so it has no
 * figures and nothing that clients or stores have sent.
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
  return { warnings: open.map(nameOf), isFiring, critical: critical.map(nameOf) };
}

/** Such as `backendErrors: A backend answers with errors (backend main)`. */
function nameOf({ rule, labels, cause }: Alert): string {
  const named = Object.entries(labels).map(([name, value]) => `${name} ${value}`);
  const what = named.length === 0 ? '' : ` (${named.join(', ')})`;
  const why = cause === undefined ? '' : `: ${describeCause(cause)}`;
  return `${rule}: ${describeRule(rule).title}${what}${why}`;
}
