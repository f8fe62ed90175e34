import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import type { Metrics } from '../../base/metrics.ts';
import type { Notification } from '../alert.ts';
import type { CardForm, CardPayload } from '../card/card.ts';
import type { StateDatabase } from '../state-database.ts';
import { CardMetrics } from './card-metrics.ts';
import { type DeadLetter, DeadLetters } from './dead-letters.ts';
import { Outbox } from './outbox.ts';
import { SteadyClock } from './steady-clock.ts';
import { nameWebhooks, routeNotification, type Webhook, type WebhookOptions } from './webhook-options.ts';
import type { PostCard } from './webhook-post.ts';
import { WebhookSender, type WebhookStatus } from './webhook-sender.ts';

export interface CardDeliveryOptions {
  readonly webhooks: readonly WebhookOptions[];
  /** The state database; its owner closes it after this. */
  readonly database: StateDatabase;
  readonly clock: Clock;
  /** 0 ≤ x < 1. */
  readonly random: () => number;
  readonly post: PostCard;
  /** Renders a notification at the time it is posted. */
  readonly render: (notification: Notification, form: CardForm) => CardPayload;
  readonly metrics: Metrics;
  readonly logger: Logger;
}

/** A dead letter with the public name of its webhook; without one when that was removed. */
export interface NamedDeadLetter extends DeadLetter {
  readonly webhook?: string;
}

/** The number of dead letters that are shown. */
const SHOWN_DEAD_LETTERS = 100;

/** Delivers notifications to the webhooks that want them, across failures and restarts. Runs in the supervisor. */
export class CardDelivery {
  #webhooks: readonly Webhook[] = [];
  readonly #outbox: Outbox;
  readonly #deadLetters: DeadLetters;
  readonly #clock: Clock;
  readonly #steady: SteadyClock;
  readonly #metrics: CardMetrics;
  readonly #logger: Logger;
  readonly #createSender: (webhook: Webhook) => WebhookSender;
  readonly #senders = new Map<string, WebhookSender>();
  /** Until the senders of replaced webhooks have ended. */
  #replacing: Promise<void> = Promise.resolve();
  #isClosed = false;
  readonly #drained: (() => void)[] = [];

  /** Continues with the cards queued before a restart. @throws WebhookOptionsError for invalid webhooks */
  constructor(options: CardDeliveryOptions) {
    const { database, clock, logger } = options;
    this.#clock = clock;
    this.#outbox = new Outbox(database);
    this.#deadLetters = new DeadLetters(database);
    this.#steady = new SteadyClock(clock, this.#outbox.latestMark());
    this.#metrics = new CardMetrics(options.metrics);
    this.#logger = logger;
    const shared = { ...options, outbox: this.#outbox, steady: this.#steady, metrics: this.#metrics };
    const onChange = () => this.#changed();
    this.#createSender = webhook => new WebhookSender({ ...shared, webhook, onChange });
    this.use(options.webhooks);
  }

  /**
   * Delivers to these webhooks from now on. Cards queued for one that is not among them go to the others.
   *
   * @throws WebhookOptionsError for invalid webhooks; nothing has changed then
   */
  use(options: readonly WebhookOptions[]): void {
    const webhooks = nameWebhooks(options);
    const before = this.#webhooks;
    this.#webhooks = webhooks;
    const closing = before
      .filter(webhook => !webhooks.some(one => isDeepStrictEqual(one, webhook)))
      .flatMap(({ channel }) => this.#takeSender(channel)?.close() ?? []);
    if (closing.length === 0) this.#startSenders();
    // a card that is just being posted must not be posted by another sender too
    else this.#replacing = Promise.all(closing).then(() => this.#startSenders());
  }

  /**
   * Queues a notification. It is on disk when this returns; posting happens later.
   *
   * @throws the error of SQLite when it cannot be stored; the caller may retry
   */
  notify(notification: Notification): void {
    const channels = this.#route(notification);
    const { dropped } = this.#outbox.enqueue(channels, notification, this.#clock.nowMs());
    if (dropped > 0) {
      this.#metrics.count('dropped', dropped);
      this.#logger.error({ cards: dropped }, 'too many cards are queued: the oldest are dropped');
    }
    this.#changed();
    for (const channel of channels) this.#senders.get(channel)?.wake();
  }

  status(): readonly WebhookStatus[] {
    return [...this.#senders.values()].map(sender => sender.status());
  }

  /** The latest cards that were given up, latest first. */
  deadLetters(): readonly NamedDeadLetter[] {
    const names = new Map(this.#webhooks.map(({ channel, name }) => [channel, name]));
    return this.#deadLetters.list(SHOWN_DEAD_LETTERS).map(letter => {
      const webhook = names.get(letter.channel);
      return webhook === undefined ? letter : { ...letter, webhook };
    });
  }

  /**
   * Queues the dead letter `id` again, or all of them. Returns how many were queued: those of removed webhooks stay
   * when no other webhook takes them.
   */
  sendAgain(id: number | 'all'): number {
    const known = this.#webhooks.map(({ channel }) => channel);
    const revived = (id === 'all' ? this.#deadLetters.ids() : [id]).flatMap(each =>
      this.#deadLetters.revive(each, known, this.#route, this.#clock.nowMs()),
    );
    this.#changed();
    for (const channel of new Set(revived)) this.#senders.get(channel)?.wake();
    return revived.length;
  }

  /** Waits until the queue is empty or `timeoutMs` has passed, so that a last notice can be sent. */
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

  /** Starts no further posts and waits for running ones. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#replacing;
    await Promise.all(Array.from(this.#senders.values(), sender => sender.close()));
    try {
      this.#outbox.mark(this.#steady.mark());
    } catch (error) {
      this.#logger.warn({ err: error }, 'the state file cannot be written');
    }
  }

  #takeSender(channel: string): WebhookSender | undefined {
    const sender = this.#senders.get(channel);
    this.#senders.delete(channel);
    return sender;
  }

  #startSenders(): void {
    if (this.#isClosed) return;
    this.#adoptStrays();
    for (const webhook of this.#webhooks)
      if (!this.#senders.has(webhook.channel))
        this.#senders.set(webhook.channel, this.#createSender(webhook));
    this.#changed();
    for (const sender of this.#senders.values()) sender.wake();
  }

  #adoptStrays(): void {
    const known = this.#webhooks.map(({ channel }) => channel);
    const { moved, died } = this.#outbox.adoptStrays(known, this.#route, this.#clock.nowMs());
    if (moved > 0) this.#logger.warn({ cards: moved }, 'cards of a removed webhook were moved to others');
    if (died > 0)
      this.#logger.error(
        { cards: died },
        'cards of a removed webhook were dropped: no other webhook accepts them',
      );
  }

  readonly #route = (notification: Notification): readonly string[] =>
    routeNotification(this.#webhooks, notification).map(({ channel }) => channel);

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
      // the senders get the same error and report it
      return undefined;
    }
  }
}
