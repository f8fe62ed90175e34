import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Severity } from '../../src/alerts/alert.ts';
import { budgetOf } from '../../src/alerts/delivery/plan.ts';
import { SteadyClock } from '../../src/alerts/delivery/steady-clock.ts';
import { nextSlotMs } from '../../src/alerts/delivery/windows.ts';
import { DeliveryBench } from '../support/delivery-bench.ts';
import { sampleNotification } from '../support/notifications.ts';
import { inBody, ok } from '../support/simulated-service.ts';

const TIMEOUT_MS = 180_000;

const phases = fc.array(fc.nat(86_400_000), { minLength: 5, maxLength: 5 });

/** Notifications over days: lone cards, storms, and nights in which nothing happens. */
const news = fc.array(
  fc.record({
    pauseMs: fc.oneof(
      { weight: 6, arbitrary: fc.nat(5_000) },
      { weight: 3, arbitrary: fc.nat(600_000) },
      { weight: 1, arbitrary: fc.nat(20_000_000) },
    ),
    cards: fc.oneof(
      { weight: 5, arbitrary: fc.constant(1) },
      { weight: 1, arbitrary: fc.integer({ min: 2, max: 60 }) },
    ),
    severity: fc.constantFrom<Severity>('info', 'warning', 'critical'),
  }),
  { minLength: 40, maxLength: 160, size: 'max' },
);

it(
  'over simulated days the service never throttles, one post is under way, and all news is told once',
  async () => {
    await fc.assert(
      fc.asyncProperty(
        phases,
        news,
        fc.array(fc.nat(3_000), { minLength: 1 }),
        async (phase, events, latencies) => {
          const bench = new DeliveryBench({}, phase);
          bench.service.latencyMs = post => latencies[post % latencies.length] ?? 0;
          const queued = await play(bench, events);
          await bench.clock.run(2 * 86_400_000);
          expect(bench.service.overruns).toBe(0);
          expect(bench.service.mostAtOnce).toBeLessThanOrEqual(1);
          expect([...bench.service.delivered()].sort()).toEqual(queued.sort());
        },
      ),
      { numRuns: 10 },
    );
  },
  TIMEOUT_MS,
);

it(
  'the service is never overrun through failures, restarts and stepping clocks either',
  async () => {
    const trouble = fc.record({
      failEvery: fc.integer({ min: 2, max: 7 }),
      restartAfter: fc.array(fc.nat(159), { maxLength: 6 }),
      stepMs: fc.array(fc.integer({ min: -7_200_000, max: 7_200_000 }), { minLength: 1, maxLength: 6 }),
    });
    await fc.assert(
      fc.asyncProperty(phases, news, trouble, async (phase, events, { failEvery, restartAfter, stepMs }) => {
        const bench = new DeliveryBench({}, phase);
        bench.service.answer = post => (post % failEvery === 0 ? inBody(503) : ok);
        const queued = await play(bench, events, async index => {
          bench.clock.stepWallClock(stepMs[index % stepMs.length] ?? 0);
          if (!restartAfter.includes(index)) return;
          const closed = bench.delivery.close();
          await bench.clock.run(10_000);
          await closed;
          bench.start();
        });
        await bench.clock.run(2 * 86_400_000);
        expect(bench.service.overruns).toBe(0);
        expect(new Set(bench.service.delivered())).toEqual(new Set(queued));
      }),
      { numRuns: 10 },
    );
  },
  TIMEOUT_MS,
);

it(
  'is never idle while a card waits and there is budget for its kind',
  async () => {
    await fc.assert(
      fc.asyncProperty(news, fc.constantFrom(1, 0.5, 0.25), async (events, share) => {
        const bench = new DeliveryBench();
        const steady = new SteadyClock(bench.clock, undefined);
        const replies: number[] = [];
        let underWay = 0;
        bench.start({
          webhooks: [{ ...bench.webhook, share }],
          post: async (url, json) => {
            underWay++;
            const outcome = await bench.service.post(url, json);
            underWay--;
            replies.push(steady.passedMs());
            return outcome;
          },
        });
        const budget = budgetOf(share);
        const check = () => {
          if (underWay > 0 || bench.waiting() === 0) return;
          const nowMs = steady.nowMs();
          const criticalWaits = bench.waitingCritical() > 0;
          const windows = criticalWaits ? budget.critical : budget.ordinary;
          expect(nextSlotMs(windows, replies, nowMs)).toBeGreaterThan(nowMs);
        };
        await play(bench, events, async () => undefined, check);
        await bench.clock.run(7_200_000, check);
      }),
      { numRuns: 10 },
    );
  },
  TIMEOUT_MS,
);

/** Queues the news as time goes by; gives the keys of all of it. */
async function play(
  bench: DeliveryBench,
  events: readonly { readonly pauseMs: number; readonly cards: number; readonly severity: Severity }[],
  between: (index: number) => Promise<void> = async () => undefined,
  check: () => void = () => undefined,
): Promise<string[]> {
  const keys: string[] = [];
  for (const [index, { pauseMs, cards, severity }] of events.entries()) {
    await bench.clock.run(pauseMs, check);
    await between(index);
    for (let card = 0; card < cards; card++) {
      const key = `${index}.${card}`;
      keys.push(key);
      bench.delivery.notify(sampleNotification(key, severity));
    }
  }
  return keys;
}
