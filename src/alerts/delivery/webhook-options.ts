import { createHash } from 'node:crypto';
import { compareSeverity, type Notification, type Severity } from '../alert.ts';
import type { CardForm } from '../card/card.ts';
import type { WebhookService } from './reply.ts';
import { SMALLEST_SHARE } from './windows.ts';

/** One entry of `alerts.webhooks`. */
export interface WebhookOptions {
  /** Secret: anyone who knows it can post. It must not appear in logs, metrics, errors, status or files. */
  readonly url: string;
  readonly service: WebhookService;
  readonly card: CardForm;
  readonly minSeverity: Severity;
  /** The rules whose notifications go here; all rules when absent. */
  readonly rules?: readonly string[] | undefined;
  /** The share of the channel's rate limit that this gateway may use, 0.25 to 1. */
  readonly share: number;
}

/** A webhook with its public name and its identifier in files. */
export interface Webhook extends WebhookOptions {
  /** The public name: `webhook-1` for the first of the list. */
  readonly name: string;
  /** The identifier in files: a hash of the URL, so that the budget and queued cards stay with their channel. */
  readonly channel: string;
}

/** Invalid webhook configuration. */
export class WebhookOptionsError extends Error {
  readonly code = 'WEBHOOK_OPTIONS';
}

/**
 * Names and validates the webhooks of a configuration.
 * @throws WebhookOptionsError for a duplicate URL (two senders would each use the whole limit), a share out of bounds,
 *   and a workflow configured with a card form that it does not show
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

/** The webhooks for a notification, by severity and rule; a test goes to all. */
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
