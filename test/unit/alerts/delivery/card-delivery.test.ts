import { expect, it } from 'vitest';
import { md } from '../../../../src/alerts/card/markdown.ts';
import type { PostOutcome } from '../../../../src/alerts/delivery/reply.ts';
import { createLogger } from '../../../../src/base/logger.ts';
import { Metrics } from '../../../../src/base/metrics.ts';
import { DeliveryBench, sampleWebhook, secretUrl } from '../../../support/delivery-bench.ts';
import { sampleNotification } from '../../../support/notifications.ts';
import { inBody, ok } from '../../../support/simulated-service.ts';

const critical = (key: string) => sampleNotification(key, 'critical');
const resolved = (key: string, rule: string) => sampleNotification(key, 'critical', 'resolved', rule);
const fill = (bench: DeliveryBench, count: number, prefix = 'w') => {
  for (let index = 0; index < count; index++) bench.delivery.notify(sampleNotification(`${prefix}${index}`));
};

it('delivers a card at once, and the same news only once', async () => {
  const bench = new DeliveryBench();
  bench.delivery.notify(critical('a'));
  bench.delivery.notify(critical('a'));
  await bench.clock.run(1_000);
  bench.delivery.notify(critical('a'));
  await bench.clock.run(60_000);
  expect(bench.service.delivered()).toEqual(['a']);
});

it('posts one card at a time', async () => {
  const bench = new DeliveryBench();
  bench.service.latencyMs = () => 700;
  for (const key of ['a', 'b', 'c']) bench.delivery.notify(critical(key));
  await bench.clock.run(10_000);
  expect(bench.service.delivered()).toEqual(['a', 'b', 'c']);
  expect(bench.service.mostAtOnce).toBe(1);
});

it('waits longer after each failure in a row, and posts the same card again', async () => {
  const bench = new DeliveryBench({ random: () => 0 });
  bench.service.latencyMs = () => 0;
  bench.service.answer = post => (post < 3 ? { kind: 'no-answer', code: 'ECONNREFUSED' } : ok);
  bench.delivery.notify(critical('a'));
  await bench.clock.run(60_000);
  const gaps = bench.service.seen.map(
    ({ countedAtMs }, index, all) => countedAtMs - (all[index - 1]?.countedAtMs ?? 0),
  );
  expect(gaps.slice(1)).toEqual([500, 1_000, 2_000]);
  expect(bench.service.delivered()).toEqual(['a']);
});

it('backs off after throttling told inside a 200', async () => {
  const bench = new DeliveryBench();
  bench.service.answer = post => (post === 0 ? inBody(429) : ok);
  bench.delivery.notify(critical('a'));
  await bench.clock.run(9_000);
  expect(bench.service.seen).toHaveLength(1);
  await bench.clock.run(30_000);
  expect(bench.service.delivered()).toEqual(['a']);
});

it('puts a refused card on the dead-letter list, alarms the log, and goes on with the next', async () => {
  const lines: string[] = [];
  const sink = { write: (line: string) => void lines.push(line), flush: () => undefined };
  const bench = new DeliveryBench({ logger: createLogger({ level: 'info', sink }) });
  bench.service.answer = post => (post === 0 ? { kind: 'answer', status: 400, body: 'Bad payload' } : ok);
  bench.delivery.notify(critical('a'));
  bench.delivery.notify(critical('b'));
  await bench.clock.run(86_400_000);
  expect(bench.service.seen.map(({ card }) => card.keys)).toEqual([['a'], ['b']]);
  expect(bench.delivery.status()).toMatchObject([{ waiting: 0, dead: 1 }]);
  expect(lines.filter(line => line.includes('"level":"error"'))).toHaveLength(1);
});

