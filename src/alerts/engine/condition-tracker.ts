import type { Labels } from '../alert.ts';
import type { Finding, Rule, RuleInput } from '../rules/rule.ts';
import { type Change, type Condition, type Moment, stepCondition } from './condition.ts';
import { conditionFingerprint, type Episode } from './episode.ts';
import { FLAP_MEMORY_MS, inactive } from './lifecycle.ts';
import type { StoredAlert } from './open-alert-store.ts';

/** Tracks every condition that is active or was recently, and updates them with the findings of the rules. */
export class ConditionTracker {
  #rules: readonly Rule[] = [];
  #memoryMs = 0;
  readonly #conditions = new Map<string, Condition>();

  constructor(rules: readonly Rule[]) {
    this.use(rules);
  }

  /** Evaluates `rules` from now on. What others had found is forgotten, so their alerts end untold. */
  use(rules: readonly Rule[]): void {
    this.#rules = rules;
    this.#memoryMs = Math.max(FLAP_MEMORY_MS, ...rules.map(({ inhibitAfterMs }) => inhibitAfterMs));
    for (const [fingerprint, condition] of this.#conditions) {
      const rule = rules.find(({ name }) => name === condition.rule.name);
      if (rule) this.#conditions.set(fingerprint, { ...condition, rule });
      else this.#conditions.delete(fingerprint);
    }
  }

  /** Restores the alerts that were firing before a restart, if their rules still exist. */
  restore(stored: readonly StoredAlert[], { monotonicMs, wallMs }: Moment): void {
    const toMonotonic = (atMs: number) => monotonicMs - Math.max(0, wallMs - atMs);
    for (const { alert, tellings, lastToldAtMs, firedAtMs } of stored) {
      const rule = this.#rules.find(({ name }) => name === alert.rule);
      if (!rule) continue;
      this.#conditions.set(alert.fingerprint, {
        rule,
        labels: alert.labels,
        standing: { kind: 'firing', firings: firedAtMs.map(toMonotonic), seenMs: monotonicMs },
        episode: { alert, tellings, lastToldMs: toMonotonic(lastToldAtMs), newsAtMs: monotonicMs },
      });
    }
  }

  /** Evaluates all rules and updates all conditions. Returns the changes, causes before effects. */
  step(observed: RuleInput, moment: Moment): readonly Change[] {
    const changes = this.#rules.flatMap(rule => {
      const findings = this.#findingsOf(rule, observed);
      return Array.from(findings, ([fingerprint, finding]) => this.#move(rule, fingerprint, finding, moment));
    });
    this.#forgetOld(moment.monotonicMs);
    return changes.flatMap(change => change ?? []);
  }

  /** Pending and firing episodes, in order of appearance. */
  episodes(): readonly Episode[] {
    return Array.from(this.#conditions.values()).flatMap(({ episode }) => episode ?? []);
  }

  /** Replaces the episode of this alert, unless it has ended. */
  update(alertId: string, change: (episode: Episode) => Episode): void {
    for (const [fingerprint, condition] of this.#conditions) {
      if (condition.episode?.alert.id !== alertId) continue;
      this.#conditions.set(fingerprint, { ...condition, episode: change(condition.episode) });
    }
  }

  /** The firing alerts, to be stored for a restart. */
  toStore({ monotonicMs, wallMs }: Moment): readonly StoredAlert[] {
    const toWall = (atMs: number) => Math.round(wallMs - (monotonicMs - atMs));
    return Array.from(this.#conditions.values()).flatMap(({ standing, episode }) => {
      if (standing.kind !== 'firing' || !episode) return [];
      const { alert, tellings, lastToldMs } = episode;
      const firedAtMs = standing.firings.map(toWall);
      return [{ alert, tellings, lastToldAtMs: toWall(lastToldMs), firedAtMs }];
    });
  }

  /** The rule's findings by fingerprint; conditions without a finding count as `no-data`. */
  #findingsOf(rule: Rule, observed: RuleInput): ReadonlyMap<string, Finding> {
    const findings = new Map<string, Finding>();
    for (const [fingerprint, condition] of this.#conditions) {
      if (condition.rule === rule) findings.set(fingerprint, { kind: 'no-data', labels: condition.labels });
    }
    for (const finding of rule.evaluate(observed)) {
      const fingerprint = conditionFingerprint(rule.name, finding.labels);
      if (findings.has(fingerprint) || finding.kind === 'breach') findings.set(fingerprint, finding);
    }
    return findings;
  }

  #move(rule: Rule, fingerprint: string, finding: Finding, moment: Moment): Change | undefined {
    const { labels } = finding;
    const condition = this.#conditions.get(fingerprint) ?? { rule, labels, standing: inactive };
    const isHeldBack = condition.standing.kind !== 'firing' && this.#isExplained(rule, labels, moment);
    const counted: Finding = isHeldBack ? { kind: 'no-data', labels } : finding;
    const [next, change] = stepCondition(condition, counted, moment);
    this.#conditions.set(fingerprint, next);
    return change;
  }

  /** Whether a rule that names the cause is firing, pending or recently resolved, for matching labels. */
  #isExplained(rule: Rule, labels: Labels, { monotonicMs }: Moment): boolean {
    return Array.from(this.#conditions.values()).some(cause => {
      if (!rule.inhibitedBy.includes(cause.rule.name) || !agree(cause.labels, labels)) return false;
      if (cause.standing.kind !== 'inactive') return true;
      return cause.endedMs !== undefined && monotonicMs - cause.endedMs <= rule.inhibitAfterMs;
    });
  }

  #forgetOld(nowMs: number): void {
    for (const [fingerprint, { standing, endedMs }] of this.#conditions) {
      if (standing.kind !== 'inactive') continue;
      if (endedMs === undefined || nowMs - endedMs > this.#memoryMs) this.#conditions.delete(fingerprint);
    }
  }
}

/** Whether the labels that both have are equal. */
function agree(a: Labels, b: Labels): boolean {
  return Object.entries(a).every(([name, value]) => b[name] === undefined || b[name] === value);
}
