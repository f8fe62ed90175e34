import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import type { Metrics } from '../../base/metrics.ts';
import type { Notification } from '../alert.ts';
import type { CardForm, CardPayload } from '../card/card.ts';
import type { StateDatabase } from '../state-database.ts';
import { CardMetrics } from './card-metrics.ts';
import { Outbox } from './outbox.ts';
import { SteadyClock } from './steady-clock.ts';
import { nameWebhooks, routeNotification, type Webhook, type WebhookOptions } from './webhook-options.ts';
import type { PostCard } from './webhook-post.ts';
import { WebhookSender, type WebhookStatus } from './webhook-sender.ts';

export interface CardDeliveryOptions {
  readonly webhooks: readonly WebhookOptions[];
  /** The state database; it stays its owner's to close, after this. */
  readonly database: StateDatabase;
  readonly clock: Clock;
  /** 0 ≤ x < 1. */
  readonly random: () => number;
  readonly post: PostCard;
  /** Writes a notification as a card, at the moment it is posted. */
  readonly render: (notification: Notification, form: CardForm) => CardPayload;
  readonly metrics: Metrics;
  readonly logger: Logger;
}

/** Brings notifications to the webhooks that want them, whatever happens in between. Runs in the supervisor. */
export class CardDelivery {
  readonly #webhooks: readonly Webhook[];
  readonly #outbox: Outbox;
  readonly #clock: Clock;
  readonly #steady: SteadyClock;
  readonly #metrics: CardMetrics;
  readonly #logger: Logger;
  readonly #senders: ReadonlyMap<string, WebhookSender>;
  readonly #drained: (() => void)[] = [];

  /** Takes up what waited before a restart. @throws WebhookOptionsError for webhooks that cannot work */
  constructor(options: CardDeliveryOptions) {
    const { database, clock, logger } = options;
    this.#webhooks = nameWebhooks(options.webhooks);
    this.#clock = clock;
    this.#outbox = new Outbox(database);
    this.#steady = new SteadyClock(clock, this.#outbox.latestMark());
    this.#metrics = new CardMetrics(options.metrics);
    this.#logger = logger;
    this.#adoptStrays();
    const shared = { ...options, outbox: this.#outbox, steady: this.#steady, metrics: this.#metrics };
    const onChange = () => this.#changed();
    this.#senders = new Map(
      this.#webhooks.map(webhook => [webhook.channel, new WebhookSender({ ...shared, webhook, onChange })]),
    );
    this.#changed();
    for (const sender of this.#senders.values()) sender.wake();
  }

  /**
   * Queues a notification; it is on disk when this returns, and no webhook is waited for.
   *
   * @throws what SQLite throws when it cannot be kept; the same may then be handed over again
   */
  notify(notification: Notification): void {
    const channels = routeNotification(this.#webhooks, notification).map(({ channel }) => channel);
    const { dropped } = this.#outbox.enqueue(channels, notification, this.#clock.nowMs());
    if (dropped > 0) {
      this.#metrics.count('dropped', dropped);
      this.#logger.error({ cards: dropped }, 'too many cards wait: the oldest will never be posted');
    }
    this.#changed();
    for (const channel of channels) this.#senders.get(channel)?.wake();
  }

  status(): readonly WebhookStatus[] {
    return [...this.#senders.values()].map(sender => sender.status());
  }

  /** Until nothing waits any more, or `timeoutMs` has passed: so that a last notice can get out. */
  async drain(timeoutMs: number): Promise<void> {
    if (this.#readWaiting() === 0) return;
    await new Promise<void>(resolve => {
      const timer = this.#clock.after(timeoutMs, resolve);
      this.#drained.push(() => {
        timer.cancel();
        resolve();
      });
    });
  }

  /** Begins no further post, and waits for those under way. */
  async close(): Promise<void> {
    await Promise.all([...this.#senders.values()].map(sender => sender.close()));
    try {
      this.#outbox.mark(this.#steady.mark());
    } catch (error) {
      this.#logger.warn({ err: error }, 'the state file cannot be written');
    }
  }

  #adoptStrays(): void {
    const known = this.#webhooks.map(({ channel }) => channel);
    const route = (notification: Notification) =>
      routeNotification(this.#webhooks, notification).map(({ channel }) => channel);
    const { moved, died } = this.#outbox.adoptStrays(known, route, this.#clock.nowMs());
    if (moved > 0)
      this.#logger.warn({ cards: moved }, 'cards waited for a webhook that is gone: moved to others');
    if (died > 0)
      this.#logger.error({ cards: died }, 'cards waited for a webhook that is gone: none takes them');
  }

  #waiting(): number {
    return this.#webhooks.reduce((sum, { channel }) => sum + this.#outbox.waiting(channel).count, 0);
  }

  #changed(): void {
    const waiting = this.#readWaiting();
    if (waiting === undefined) return;
    this.#metrics.setWaiting(waiting);
    if (waiting > 0) return;
    for (const resolve of this.#drained.splice(0)) resolve();
  }

  #readWaiting(): number | undefined {
    try {
      return this.#waiting();
    } catch {
      // the senders meet the same error and report it
      return undefined;
    }
  }
}