it('shrinks a card that is too large, and posts it once more', async () => {
  const bench = new DeliveryBench();
  bench.service.answer = () => inBody(413);
  const notification = sampleNotification('a', 'critical');
  const [alert] = notification.alerts;
  if (!alert) throw new Error('no alert');
  const seen: string[][] = [];
  bench.start({
    render: ({ alerts }) => {
      seen.push(alerts.map(({ summary }) => summary));
      return { text: md`x` };
    },
  });
  bench.delivery.notify({ ...notification, alerts: [{ ...alert, summary: 's'.repeat(900) }, alert] });
  await bench.clock.run(3_600_000);
  expect(seen.map(summaries => summaries.map(summary => summary.length))).toEqual([
    [900, alert.summary.length],
    [200],
  ]);
  expect(bench.delivery.status()).toMatchObject([{ waiting: 0, dead: 1 }]);
});

it.each<[string, PostOutcome]>([
  ['an unknown body', { kind: 'answer', status: 200, body: 'fine' }],
  ['an empty body', { kind: 'answer', status: 200, body: '' }],
  ['a maintenance page', { kind: 'answer', status: 200, body: '<html>Back soon</html>' }],
  ['a redirect', { kind: 'answer', status: 302, body: '' }],
  ['404', { kind: 'answer', status: 404, body: '' }],
  ['no answer', { kind: 'no-answer', code: 'UND_ERR_HEADERS_TIMEOUT' }],
])(
  'keeps a card for hours while the webhook answers with %s, and delivers it afterwards',
  async (_, reply) => {
    const bench = new DeliveryBench();
    bench.service.answer = () => reply;
    bench.delivery.notify(critical('a'));
    await bench.clock.run(12 * 3_600_000);
    expect(bench.delivery.status()).toMatchObject([{ waiting: 1, dead: 0 }]);
    // backed off: every few minutes, not every second
    expect(bench.service.seen.length).toBeLessThan(300);
    bench.service.answer = () => ok;
    await bench.clock.run(600_000);
    expect(bench.service.delivered()).toEqual(['a']);
  },
);

it('never gives up on a service that is down', async () => {
  const bench = new DeliveryBench();
  bench.service.answer = () => ({ kind: 'answer', status: 503, body: '' });
  bench.delivery.notify(critical('a'));
  await bench.clock.run(3 * 86_400_000);
  expect(bench.delivery.status()).toMatchObject([{ waiting: 1, dead: 0, failing: 'status 503' }]);
  bench.service.answer = () => ok;
  await bench.clock.run(600_000);
  expect(bench.service.delivered()).toEqual(['a']);
});

it('lets a card that always fails block no other', async () => {
  const bench = new DeliveryBench();
  bench.delivery.notify(critical('bad'));
  bench.delivery.notify(critical('good'));
  bench.delivery.notify(sampleNotification('ordinary'));
  bench.service.answer = post => (post < 5 ? inBody(500) : ok);
  await bench.clock.run(3_600_000);
  expect(bench.service.delivered()).toEqual(['good', 'ordinary', 'bad']);
});

it('tells what is critical first', async () => {
  const bench = new DeliveryBench();
  bench.service.latencyMs = () => 400;
  fill(bench, 3);
  bench.delivery.notify(critical('now'));
  await bench.clock.run(10_000);
  expect(bench.service.delivered()).toEqual(['w0', 'now', 'w1', 'w2']);
});

it('tells what is resolved after what it resolves, even if that has failed often', async () => {
  const bench = new DeliveryBench();
  bench.service.answer = post => (post < 7 ? inBody(503) : ok);
  bench.delivery.notify(sampleNotification('down', 'critical', 'firing', 'backendUnreachable'));
  bench.delivery.notify(resolved('up', 'backendUnreachable'));
  await bench.clock.run(3_600_000);
  expect(bench.service.delivered()).toEqual(['down', 'up']);
});

it('folds warnings and resolved notices into a digest when more wait than the budget holds', async () => {
  const bench = new DeliveryBench();
  fill(bench, 200);
  await bench.clock.run(3_600_000);
  const kinds = bench.service.seen.map(({ card }) => card.kind);
  expect(kinds).toContain('digest');
  expect(new Set(bench.service.delivered()).size).toBe(200);
  expect(bench.service.seen.length).toBeLessThan(80);
});

