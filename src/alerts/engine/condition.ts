import type { Labels } from '../alert.ts';
import type { Finding, Rule } from '../rules/rule.ts';
import { alertOf, type Episode } from './episode.ts';
import { advance, type ConditionState, type Transition } from './lifecycle.ts';

/** The same time on both clocks. */
export interface Moment {
  /** For measuring durations. */
  readonly monotonicMs: number;
  /** For display. */
  readonly wallMs: number;
}

/** The state of one rule for one set of labels, with the episode while it is pending or firing. */
export interface Condition {
  readonly rule: Rule;
  readonly labels: Labels;
  readonly standing: ConditionState;
  readonly episode?: Episode;
  /** When it was last resolved, in monotonic milliseconds. */
  readonly endedMs?: number;
}

/** The change of an episode; `episode` is its state afterwards. */
export interface Change {
  readonly transition: Exclude<Transition, 'none'>;
  readonly episode: Episode;
}

/** Updates a condition with the finding of its rule; also returns the change to notify, if any. */
export function stepCondition(
  condition: Condition,
  finding: Finding,
  moment: Moment,
): readonly [next: Condition, change?: Change] {
  const { rule, labels, endedMs } = condition;
  const { standing, transition } = advance(condition.standing, finding.kind, moment.monotonicMs, rule);
  const ended = endedMs === undefined ? {} : { endedMs };
  if (standing.kind === 'inactive') {
    const episode = transition === 'resolved' ? resolved(condition, moment) : condition.episode;
    const endedNow = transition === 'resolved' ? { endedMs: moment.monotonicMs } : ended;
    return withChange({ rule, labels, standing, ...endedNow }, transition, episode);
  }
  const episode = refreshed(condition, finding, standing.kind, transition, moment);
  return withChange(
    { rule, labels, standing, ...ended, ...(episode ? { episode } : {}) },
    transition,
    episode,
  );
}

function withChange(
  next: Condition,
  transition: Transition,
  episode: Episode | undefined,
): readonly [Condition, Change?] {
  return transition === 'none' || !episode ? [next] : [next, { transition, episode }];
}

/** The episode with the figures of a new breach; unchanged without one. */
function refreshed(
  { rule, episode }: Condition,
  finding: Finding,
  state: 'pending' | 'firing',
  transition: Transition,
  { monotonicMs, wallMs }: Moment,
): Episode | undefined {
  if (finding.kind !== 'breach') return episode;
  const alert = alertOf(rule, finding, state, episode?.alert.startedAtMs ?? wallMs);
  if (!episode) return { alert, newsAtMs: monotonicMs, tellings: 0, lastToldMs: monotonicMs };
  const { acknowledgedBy } = episode.alert;
  return {
    ...episode,
    alert: acknowledgedBy === undefined ? alert : { ...alert, acknowledgedBy },
    newsAtMs: transition === 'fired' ? monotonicMs : episode.newsAtMs,
  };
}

/** The ended episode; it ended when the breach was last seen. */
function resolved({ standing, episode }: Condition, { monotonicMs, wallMs }: Moment): Episode | undefined {
  if (!episode) return undefined;
  const seenMs = standing.kind === 'firing' ? standing.seenMs : monotonicMs;
  const endedAtMs = Math.max(episode.alert.startedAtMs, wallMs - (monotonicMs - seenMs));
  return { ...episode, alert: { ...episode.alert, state: 'resolved', endedAtMs }, newsAtMs: monotonicMs };
}
