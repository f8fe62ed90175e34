import type { Clock, Timer } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import type { Notification } from '../alert.ts';
import type { CardForm, CardPayload } from '../card/card.ts';
import { backOffMs } from './back-off.ts';
import type { CardMetrics } from './card-metrics.ts';
import { foldIntoDigest, shrinkNotification } from './digest.ts';
import type { Outbox, Settlement, WaitingCard } from './outbox.ts';
import { type Budget, budgetOf, planNext } from './plan.ts';
import { judgeReply, type ReplyVerdict } from './reply.ts';
import { cardOutcomeOf, reasonOf, settle } from './settlement.ts';
import type { SteadyClock } from './steady-clock.ts';
import type { Webhook } from './webhook-options.ts';
import type { PostCard } from './webhook-post.ts';
import { longestWindowMs } from './windows.ts';

interface WebhookSenderOptions {
  readonly webhook: Webhook;
  readonly outbox: Outbox;
  readonly clock: Clock;
  readonly steady: SteadyClock;
  /** 0 ≤ x < 1, for back-off jitter. */
  readonly random: () => number;
  readonly post: PostCard;
  readonly render: (notification: Notification, form: CardForm) => CardPayload;
  readonly metrics: CardMetrics;
  readonly logger: Logger;
  /** Called when a card was queued or has left the queue. */
  readonly onChange: () => void;
}

/** The public state of a webhook, without its URL. */
export interface WebhookStatus {
  readonly name: string;
  readonly waiting: number;
  readonly oldestWaitingSinceMs?: number;
  readonly lastDeliveredAtMs?: number;
  /** Why the last post failed; absent after a success. */
  readonly failing?: string;
  /** Cards that were given up. */
  readonly dead: number;
}

/** How long to wait before retrying a failed write to the state file. */
const STORAGE_RETRY_MS = 30_000;

/** Posts the queued cards of one webhook, one at a time, within the rate windows of its channel. */
export class WebhookSender {
  readonly #options: WebhookSenderOptions;
  readonly #budget: Budget;
  readonly #repliesMs: number[];
  #attempt: Promise<void> | undefined;
  #timer: Timer | undefined;
  #closed = false;
  #failures = 0;
  #backOffUntilMs = 0;
  #failing: string | undefined;
  #lastDeliveredAtMs: number | undefined;

  constructor(options: WebhookSenderOptions) {
    const { outbox, webhook, steady } = options;
    this.#options = options;
    this.#budget = budgetOf(webhook.share);
    this.#repliesMs = outbox.recoverReplies(webhook.channel, steady.passedMs());
  }

