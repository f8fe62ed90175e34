import type { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import type { Notification } from '../../src/alerts/alert.ts';
import type { PostOutcome } from '../../src/alerts/delivery/reply.ts';
import { DeliveryBench } from '../support/delivery-bench.ts';
import { sampleNotification } from '../support/notifications.ts';
import { inBody, ok } from '../support/simulated-service.ts';

/** Everything a post can come to, and enough cards for a digest. */
const ANSWERS: readonly PostOutcome[] = [ok, inBody(429), ok, inBody(500), inBody(413), ok, inBody(400)];
const NEWS: readonly Notification[] = [
  ...['c1', 'c2', 'c3'].map(key => sampleNotification(key, 'critical')),
  ...Array.from({ length: 85 }, (_, index) => sampleNotification(`w${index}`)),
  sampleNotification('r1', 'critical', 'resolved', 'c1'),
];

interface Crash {
  readonly commit: number;
  readonly when: 'before' | 'after';
}

/** The database as a process sees it that dies at its `commit`th commit; after that every call fails. */
function dyingDatabase(
  database: DatabaseSync,
  crash: Crash,
): { database: DatabaseSync; commits: () => number } {
  let commits = 0;
  let dead = false;
  const exec = (sql: string) => {
    if (sql === 'COMMIT') commits++;
    if (sql !== 'COMMIT' || commits !== crash.commit) return database.exec(sql);
    dead = true;
    database.exec(crash.when === 'before' ? 'ROLLBACK' : 'COMMIT');
    throw new Error('the process died');
  };
  const view = new Proxy(database, {
    get(target, name) {
      if (dead) throw new Error('the process is dead');
      if (name === 'exec') return exec;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  return { database: view, commits: () => commits };
}

/** The news is told by a process that dies, and then by another one. */
async function live(crash: Crash) {
  const bench = new DeliveryBench();
  const dying = dyingDatabase(bench.database, crash);
  bench.service.answer = post => ANSWERS[post] ?? ok;
  try {
    const delivery = bench.start({ database: dying.database });
    for (const notification of NEWS) delivery.notify(notification);
  } catch {
    // it died while it started or while it was told something
  }
  await bench.clock.run(240_000);
  const inFlight = bench.service.seen.at(-1)?.card.keys.length ?? 0;
  bench.start();
  // the rule engine tells again what it does not know to be queued
  for (const notification of NEWS) bench.delivery.notify(notification);
  for (let minute = 0; minute < 240 && bench.waiting() > 0; minute++) await bench.clock.run(60_000);
  return { bench, commits: dying.commits(), inFlight };
}

const { commits } = await live({ commit: Number.POSITIVE_INFINITY, when: 'after' });
// the first card, each of the notices queued in between alike, and everything from the last of them on
const steps = Array.from({ length: commits }, (_, index) => index + 1).filter(
  step => step < 12 || step > NEWS.length - 4,
);

it('the run without a crash has attempts to be crashed in', () => {
  expect(commits).toBeGreaterThan(NEWS.length + 10);
});

it.each(
  steps.flatMap(commit => [
    { commit, when: 'before' as const },
    { commit, when: 'after' as const },
  ]),
)(
  'a crash $when commit $commit loses no card, repeats at most the one in flight and overruns no window',
  async crash => {
    const { bench, inFlight } = await live(crash);
    const dead = bench.deadKeys();
    const delivered = bench.service.delivered();
    const told = new Set([...delivered, ...dead]);
    expect(NEWS.map(({ dedupeKey }) => dedupeKey).filter(key => !told.has(key))).toEqual([]);
    expect(delivered.length - new Set(delivered).size).toBeLessThanOrEqual(inFlight);
    expect(dead.length).toBeLessThanOrEqual(1);
    expect(bench.service.overruns).toBe(0);
    expect(bench.waiting()).toBe(0);
  },
);
