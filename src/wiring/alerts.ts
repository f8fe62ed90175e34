/** Part of the supervisor's composition root: metrics → alerts → cards, and the buttons of cards. */
import { hostname } from 'node:os';
import type { AdminRoute } from '../admin/admin-route.ts';
import { alertRoutes } from '../admin/alerts/alert-routes.ts';
import { runbookRoute } from '../admin/alerts/runbook-route.ts';
import { silenceRoutes } from '../admin/alerts/silence-routes.ts';
import { type BuiltInChannel, createBuiltInChannel } from '../admin/channel/built-in-channel.ts';
import type { Purge } from '../admin/purge-route.ts';
import type { Fact, Notification } from '../alerts/alert.ts';
import { ActionLog, withActions } from '../alerts/callbacks/action-log.ts';
import { createActionSigner } from '../alerts/callbacks/action-ticket.ts';
import { CALLBACK_PATH } from '../alerts/callbacks/callback-handler.ts';
import { callbackSecret, UsedTickets } from '../alerts/callbacks/used-tickets.ts';
import type { CardForm, CardLinks, CardPayload, SignAction } from '../alerts/card/card.ts';
import { renderCard } from '../alerts/card/render-card.ts';
import { CardDelivery } from '../alerts/delivery/card-delivery.ts';
import type { WebhookOptions } from '../alerts/delivery/webhook-options.ts';
import { WebhookPoster } from '../alerts/delivery/webhook-post.ts';
import { AlertEngine, type AlertEngineOptions } from '../alerts/engine/alert-engine.ts';
import { Notices } from '../alerts/engine/notices.ts';
import { OpenAlertStore } from '../alerts/engine/open-alert-store.ts';
import { PersistentState } from '../alerts/persistent-state.ts';
import type { RequestedObject } from '../alerts/rules/rule.ts';
import { createRules } from '../alerts/rules/rule-table.ts';
import { Silences } from '../alerts/silences/silences.ts';
import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import type { MetricSnapshot } from '../base/metric-snapshot.ts';
import type { Metrics } from '../base/metrics.ts';
import type { GatewayConfig } from '../config/gateway-config.ts';
import { type RunningCallbacks, startCallbacks } from './callbacks.ts';
import { cardOperations, type Restore } from './card-operations.ts';

