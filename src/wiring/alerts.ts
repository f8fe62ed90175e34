/** Part of the supervisor's composition root: from measurements to cards, and back from their buttons. */
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
  /** Nobody configured anything: the webhook is the built-in channel. */
  readonly isDefaultStart: boolean;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Every measurement of the process, all threads in one. */
  readonly sample: () => Promise<MetricSnapshot>;
  readonly purge: Purge;
  readonly restore: Restore;
  /** The archived objects that were asked for of late, most often first. */
  readonly archivedReads: () => Promise<readonly RequestedObject[]>;
}

/** Alerts before it is known where the admin port listens. */
export interface AlertSystem {
  /** What the admin port serves of alerts, and of the built-in channel. */
  readonly routes: readonly AdminRoute[];
  /** Begins to post, what waited first. */
  start(adminUrl: string): RunningAlerts;
}

/** Alerts that are looked for and told. */
export interface RunningAlerts {
  readonly delivery: CardDelivery;
  /** Tells that the gateway takes requests, with `facts`, and begins to look. */
  begin(facts: readonly Fact[]): void;
  /** Tells of the stop, gives the last cards a moment, and ends. */
  stop(reason: string): Promise<void>;
}

/** What becomes known one after the other while things start. */
interface Whereabouts {
  readonly canRestore: boolean;
  adminUrl?: string;
  callbacks?: RunningCallbacks | undefined;
}

/** How long the last cards may take to get out, and what is pressed to be answered. */
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

/** Where the buttons of a card lead that is written now. */
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

/** The gateway's own runbook, beside its status page. */
function runbookUnder(statusPageUrl: string): (rule: string) => string {
  return rule => new URL(`runbook#${rule}`, statusPageUrl).href;
}

/** The measurements of one round, and the archived objects that were asked for by then. */
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

/** The channel page shows everything there is, notices too. */
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
