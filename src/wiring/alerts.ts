/** Part of the supervisor's composition root: metrics → alerts → cards, and the buttons of cards. */
import type { AdminRoute } from '../admin/admin-route.ts';
import { alertRoutes } from '../admin/alerts/alert-routes.ts';
import { runbookRoutes } from '../admin/alerts/runbook-routes.ts';
import { silenceRoutes } from '../admin/alerts/silence-routes.ts';
import type { PageLink } from '../admin/page-navigation.ts';
import type { Purge } from '../admin/purge-route.ts';
import type { Fact, Notification } from '../alerts/alert.ts';
import { ActionLog } from '../alerts/callbacks/action-log.ts';
import { callbackSecret, UsedTickets } from '../alerts/callbacks/used-tickets.ts';
import type { CardDelivery } from '../alerts/delivery/card-delivery.ts';
import { AlertEngine } from '../alerts/engine/alert-engine.ts';
import type { LastMinute } from '../alerts/engine/last-minute.ts';
import { Notices } from '../alerts/engine/notices.ts';
import { OpenAlertStore } from '../alerts/engine/open-alert-store.ts';
import { type Trouble, troubleOf } from '../alerts/engine/trouble.ts';
import { PersistentState } from '../alerts/persistent-state.ts';
import type { RequestedObject } from '../alerts/rules/rule.ts';
import { createRules } from '../alerts/rules/rule-table.ts';
import { Silences } from '../alerts/silences/silences.ts';
import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import type { MetricSnapshot } from '../base/metric-snapshot.ts';
import type { Metrics } from '../base/metrics.ts';
import type { AlertConfig, GatewayConfig } from '../config/gateway-config.ts';
import { startCallbacks } from './callbacks.ts';
import { cardOperations, type Restore } from './card-operations.ts';
import { startCards } from './cards.ts';

interface AlertParts {
  readonly config: GatewayConfig;
  /** Started without a configuration: the built-in channel is the webhook. */
  readonly isDefaultStart: boolean;
  /** The links between the pages of the admin port. */
  readonly navigation: readonly PageLink[];
  /** Such as `http://127.0.0.1:9090`. */
  readonly adminUrl: string;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** The metrics of the whole process, merged over all threads. */
  readonly sample: () => Promise<MetricSnapshot>;
  readonly purge: Purge;
  readonly restore: Restore;
  /** Archived objects requested recently, most requested first. */
  readonly archivedReads: () => Promise<readonly RequestedObject[]>;
}

/** Running alerts: cards that were left over from the last run are being posted. */
export interface Alerts {
  /** The incoming webhook of the built-in channel, a secret; undefined where webhooks are configured. */
  readonly webhookUrl: string | undefined;
  /** The admin routes for alerts and for the built-in channel. */
  readonly routes: readonly AdminRoute[];
  trouble(): Trouble;
  lastMinute(): LastMinute;
  /** Announces the start, with `facts`, and starts to evaluate rules. */
  begin(facts: readonly Fact[]): void;
  /** Takes over other rules, webhooks and links. @throws WebhookOptionsError; nothing has changed then */
  reconfigure(alerts: AlertConfig): void;
  /** Announces the stop, waits shortly for the last cards, and closes everything. */
  stop(reason: string): Promise<void>;
}

/** How long the stop waits for the last cards and for running button presses. */
const LAST_CARDS_MS = 3_000;

/** @throws StateDatabaseError, ListenError */
export async function startAlerts(parts: AlertParts): Promise<Alerts> {
  const { config, isDefaultStart, adminUrl, clock, logger, metrics, sample, purge, navigation } = parts;
  const common = { clock, logger, metrics };
  const restore = config.alerts.callbacks?.restore || isDefaultStart ? parts.restore : undefined;
  const database = new PersistentState({ directory: config.state.directory, ...common });
  const silences = new Silences(database, clock, work => database.saved(work));
  const acts = new ActionLog(database);
  const secret = callbackSecret(database);
  const { delivery, render, channel, endpoint, reconfigure, close } = await startCards({
    ...{ ...common, alerts: config.alerts, isDefaultStart, adminUrl, database, acts, secret },
    canRestore: restore !== undefined,
  });
  const notify = (notification: Notification) => delivery.notify(notification);
  const engine = new AlertEngine({
    ...{ ...common, silences, sample, notify },
    archivedObjects: parts.archivedReads,
    rules: createRules(config.alerts.rules),
    store: new OpenAlertStore(database),
  });
  const callbacks =
    endpoint &&
    (await startCallbacks(endpoint, config.limits, {
      ...{ ...common, secret, acts },
      tickets: new UsedTickets(database, clock),
      operations: cardOperations({ engine, silences, restore, purge }),
      render: notification => render(notification, 'connector'),
    }));
  let { rules } = config.alerts;
  const notices = new Notices({
    ...{ options: () => rules, clock, notify },
    firing: () => engine.alerts().filter(({ state }) => state === 'firing').length,
  });
  return {
    webhookUrl: channel && adminUrl + channel.webhookPath,
    trouble: () => troubleOf(engine.alerts()),
    lastMinute: () => engine.lastMinute(),
    routes: [
      ...routesOf(parts, { rules: () => rules, engine, silences, delivery, acts, notify }),
      ...(channel?.routes(endpoint?.origin, navigation) ?? []),
    ],
    begin(facts) {
      notices.started(facts);
      engine.start();
    },
    reconfigure(next) {
      reconfigure(next);
      ({ rules } = next);
      engine.use(createRules(rules));
      notices.reschedule();
    },
    async stop(reason) {
      engine.stop();
      notices.stopped(reason);
      await Promise.all([delivery.drain(LAST_CARDS_MS), callbacks?.drain(LAST_CARDS_MS)]);
      await close();
      database.close();
    },
  };
}

interface AdminParts {
  readonly rules: () => AlertConfig['rules'];
  readonly engine: AlertEngine;
  readonly silences: Silences;
  readonly delivery: CardDelivery;
  readonly acts: ActionLog;
  readonly notify: (notification: Notification) => void;
}

/** The admin routes for alerts, silences and the runbook. */
function routesOf(
  { config, clock, logger, navigation, adminUrl }: AlertParts,
  { rules, engine, silences, delivery, acts, notify }: AdminParts,
): readonly AdminRoute[] {
  return [
    ...alertRoutes({
      ...{ clock, notify },
      alerts: () => engine.alerts(),
      silences: () => silences.active(),
      webhooks: () => delivery.status(),
      deadLetters: () => delivery.deadLetters(),
      sendAgain: id => delivery.sendAgain(id),
      acknowledge: (id, by) => engine.acknowledge(id, by),
      acts: () => acts.recent(),
    }),
    ...silenceRoutes({ silences, clock, logger }),
    ...runbookRoutes({
      ...{ rules, navigation, adminUrl },
      needsToken: config.admin.token !== undefined,
    }),
  ];
}