it('keeps a reserve for criticals when warnings have used up their part', async () => {
  const bench = new DeliveryBench();
  for (let index = 0; index < 400; index++) {
    bench.delivery.notify(sampleNotification(`w${index}`));
    await bench.clock.run(5_000);
  }
  const used = bench.service.seen.length;
  const before = bench.clock.nowMs();
  for (let index = 0; index < 15; index++) bench.delivery.notify(critical(`c${index}`));
  await bench.clock.run(10_000);
  const told = bench.service.seen.filter(({ card }) => card.keys.some(key => key.startsWith('c')));
  expect(used).toBeLessThanOrEqual(80);
  expect(told).toHaveLength(15);
  expect(Math.max(...told.map(({ countedAtMs }) => countedAtMs)) - before).toBeLessThan(10_000);
  expect(bench.service.overruns).toBe(0);
});

it('posts the parts of a refused digest one by one', async () => {
  const bench = new DeliveryBench();
  fill(bench, 90);
  bench.service.answer = post => (post === 1 ? inBody(400) : ok);
  await bench.clock.run(86_400_000);
  expect(bench.service.seen[1]?.card).toMatchObject({ kind: 'digest' });
  expect(new Set(bench.service.delivered()).size).toBe(90);
  expect(bench.delivery.status()).toMatchObject([{ dead: 0 }]);
});

it('routes by severity and rule, and a test card everywhere', async () => {
  const webhooks = [
    sampleWebhook({ url: 'https://a.test/all' }),
    sampleWebhook({ url: 'https://a.test/critical', minSeverity: 'critical' }),
    sampleWebhook({ url: 'https://a.test/disk', rules: ['diskErrors'] }),
  ];
  const bench = new DeliveryBench({ webhooks });
  bench.delivery.notify(sampleNotification('w', 'warning', 'firing', 'hitRatio'));
  bench.delivery.notify(sampleNotification('c', 'critical', 'firing', 'diskErrors'));
  bench.delivery.notify(sampleNotification('t', 'info', 'test', 'test'));
  await bench.clock.run(5_000);
  const keysAt = (end: string) =>
    bench.service.seen
      .filter(({ url }) => url.endsWith(end))
      .flatMap(({ card }) => card.keys)
      .sort();
  expect([keysAt('all'), keysAt('critical'), keysAt('disk')]).toEqual([
    ['c', 't', 'w'],
    ['c', 't'],
    ['c', 't'],
  ]);
});

it('moves what waited for a webhook that is gone to those that want it now', async () => {
  const bench = new DeliveryBench();
  bench.service.answer = () => inBody(503);
  bench.delivery.notify(critical('a'));
  bench.delivery.notify(sampleNotification('b'));
  await bench.clock.run(1_000);
  await bench.delivery.close();
  bench.service.answer = () => ok;
  bench.start({ webhooks: [sampleWebhook({ url: 'https://new.test/hook', minSeverity: 'critical' })] });
  await bench.clock.run(60_000);
  expect(bench.service.delivered()).toEqual(['a']);
  expect(bench.service.seen.at(-1)?.url).toBe('https://new.test/hook');
});

it('buries what cannot be written as a card, and goes on', async () => {
  const bench = new DeliveryBench();
  bench.start({
    render: notification => {
      if (notification.dedupeKey === 'bad') throw new RangeError('no card');
      return { text: md`${notification.dedupeKey}`, ...{ keys: [notification.dedupeKey] } };
    },
  });
  bench.delivery.notify(critical('bad'));
  bench.delivery.notify(critical('good'));
  await bench.clock.run(5_000);
  expect(bench.service.delivered()).toEqual(['good']);
  expect(bench.delivery.status()).toMatchObject([{ waiting: 0, dead: 1 }]);
});

