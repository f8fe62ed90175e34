import { createInterface } from 'node:readline';
import { CardDelivery } from '../../src/alerts/delivery/card-delivery.ts';
import { WebhookPoster } from '../../src/alerts/delivery/webhook-post.ts';
import { openStateDatabase } from '../../src/alerts/state-database.ts';
import { systemClock } from '../../src/base/clock.ts';
import { silentLogger } from '../../src/base/logger.ts';
import { Metrics } from '../../src/base/metrics.ts';
import { renderKeys, sampleWebhook } from './delivery-bench.ts';
import { hurried } from './hurried-clock.ts';
import { sampleNotification } from './notifications.ts';

// a process that can be killed: takes keys line by line, queues a card for each, and says so
const [directory = '', url = ''] = process.argv.slice(2);
const delivery = new CardDelivery({
  webhooks: [sampleWebhook({ url })],
  database: openStateDatabase(directory),
  // it waits between attempts, and what is queued waits for its turn
  clock: hurried(systemClock, 20),
  random: Math.random,
  post: new WebhookPoster().post,
  render: renderKeys,
  metrics: new Metrics(),
  logger: silentLogger(),
});
for await (const key of createInterface({ input: process.stdin })) {
  delivery.notify(sampleNotification(key, 'critical'));
  process.stdout.write(`${key}\n`);
}
