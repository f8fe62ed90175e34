import type { Clock, Timer } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import type { MetricSnapshot } from '../../base/metric-snapshot.ts';
import type { Family, GaugeCell, Metrics } from '../../base/metrics.ts';
import type { Alert, Notification } from '../alert.ts';
import { MeasurementHistory } from '../measurement/history.ts';
import type { RequestedObject, Rule } from '../rules/rule.ts';
import { withSilence } from '../silences/silence.ts';
import type { Silences } from '../silences/silences.ts';
import { type AnnouncementTiming, announcementsDue } from './announcements.ts';
import type { Change, Moment } from './condition.ts';
import { ConditionTracker } from './condition-tracker.ts';
import { type Episode, pendingKindOf } from './episode.ts';
import { type LastMinute, LastMinuteGauges, lastMinute, lastMinuteMeasures } from './last-minute.ts';
import type { OpenAlertStore, StoredAlert } from './open-alert-store.ts';

interface AlertEngineOptions {
  readonly rules: readonly Rule[];
  readonly clock: Clock;
  /** The merged metrics of all threads. */
  readonly sample: () => Promise<MetricSnapshot>;
  /** Accepts a notification. If it throws, the same one is passed again after the next sample. */
  readonly notify: (notification: Notification) => void;
  readonly silences: Silences;
  readonly store: OpenAlertStore;
  readonly metrics: Metrics;
  readonly logger: Logger;
  /** Archived objects requested recently, most requested first. */
  readonly archivedObjects?: () => Promise<readonly RequestedObject[]>;
  readonly sampleIntervalMs?: number;
  readonly timing?: AnnouncementTiming;
}

/** The result of acknowledging an alert. */
export type AcknowledgeOutcome =
  | { readonly kind: 'acknowledged'; readonly alert: Alert }
  | { readonly kind: 'already'; readonly alert: Alert }
  /** No alert with this id is firing. */
  | { readonly kind: 'not-firing' };

const MINUTE_MS = 60_000;

const defaultTiming: AnnouncementTiming = {
  groupWaitMs: { critical: 5_000, warning: 10_000, info: 10_000 },
  repeatMs: { critical: 60 * MINUTE_MS, warning: 240 * MINUTE_MS, info: 1_440 * MINUTE_MS },
};

/** The number of resolved alerts that are still shown. */
const RECENT_ALERTS = 50;

/**
 * Samples the metrics, evaluates the rules and passes on notifications. It never throws: errors of a round are logged,
 * and the next round tries again.
 */
export class AlertEngine {
  readonly #options: AlertEngineOptions;
  readonly #timing: AnnouncementTiming;
  readonly #history: MeasurementHistory;
  readonly #tracker: ConditionTracker;
  readonly #firing: Family<GaugeCell>;
  readonly #lastMinuteGauges: LastMinuteGauges;
  /** Resolved, but not notified yet. */
  #ended: readonly Episode[] = [];
  #recent: readonly Alert[] = [];
  #timer: Timer | undefined;
  #isStopped = false;
  #isUnsaved = false;

  constructor(options: AlertEngineOptions) {
    const { rules, store, metrics, timing = defaultTiming } = options;
    this.#options = options;
    this.#timing = timing;
    this.#history = new MeasurementHistory([...lastMinuteMeasures, ...rules.flatMap(rule => rule.measures)]);
    this.#tracker = new ConditionTracker(rules);
    this.#tracker.restore(store.load(), this.#now());
    this.#firing = metrics.gauge('tidegate_alerts_firing', 'Alerts that fire, silenced or not.', ['rule']);
    this.#lastMinuteGauges = new LastMinuteGauges(metrics);
    this.#count();
  }

  /** Evaluates `rules` from now on; alerts of rules that are not among them end untold. */
  use(rules: readonly Rule[]): void {
    this.#history.watch(rules.flatMap(rule => rule.measures));
    this.#tracker.use(rules);
    this.#count();
  }