it('lists what was given up, also after a restart, and sends it again on request', async () => {
  const bench = new DeliveryBench();
  bench.service.answer = () => ({ kind: 'answer', status: 400, body: 'Bad payload' });
  for (const key of ['a', 'b']) bench.delivery.notify(critical(key));
  await bench.clock.run(60_000);
  await bench.delivery.close();
  bench.service.answer = () => ok;
  bench.start();
  const dead = bench.delivery.deadLetters();
  expect(dead).toMatchObject([
    { webhook: 'webhook-1', attempts: 1, reason: 'status 400', notification: { dedupeKey: 'b' } },
    { webhook: 'webhook-1', attempts: 1, reason: 'status 400', notification: { dedupeKey: 'a' } },
  ]);
  expect(bench.delivery.sendAgain(dead[0]?.id ?? 0)).toBe(1);
  await bench.clock.run(60_000);
  expect(bench.service.delivered()).toEqual(['b']);
  expect(bench.delivery.sendAgain(dead[0]?.id ?? 0)).toBe(0);
  expect(bench.delivery.sendAgain('all')).toBe(1);
  await bench.clock.run(60_000);
  expect(bench.service.delivered()).toEqual(['b', 'a']);
  expect(bench.delivery.deadLetters()).toEqual([]);
});

it('sends the dead letter of a removed webhook to one that takes it, and otherwise keeps it', async () => {
  const bench = new DeliveryBench();
  bench.service.answer = () => ({ kind: 'answer', status: 400, body: 'Bad payload' });
  bench.delivery.notify(critical('a'));
  bench.delivery.notify(sampleNotification('b'));
  await bench.clock.run(60_000);
  await bench.delivery.close();
  bench.service.answer = () => ok;
  bench.start({ webhooks: [sampleWebhook({ url: 'https://new.test/hook', minSeverity: 'critical' })] });
  expect(bench.delivery.deadLetters().map(({ webhook }) => webhook)).toEqual([undefined, undefined]);
  expect(bench.delivery.sendAgain('all')).toBe(1);
  await bench.clock.run(60_000);
  expect(bench.service.delivered()).toEqual(['a']);
  expect(bench.delivery.deadLetters()).toMatchObject([{ notification: { dedupeKey: 'b' } }]);
});

it('a card that moved to another webhook is no dead letter', async () => {
  const bench = new DeliveryBench();
  bench.service.answer = () => inBody(503);
  bench.delivery.notify(critical('a'));
  await bench.clock.run(1_000);
  await bench.delivery.close();
  bench.start({ webhooks: [sampleWebhook({ url: 'https://new.test/hook' })] });
  expect(bench.delivery.deadLetters()).toEqual([]);
  expect(bench.waiting()).toBe(1);
});

it('takes nothing while the state file cannot be written, and goes on when it can', async () => {
  const bench = new DeliveryBench();
  bench.delivery.notify(critical('waits'));
  bench.database.exec('PRAGMA query_only = ON');
  expect(() => bench.delivery.notify(critical('refused'))).toThrow(/readonly/);
  await bench.clock.run(60_000);
  bench.database.exec('PRAGMA query_only = OFF');
  bench.delivery.notify(critical('refused'));
  await bench.clock.run(60_000);
  expect(bench.service.delivered()).toEqual(['waits', 'refused']);
});

it('does not post again what was delivered while the outcome could not be written down', async () => {
  const bench = new DeliveryBench();
  bench.service.answer = () => {
    bench.database.exec('PRAGMA query_only = ON');
    return ok;
  };
  bench.delivery.notify(critical('a'));
  await bench.clock.run(60_000);
  bench.database.exec('PRAGMA query_only = OFF');
  await bench.clock.run(60_000);
  expect(bench.service.delivered()).toEqual(['a']);
  expect(bench.waiting()).toBe(0);
});

