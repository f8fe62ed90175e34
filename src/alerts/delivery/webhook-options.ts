import { createHash } from 'node:crypto';
import { compareSeverity, type Notification, type Severity } from '../alert.ts';
import type { CardForm } from '../card/card.ts';
import type { WebhookService } from './reply.ts';
import { SMALLEST_SHARE } from './windows.ts';

/** One entry of `alerts.webhooks`. */
export interface WebhookOptions {
  /** A secret: whoever knows it can post. It is in no log line, metric, error, status or file. */
  readonly url: string;
  readonly service: WebhookService;
  readonly card: CardForm;
  readonly minSeverity: Severity;
  /** The rules whose news go here; all of them where absent. */
  readonly rules?: readonly string[] | undefined;
  /** The part of the channel's budget that this gateway may use, 0.25 to 1. */
  readonly share: number;
}

/** A webhook and the two names it goes by. */
export interface Webhook extends WebhookOptions {
  /** What people see: `webhook-1` for the first of the list. */
  readonly name: string;
  /** What files remember it by: a digest of the URL, so that budget and cards stay with their channel. */
  readonly channel: string;
}

/** Webhooks that cannot work as they are configured. */
export class WebhookOptionsError extends Error {
  readonly code = 'WEBHOOK_OPTIONS';
}

/**
 * The webhooks of a configuration, named.
 * @throws WebhookOptionsError for a URL that stands twice (two senders would share one budget), a share out of
 * bounds, and a workflow that is to get cards it does not show
 */
export function nameWebhooks(options: readonly WebhookOptions[]): readonly Webhook[] {
  const channels = new Map<string, string>();
  return options.map((option, index) => {
    const name = `webhook-${index + 1}`;
    const channel = createHash('sha256').update(option.url).digest('base64url').slice(0, 16);
    const twin = channels.get(channel);
    if (twin) throw new WebhookOptionsError(`${name} has the same URL as ${twin}`);
    channels.set(channel, name);
    if (!(option.share >= SMALLEST_SHARE && option.share <= 1)) {
      throw new WebhookOptionsError(`${name} has share ${option.share}; it may be ${SMALLEST_SHARE} to 1`);
    }
    if (option.service === 'workflows' && option.card !== 'adaptive') {
      throw new WebhookOptionsError(`${name} is a workflow, which takes adaptive cards, not ${option.card}`);
    }
    return { ...option, name, channel };
  });
}

/** The webhooks that a notification goes to, by severity and rule; a test goes to all. */
export function routeNotification(
  webhooks: readonly Webhook[],
  notification: Notification,
): readonly Webhook[] {
  if (notification.kind === 'test') return webhooks;
  return webhooks.filter(
    ({ minSeverity, rules }) =>
      compareSeverity(notification.severity, minSeverity) >= 0 &&
      (!rules || notification.alerts.some(alert => rules.includes(alert.rule))),
  );
}