  /** Starts sampling at once, then periodically until `stop`. */
  start(): void {
    const { clock, sampleIntervalMs = 5_000 } = this.#options;
    const next = () => {
      if (!this.#isStopped) this.#timer = clock.after(sampleIntervalMs, () => void this.tick().then(next));
    };
    void this.tick().then(next);
  }

  stop(): void {
    this.#isStopped = true;
    this.#timer?.cancel();
  }

  /** One round: sample, evaluate, notify, store. */
  async tick(): Promise<void> {
    const { sample, logger, archivedObjects } = this.#options;
    try {
      const archived = (await archivedObjects?.()) ?? [];
      const snapshot = await sample();
      if (this.#isStopped) return;
      const moment = this.#now();
      this.#history.record(snapshot, moment.monotonicMs);
      this.#lastMinuteGauges.show(this.lastMinute());
      const archivedIn = (bucket: string) => archived.filter(object => object.bucket === bucket);
      this.#takeIn(this.#tracker.step({ history: this.#history, archivedObjects: archivedIn }, moment));
      this.#tell(moment.monotonicMs);
      this.#count();
      this.#save();
    } catch (error) {
      logger.error({ err: error }, 'alerts could not be evaluated');
    }
  }

  /** Firing and pending alerts, then recently resolved ones, latest first. */
  alerts(): readonly Alert[] {
    const silences = this.#options.silences.active();
    const open = this.#tracker.episodes().map(({ alert }) => withSilence(alert, silences));
    return [...open, ...this.#ended.map(({ alert }) => alert), ...this.#recent];
  }

  /** The figures of the minute before the latest sample. */
  lastMinute(): LastMinute {
    return lastMinute(this.#history);
  }

  find(alertId: string): Alert | undefined {
    return this.alerts().find(({ id }) => id === alertId);
  }

  /** Acknowledges an alert: it is not repeated any more. Its resolution is still notified. */
  acknowledge(alertId: string, by: string): AcknowledgeOutcome {
    const alert = this.find(alertId);
    if (alert?.state !== 'firing') return { kind: 'not-firing' };
    if (alert.acknowledgedBy !== undefined) return { kind: 'already', alert };
    this.#tracker.update(alertId, episode => ({
      ...episode,
      alert: { ...episode.alert, acknowledgedBy: by },
    }));
    this.#options.logger.info({ rule: alert.rule, alert: alertId, by }, 'alert acknowledged');
    this.#isUnsaved = true;
    this.#save();
    return { kind: 'acknowledged', alert: { ...alert, acknowledgedBy: by } };
  }

  #now(): Moment {
    const { clock } = this.#options;
    return { monotonicMs: clock.monotonicMs(), wallMs: clock.nowMs() };
  }

  #takeIn(changes: readonly Change[]): void {
    const { logger } = this.#options;
    for (const { transition, episode } of changes) {
      const { id, rule, severity, labels, summary } = episode.alert;
      if (transition === 'pending' || transition === 'dropped') continue;
      const line = { alert: id, rule, severity, labels, summary };
      if (transition === 'fired') logger.warn(line, 'alert fires');
      else logger.info(line, 'alert resolved');
      this.#isUnsaved = true;
      if (transition === 'resolved') this.#ended = [...this.#ended, episode];
    }
  }

  #tell(nowMs: number): void {
    const silences = this.#options.silences.active();
    const silenced = (episode: Episode) => ({ ...episode, alert: withSilence(episode.alert, silences) });
    const firing = this.#tracker.episodes().filter(({ alert }) => alert.state === 'firing');
    const episodes = [...firing, ...this.#ended].map(silenced);
    for (const announcement of announcementsDue(episodes, nowMs, this.#timing)) {
      this.#options.notify(announcement.notification);
      for (const { alert } of announcement.episodes) this.#markTold(alert, nowMs);
    }
    const hasNews = (episode: Episode) =>
      pendingKindOf(silenced(episode), nowMs, this.#timing.repeatMs) !== 'none';
    this.#retire(this.#ended.filter(episode => !hasNews(episode)));
  }

  #markTold(alert: Alert, nowMs: number): void {
    this.#isUnsaved = true;
    if (alert.state === 'resolved') {
      this.#retire(this.#ended.filter(episode => episode.alert.id === alert.id));
      return;
    }
    this.#tracker.update(alert.id, episode => ({
      ...episode,
      tellings: episode.tellings + 1,
      lastToldMs: nowMs,
    }));
  }

  #retire(episodes: readonly Episode[]): void {
    if (episodes.length === 0) return;
    this.#ended = this.#ended.filter(episode => !episodes.includes(episode));
    this.#recent = [...episodes.map(({ alert }) => alert), ...this.#recent].slice(0, RECENT_ALERTS);
  }

  #count(): void {
    for (const { name } of this.#options.rules) this.#firing.cell(name).set(0);
    for (const { alert } of this.#tracker.episodes()) {
      if (alert.state === 'firing') this.#firing.cell(alert.rule).add();
    }
  }

  #save(): void {
    if (!this.#isUnsaved) return;
    const now = this.#now();
    // resolved but not yet notified alerts are stored as firing, so that after a crash they are found to be resolved
    // again
    this.#options.store.replace([...this.#tracker.toStore(now), ...this.#ended.map(asStillFiring)]);
    this.#isUnsaved = false;
  }
}

function asStillFiring({ alert: { endedAtMs = 0, ...alert }, tellings }: Episode): StoredAlert {
  return { alert: { ...alert, state: 'firing' }, tellings, lastToldAtMs: endedAtMs, firedAtMs: [] };
}