  /** Checks for work, after a card was queued or a slot became free. */
  wake(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    if (this.#closed || this.#attempt) return;
    try {
      this.#step();
    } catch (error) {
      // without a readable and writable state file no slot can be taken, so nothing is posted
      this.#options.logger.error(
        { err: error, webhook: this.#options.webhook.name },
        'the outbox cannot be used',
      );
      this.#timer = this.#options.clock.after(STORAGE_RETRY_MS, () => this.wake());
    }
  }

  status(): WebhookStatus {
    const { outbox, webhook } = this.#options;
    const { count, oldestMs } = outbox.waiting(webhook.channel);
    return {
      name: webhook.name,
      waiting: count,
      dead: outbox.deadCount(webhook.channel),
      ...(oldestMs === undefined ? {} : { oldestWaitingSinceMs: oldestMs }),
      ...(this.#lastDeliveredAtMs === undefined ? {} : { lastDeliveredAtMs: this.#lastDeliveredAtMs }),
      ...(this.#failing === undefined ? {} : { failing: this.#failing }),
    };
  }

  /** Starts no further posts and waits for the running one. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#timer?.cancel();
    await this.#attempt;
  }

  #step(): void {
    const { outbox, webhook, steady, clock } = this.#options;
    const { channel } = webhook;
    const nowMs = steady.nowMs();
    const plan = planNext({
      nowMs,
      backOffUntilMs: this.#backOffUntilMs,
      repliesMs: this.#repliesMs,
      budget: this.#budget,
      critical: outbox.next(channel, true),
      ordinary: outbox.next(channel, false),
      ordinaryCount: outbox.waiting(channel).ordinary,
    });
    switch (plan.kind) {
      case 'idle':
        return;
      case 'wait':
        this.#timer = clock.after(plan.untilMs - nowMs, () => this.wake());
        return;
      case 'post':
        this.#begin([plan.card]);
        return;
      case 'fold': {
        const cards = outbox.foldable(channel);
        this.#begin(cards.length > 1 ? cards : [plan.card]);
        return;
      }
    }
  }

  #begin(cards: readonly WaitingCard[]): void {
    const { outbox, webhook, steady } = this.#options;
    const json = this.#write(cards);
    if (json === undefined) return;
    const ids = cards.map(card => card.id);
    const slot = outbox.beginAttempt(webhook.channel, ids, steady.mark());
    this.#attempt = this.#run(slot, cards, json).finally(() => {
      this.#attempt = undefined;
      this.#options.onChange();
      this.wake();
    });
  }

  /**
   * Renders the card as JSON. A notification that cannot be rendered is marked as dead, so that it does not block
   * others.
   */
  #write(cards: readonly WaitingCard[]): string | undefined {
    const { render, webhook, outbox, clock, metrics, logger } = this.#options;
    const [first, ...others] = cards;
    if (!first) return undefined;
    const whole =
      others.length > 0
        ? foldIntoDigest([first.notification, ...others.map(card => card.notification)])
        : first.notification;
    try {
      return JSON.stringify(render(first.shrunk ? shrinkNotification(whole) : whole, webhook.card));
    } catch (error) {
      for (const { id } of cards) outbox.markDead(id, clock.nowMs(), 'it cannot be written as a card');
      metrics.count('unwritable', cards.length);
      logger.error({ err: error, webhook: webhook.name }, 'a card cannot be rendered');
      this.#timer = clock.after(0, () => this.wake());
      return undefined;
    }
  }

  async #run(slot: number, cards: readonly WaitingCard[], json: string): Promise<void> {
    const { webhook, post, steady } = this.#options;
    const outcome = await post(webhook.url, json);
    const replied = steady.mark();
    this.#remember(replied.steadyMs);
    const verdict = judgeReply(webhook.service, outcome);
    const settlement = settle(verdict, cards);
    this.#react(verdict, settlement, cards);
    const ids = cards.map(card => card.id);
    await this.#persist(() => this.#options.outbox.endAttempt(slot, ids, replied, settlement));
  }

  /** Retries until the write succeeds: a delivered card that is not recorded would be posted again. */
  async #persist(write: () => void): Promise<void> {
    for (;;) {
      try {
        return write();
      } catch (error) {
        this.#options.logger.error(
          { err: error, webhook: this.#options.webhook.name },
          'the result of a post cannot be stored',
        );
        if (this.#closed) return;
        await new Promise<void>(resolve => this.#options.clock.after(STORAGE_RETRY_MS, resolve));
      }
    }
  }

  #remember(repliedAtMs: number): void {
    this.#repliesMs.push(repliedAtMs);
    const sinceMs = repliedAtMs - longestWindowMs(this.#budget.critical);
    while ((this.#repliesMs[0] ?? repliedAtMs) < sinceMs) this.#repliesMs.shift();
  }

  #react(verdict: ReplyVerdict, settlement: Settlement, cards: readonly WaitingCard[]): void {
    const { metrics, clock, steady, random } = this.#options;
    metrics.count(cardOutcomeOf(verdict, settlement));
    const later = verdict.kind === 'throttled' || verdict.kind === 'retry';
    this.#failures = later ? this.#failures + 1 : 0;
    this.#backOffUntilMs = later ? steady.nowMs() + backOffMs(verdict, this.#failures, random) : 0;
    this.#failing = reasonOf(verdict);
    if (verdict.kind === 'delivered') {
      this.#lastDeliveredAtMs = clock.nowMs();
      if (cards.length > 1) metrics.count('folded', cards.length);
    }
    this.#report(verdict, settlement, cards);
  }

  /** The local alarm of docs/cards.md §1: a channel that refuses cards cannot be notified about it. */
  #report(verdict: ReplyVerdict, settlement: Settlement, cards: readonly WaitingCard[]): void {
    const { logger, webhook } = this.#options;
    const fields = { webhook: webhook.name, cards: cards.map(({ notification }) => notification.dedupeKey) };
    const reason = reasonOf(verdict);
    if (settlement.kind === 'delivered') logger.info(fields, 'card delivered');
    else if (settlement.kind === 'dead') {
      logger.error(
        { ...fields, reason },
        'the channel refused this card: it is on the list of dead letters of /api/alerts, and can be sent again',
      );
    } else logger.warn({ ...fields, reason, failures: this.#failures }, 'card not delivered yet');
  }
}