it('counts outcomes and what waits, and names no URL anywhere (law 7)', async () => {
  const lines: string[] = [];
  const sink = { write: (line: string) => void lines.push(line), flush: () => undefined };
  const metrics = new Metrics();
  const bench = new DeliveryBench();
  const answers = [inBody(429), inBody(500), inBody(413), inBody(400)];
  bench.service.answer = post => answers[post] ?? ok;
  bench.start({ metrics, logger: createLogger({ level: 'debug', sink }) });
  for (const key of ['a', 'b']) bench.delivery.notify(critical(key));
  await bench.clock.run(600_000);
  const snapshot = await metrics.snapshot();
  const cards = snapshot.find(({ name }) => name === 'tidegate_cards_total');
  const counts = Object.fromEntries(
    (cards?.values ?? []).map(({ labels, value }) => [labels.outcome, value]),
  );
  expect(counts).toMatchObject({ throttled: 1, retried: 1, 'too-large': 1, refused: 1, delivered: 1 });
  expect(snapshot.find(({ name }) => name === 'tidegate_cards_waiting')?.values).toMatchObject([
    { value: 0 },
  ]);
  const told = JSON.stringify([lines, snapshot, bench.delivery.status()]);
  expect(told).not.toContain('secret-part');
  const stored = bench.database
    .prepare('SELECT * FROM card')
    .all()
    .concat(bench.database.prepare('SELECT * FROM slot').all());
  expect(JSON.stringify(stored)).not.toContain(new URL(secretUrl).hostname);
});

it('drains: a last notice gets out, and a dead channel holds nobody up', async () => {
  const bench = new DeliveryBench();
  bench.delivery.notify(critical('bye'));
  let drained = 0;
  void bench.delivery.drain(5_000).then(() => drained++);
  await bench.clock.run(100);
  expect(drained).toBe(1);
  bench.service.answer = () => inBody(503);
  bench.delivery.notify(critical('late'));
  void bench.delivery.drain(5_000).then(() => drained++);
  await bench.clock.run(4_000);
  expect(drained).toBe(1);
  await bench.clock.run(1_000);
  expect(drained).toBe(2);
});

it('delivers to other webhooks once they are configured, and posts no card to both', async () => {
  const bench = new DeliveryBench();
  bench.service.latencyMs = () => 1_000;
  const other = sampleWebhook({ url: `${secretUrl}/other` });
  for (const key of ['a', 'b', 'c']) bench.delivery.notify(critical(key));
  await bench.clock.run(1_200);
  // `a` has been posted, `b` is being posted
  bench.delivery.use([other]);
  bench.delivery.notify(critical('d'));
  await bench.clock.run(60_000);
  expect(bench.service.delivered().toSorted()).toEqual(['a', 'b', 'c', 'd']);
  expect(bench.service.seen.map(({ url }) => url)).toEqual([secretUrl, secretUrl, other.url, other.url]);
  expect(bench.service.mostAtOnce).toBe(1);
});

it('goes on with a webhook whose settings change, one card at a time', async () => {
  const bench = new DeliveryBench();
  bench.service.latencyMs = () => 1_000;
  for (const key of ['a', 'b']) bench.delivery.notify(critical(key));
  await bench.clock.run(200);
  bench.delivery.use([sampleWebhook({ minSeverity: 'critical' })]);
  bench.delivery.notify(critical('c'));
  bench.delivery.notify(sampleNotification('only a warning'));
  await bench.clock.run(60_000);
  expect(bench.service.delivered()).toEqual(['a', 'b', 'c']);
  expect(bench.service.mostAtOnce).toBe(1);
});

it('refuses webhooks that cannot be, and goes on with those it has', async () => {
  const bench = new DeliveryBench();
  expect(() => bench.delivery.use([sampleWebhook(), sampleWebhook()])).toThrow('has the same URL');
  bench.delivery.notify(critical('a'));
  await bench.clock.run(1_000);
  expect(bench.service.delivered()).toEqual(['a']);
});