export interface AlertParts {
  readonly config: GatewayConfig;
  /** Started without a configuration: the built-in channel is the webhook. */
  readonly isDefaultStart: boolean;
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

/** Alerts before the address of the admin port is known. */
export interface AlertSystem {
  /** The admin routes for alerts and for the built-in channel. */
  readonly routes: readonly AdminRoute[];
  /** Starts to post cards, those still in the outbox first. */
  start(adminUrl: string): RunningAlerts;
}

/** Alerts with a running delivery. */
export interface RunningAlerts {
  readonly delivery: CardDelivery;
  /** Announces the start, with `facts`, and starts to evaluate rules. */
  begin(facts: readonly Fact[]): void;
  /** Announces the stop, waits shortly for the last cards, and closes everything. */
  stop(reason: string): Promise<void>;
}

/** Addresses that become known during the start. */
interface Whereabouts {
  readonly canRestore: boolean;
  adminUrl?: string;
  callbacks?: RunningCallbacks | undefined;
}

/** How long the stop waits for the last cards and for running button presses. */
const LAST_CARDS_MS = 3_000;

/** @throws StateDatabaseError, ListenError */
export async function composeAlerts(parts: AlertParts): Promise<AlertSystem> {
  const { config, isDefaultStart, clock, logger, metrics } = parts;
  const restore = config.alerts.callbacks?.restore || isDefaultStart ? parts.restore : undefined;
  const { directory } = config.state;
  const database = new PersistentState({ directory, clock, logger, metrics });
  const silences = new Silences(database, clock, work => database.saved(work));
  const acts = new ActionLog(database);
  const secret = callbackSecret(database);
  const where: Whereabouts = { canRestore: restore !== undefined };
  const signAction = createActionSigner({ secret, clock });
  const render = (notification: Notification, form: CardForm) =>
    renderCard(withActions(notification, acts.recent()), form, cardLinks(config.alerts, where, signAction));
  const told: { delivery?: CardDelivery } = {};
  const engine = new AlertEngine({
    ...{ clock, logger, metrics, silences, ...observing(parts) },
    rules: createRules(config.alerts.rules),
    store: new OpenAlertStore(database),
    notify: notification => told.delivery?.notify(notification),
  });
  const channel = isDefaultStart ? await createBuiltInChannel(clock) : undefined;
  where.callbacks = await startCallbacks(config, channel, {
    ...{ secret, acts, clock, logger, metrics },
    tickets: new UsedTickets(database, clock),
    operations: cardOperations({ engine, silences, restore, purge: parts.purge }),
    render: notification => render(notification, 'connector'),
  });
  return {
    routes: [
      ...alertRoutes({
        clock,
        alerts: () => engine.alerts(),
        silences: () => silences.active(),
        webhooks: () => told.delivery?.status() ?? [],
        acts: () => acts.recent(),
        notify: notification => told.delivery?.notify(notification),
      }),
      ...silenceRoutes({ silences, clock, logger }),
      runbookRoute(config.alerts.rules),
      ...(channel?.routes(where.callbacks?.origin) ?? []),
    ],
    start(adminUrl) {
      where.adminUrl = adminUrl;
      const webhooks = channel ? [channelWebhook(channel, adminUrl)] : config.alerts.webhooks;
      const running = run(parts, { database, webhooks, render, engine, channel, callbacks: where.callbacks });
      told.delivery = running.delivery;
      return running;
    },
  };
}

/** The links and buttons of a card that is rendered now. */
function cardLinks(
  { source = hostname(), statusPage, runbook }: GatewayConfig['alerts'],
  { adminUrl, callbacks, canRestore }: Whereabouts,
  signAction: SignAction,
): CardLinks {
  const statusPageUrl = statusPage ?? (adminUrl && `${adminUrl}/`);
  return {
    source,
    ...(statusPageUrl === undefined ? {} : { statusPageUrl, runbookUrl: runbookUnder(statusPageUrl) }),
    ...(runbook === undefined ? {} : { runbookUrl: rule => runbook.replaceAll('{rule}', rule) }),
    ...(callbacks
      ? { callbacks: { url: callbacks.origin + CALLBACK_PATH, signAction, restore: canRestore } }
      : {}),
  };
}

/** The built-in runbook, next to the status page. */
function runbookUnder(statusPageUrl: string): (rule: string) => string {
  return rule => new URL(`runbook#${rule}`, statusPageUrl).href;
}

/** The metrics of one evaluation, together with the archived objects requested until then. */
function observing({
  sample,
  archivedReads,
}: AlertParts): Pick<AlertEngineOptions, 'sample' | 'archivedObjects'> {
  let archived: readonly RequestedObject[] = [];
  return {
    sample: async () => {
      archived = await archivedReads();
      return sample();
    },
    archivedObjects: bucket => archived.filter(object => object.bucket === bucket),
  };
}

/** The channel page shows all cards, including notices. */
function channelWebhook({ webhookPath }: BuiltInChannel, adminUrl: string): WebhookOptions {
  return {
    url: adminUrl + webhookPath,
    service: 'connector',
    card: 'connector',
    minSeverity: 'info',
    share: 1,
  };
}

interface RunningParts {
  readonly database: PersistentState;
  readonly webhooks: readonly WebhookOptions[];
  readonly render: (notification: Notification, form: CardForm) => CardPayload;
  readonly engine: AlertEngine;
  readonly channel: BuiltInChannel | undefined;
  readonly callbacks: RunningCallbacks | undefined;
}

function run(
  { config, clock, logger, metrics }: AlertParts,
  { database, webhooks, render, engine, channel, callbacks }: RunningParts,
): RunningAlerts {
  const poster = new WebhookPoster();
  const common = { clock, logger, metrics };
  const delivery = new CardDelivery({
    ...{ ...common, webhooks, database, render },
    post: poster.post,
    random: Math.random,
  });
  const notices = new Notices({
    options: config.alerts.rules,
    clock,
    notify: notification => delivery.notify(notification),
    firing: () => engine.alerts().filter(({ state }) => state === 'firing').length,
  });
  return {
    delivery,
    begin(facts) {
      notices.started(facts);
      engine.start();
    },
    async stop(reason) {
      engine.stop();
      notices.stopped(reason);
      await Promise.all([delivery.drain(LAST_CARDS_MS), callbacks?.listener.drain(LAST_CARDS_MS)]);
      channel?.close();
      await Promise.all([delivery.close(), poster.close()]);
      database.close();
    },
  };
}
