/** Part of the supervisor's composition root: how cards look, and where they are posted. */
import { type BuiltInChannel, createBuiltInChannel } from '../admin/channel/built-in-channel.ts';
import type { Notification } from '../alerts/alert.ts';
import { type ActionLog, withActions } from '../alerts/callbacks/action-log.ts';
import { createActionSigner } from '../alerts/callbacks/action-ticket.ts';
import type { CardForm, CardPayload } from '../alerts/card/card.ts';
import { renderCard } from '../alerts/card/render-card.ts';
import { CardDelivery } from '../alerts/delivery/card-delivery.ts';
import type { WebhookOptions } from '../alerts/delivery/webhook-options.ts';
import { WebhookPoster } from '../alerts/delivery/webhook-post.ts';
import type { StateDatabase } from '../alerts/state-database.ts';
import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import type { Metrics } from '../base/metrics.ts';
import type { AlertConfig } from '../config/gateway-config.ts';
import { type CallbackEndpoint, callbackEndpoint } from './callbacks.ts';
import { cardLinks } from './card-links.ts';

interface CardParts {
  readonly alerts: AlertConfig;
  /** Started without a configuration: the built-in channel is the webhook. */
  readonly isDefaultStart: boolean;
  /** Such as `http://127.0.0.1:9090`. */
  readonly adminUrl: string;
  readonly canRestore: boolean;
  readonly database: StateDatabase;
  readonly acts: ActionLog;
  /** See `callbackSecret`. */
  readonly secret: Uint8Array;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** Cards that are being posted, those left over from the last run first. */
export interface Cards {
  readonly delivery: CardDelivery;
  /** Renders a card with the links and actions of this moment. */
  readonly render: (notification: Notification, form: CardForm) => CardPayload;
  /** The built-in channel; undefined where webhooks are configured. */
  readonly channel: BuiltInChannel | undefined;
  /** Where buttons are to be answered; undefined where cards have none. */
  readonly endpoint: CallbackEndpoint | undefined;
  /** Takes over other links and webhooks. @throws WebhookOptionsError */
  reconfigure(alerts: AlertConfig): void;
  /** Starts no further posts and waits for running ones. */
  close(): Promise<void>;
}

/** @throws ListenError when there is no port for the buttons of the built-in channel */
export async function startCards(parts: CardParts): Promise<Cards> {
  const { alerts, isDefaultStart, adminUrl, canRestore, database, acts, secret } = parts;
  const { clock, logger, metrics } = parts;
  const channel = isDefaultStart ? await createBuiltInChannel(clock) : undefined;
  const endpoint = await callbackEndpoint(alerts.callbacks, channel);
  const signAction = createActionSigner({ secret, clock });
  const targets = { adminUrl, callbackOrigin: endpoint?.origin, canRestore, signAction };
  let links = cardLinks(alerts, targets);
  const render = (notification: Notification, form: CardForm) =>
    renderCard(withActions(notification, acts.recent()), form, links);
  const poster = new WebhookPoster();
  const delivery = new CardDelivery({
    ...{ database, clock, logger, metrics, render },
    webhooks: channel ? [channelWebhook(channel, adminUrl)] : alerts.webhooks,
    post: poster.post,
    random: Math.random,
  });
  return {
    ...{ delivery, render, channel, endpoint },
    reconfigure(next) {
      links = cardLinks(next, targets);
      if (!channel) delivery.use(next.webhooks);
    },
    async close() {
      channel?.close();
      await Promise.all([delivery.close(), poster.close()]);
    },
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
