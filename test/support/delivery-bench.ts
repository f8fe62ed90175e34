import type { DatabaseSync } from 'node:sqlite';
import type { Notification } from '../../src/alerts/alert.ts';
import type { CardPayload } from '../../src/alerts/card/card.ts';
import { md } from '../../src/alerts/card/markdown.ts';
import { CardDelivery, type CardDeliveryOptions } from '../../src/alerts/delivery/card-delivery.ts';
import type { WebhookOptions } from '../../src/alerts/delivery/webhook-options.ts';
import { silentLogger } from '../../src/base/logger.ts';
import { Metrics } from '../../src/base/metrics.ts';
import { EventClock } from './event-clock.ts';
import { memoryState } from './memory-state.ts';
import { SimulatedService } from './simulated-service.ts';

export const secretUrl = 'https://chat.example.test/webhook/secret-part';

/** A webhook that takes everything, changed where a test says so. */
export function sampleWebhook(changes: Partial<WebhookOptions> = {}): WebhookOptions {
  return {
    url: secretUrl,
    service: 'connector',
    card: 'connector',
    minSeverity: 'info',
    share: 1,
    ...changes,
  };
}

/** Writes the keys of what is told into the card, where `SimulatedService` reads them. */
export function renderKeys(notification: Notification): CardPayload {
  const { kind, alerts } = notification;
  const keys = alerts.map(alert => alert.id.slice(alert.id.indexOf(':') + 1));
  return Object.assign({ text: md`${kind}` }, { kind, keys });
}

/** A delivery over a simulated service, which can be started again over the same state. */
export class DeliveryBench {
  readonly clock = new EventClock();
  readonly metrics = new Metrics();
  readonly service: SimulatedService;
  readonly database: DatabaseSync = memoryState();
  readonly webhook = sampleWebhook();
  delivery: CardDelivery;
  readonly #changes: Partial<CardDeliveryOptions>;

  constructor(changes: Partial<CardDeliveryOptions> = {}, phases: readonly number[] = []) {
    this.#changes = changes;
    this.service = new SimulatedService(this.clock, phases);
    this.delivery = this.start();
  }

  /** What a restart does; what ran before is left behind. */
  start(changes: Partial<CardDeliveryOptions> = {}): CardDelivery {
    this.delivery = new CardDelivery({
      webhooks: [this.webhook],
      database: this.database,
      clock: this.clock,
      random: () => 0.5,
      post: this.service.post,
      render: renderKeys,
      metrics: new Metrics(),
      logger: silentLogger(),
      ...this.#changes,
      ...changes,
    });
    return this.delivery;
  }

  /** Critical cards that wait now. */
  waitingCritical(): number {
    const query = `SELECT count(*) AS count FROM card WHERE state = 'waiting' AND critical = 1`;
    return Number(this.database.prepare(query).get()?.count);
  }

  /** The keys of what was given up. */
  deadKeys(): readonly string[] {
    const query = `SELECT dedupe_key AS key FROM card WHERE state = 'dead'`;
    return this.database
      .prepare(query)
      .all()
      .map(row => String(row.key));
  }

  /** Cards that wait now, over all webhooks. */
  waiting(): number {
    return this.delivery.status().reduce((sum, { waiting }) => sum + waiting, 0);
  }
}
