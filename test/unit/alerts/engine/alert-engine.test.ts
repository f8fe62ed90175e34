import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Notification } from '../../../../src/alerts/alert.ts';
import { AlertEngine } from '../../../../src/alerts/engine/alert-engine.ts';
import { OpenAlertStore } from '../../../../src/alerts/engine/open-alert-store.ts';
import type { Rule } from '../../../../src/alerts/rules/rule.ts';
import { createRules } from '../../../../src/alerts/rules/rule-table.ts';
import { matcherOf } from '../../../../src/alerts/silences/silence.ts';
import { Silences } from '../../../../src/alerts/silences/silences.ts';
import { openStateDatabase } from '../../../../src/alerts/state-database.ts';
import { silentLogger } from '../../../../src/base/logger.ts';
import { Metrics } from '../../../../src/base/metrics.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { MeasuredGateway } from '../../../support/measured-gateway.ts';

const STEP_MS = 5_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

let directory: string;
let database: DatabaseSync;
let clock: ManualClock;
let gateway: MeasuredGateway;
let silences: Silences;
let metrics: Metrics;
let engine: AlertEngine;
let told: Notification[];
let sample: () => Promise<ReturnType<MeasuredGateway['snapshot']>>;
let notify: (notification: Notification) => void;

/** A process: everything but what is on disk, and the gateway that is measured, begins anew. */
function boot(
  rules: readonly Rule[] = createRules({
    backendUnreachable: { windowMs: 10_000, minRequests: 1, clearForMs: 10_000 },
  }).filter(({ name }) => name === 'backendUnreachable'),
): void {
  database = openStateDatabase(directory);
  silences = new Silences(database, clock);
  metrics = new Metrics();
  gateway = new MeasuredGateway();
  engine = new AlertEngine({
    rules,
    clock,
    sample: () => sample(),
    notify: notification => notify(notification),
    silences,
    store: new OpenAlertStore(database),
    metrics,
    logger: silentLogger(),
  });
}

/** The machine loses power: nothing is closed in order, and SQLite finds what was committed. */
function reboot(): void {
  database.close();
  boot();
}

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'tidegate-engine-'));
  clock = new ManualClock();
  told = [];
  sample = async () => gateway.snapshot();
  notify = notification => void told.push(notification);
  boot();
});

afterEach(() => {
  database.close();
  rmSync(directory, { recursive: true, force: true });
});

/** Lets time pass while each backend answers with its status. */
async function pass(durationMs: number, statuses: Readonly<Record<string, string>>): Promise<void> {
  for (let passedMs = 0; passedMs < durationMs; passedMs += STEP_MS) {
    for (const [backend, status] of Object.entries(statuses)) {
      gateway.add('tidegate_backend_requests_total', { backend, status }, 10);
    }
    clock.advance(STEP_MS);
    await engine.tick();
  }
}

const down = { main: 'unreachable' };
const up = { main: '200' };
const kinds = () => told.map(({ kind }) => kind);

describe('with the settings that rules have by themselves', () => {
  beforeEach(() => {
    database.close();
    boot(createRules());
  });

  it.each(['unreachable', 'timeout', '500', '503'])(
    'a store that gives nothing but %s is told within 30 s, and only once',
    async status => {
      await pass(10 * MINUTE_MS, up);
      await pass(25_000, { main: status });
      expect(told.map(({ alerts }) => alerts.map(({ rule }) => rule))).toEqual([['backendUnreachable']]);
      await pass(5 * MINUTE_MS, { main: status });
      expect(told).toHaveLength(1);
    },
  );

  it('a store that errs on some requests is told after the minute', async () => {
    await pass(10 * MINUTE_MS, up);
    for (let passedMs = 0; passedMs < MINUTE_MS; passedMs += STEP_MS) {
      gateway.add('tidegate_backend_requests_total', { backend: 'main', status: '500' }, 5);
      await pass(STEP_MS, up);
    }
    expect(told).toEqual([]);
    for (let passedMs = 0; passedMs < MINUTE_MS / 2; passedMs += STEP_MS) {
      gateway.add('tidegate_backend_requests_total', { backend: 'main', status: '500' }, 5);
      await pass(STEP_MS, up);
    }
    expect(told.map(({ alerts }) => alerts.map(({ rule }) => rule))).toEqual([['backendErrors']]);
  });
});

describe('an outage', () => {
  it('is told once when it begins and once when it ends, and how long it lasted', async () => {
    await pass(MINUTE_MS, up);
    await pass(5 * MINUTE_MS, down);
    await pass(5 * MINUTE_MS, up);
    expect(kinds()).toEqual(['firing', 'resolved']);
    const [firing, resolved] = told;
    expect(firing?.alerts[0]?.id).toBe(resolved?.alerts[0]?.id);
    const { startedAtMs = 0, endedAtMs = 0 } = resolved?.alerts[0] ?? {};
    expect(endedAtMs - startedAtMs).toBeGreaterThan(4 * MINUTE_MS);
    expect(endedAtMs - startedAtMs).toBeLessThanOrEqual(5 * MINUTE_MS);
  });

  it('of two backends at a time is one card each way', async () => {
    await pass(MINUTE_MS, { a: '200', b: '200' });
    await pass(MINUTE_MS, { a: 'unreachable', b: 'unreachable' });
    await pass(MINUTE_MS, { a: '200', b: '200' });
    expect(told.map(({ kind, alerts }) => [kind, alerts.length])).toEqual([
      ['firing', 2],
      ['resolved', 2],
    ]);
  });

  it('is repeated as long as nobody took it in hand', async () => {
    await pass(3 * HOUR_MS + 5 * MINUTE_MS, down);
    expect(kinds()).toEqual(['firing', 'repeat', 'repeat', 'repeat']);
    expect(new Set(told.map(({ dedupeKey }) => dedupeKey)).size).toBe(4);
  });

  it('is not repeated once somebody did, whose name every later card bears', async () => {
    await pass(10 * MINUTE_MS, down);
    const { id = '' } = told[0]?.alerts[0] ?? {};
    expect(engine.acknowledge(id, 'ann').kind).toBe('acknowledged');
    expect(engine.acknowledge(id, 'bob')).toMatchObject({
      kind: 'already',
      alert: { acknowledgedBy: 'ann' },
    });
    await pass(3 * HOUR_MS, down);
    await pass(HOUR_MS, up);
    expect(kinds()).toEqual(['firing', 'resolved']);
    expect(told[1]?.alerts[0]?.acknowledgedBy).toBe('ann');
  });

  it('that is over cannot be acknowledged', async () => {
    await pass(MINUTE_MS, down);
    await pass(MINUTE_MS, up);
    expect(engine.acknowledge(told[0]?.alerts[0]?.id ?? '', 'ann')).toEqual({ kind: 'not-firing' });
    expect(engine.acknowledge('unheard-of', 'ann')).toEqual({ kind: 'not-firing' });
  });
});

describe('a silence', () => {
  const silence = (durationMs: number) => {
    const [alert] = engine.alerts();
    if (!alert) throw new Error('nothing to silence');
    silences.add({ ...matcherOf(alert), untilMs: clock.nowMs() + durationMs, by: 'ann', why: 'known' });
  };

  it('keeps everything about an alert out of the channel', async () => {
    await pass(10_000, down);
    silence(24 * HOUR_MS);
    await pass(5 * HOUR_MS, down);
    expect(engine.alerts()[0]).toMatchObject({ state: 'firing', silencedBy: 'ann' });
    await pass(HOUR_MS, up);
    expect(engine.alerts()[0]).toMatchObject({ state: 'resolved' });
    expect(told).toEqual([]);
  });

  it('that ends while it still fires lets it be told then', async () => {
    await pass(10_000, down);
    silence(HOUR_MS);
    await pass(HOUR_MS - 10_000, down);
    expect(told).toEqual([]);
    await pass(MINUTE_MS, down);
    expect(kinds()).toEqual(['firing']);
  });

  it('made after the first card keeps the repeats back', async () => {
    await pass(MINUTE_MS, down);
    silence(24 * HOUR_MS);
    await pass(3 * HOUR_MS, down);
    expect(kinds()).toEqual(['firing']);
  });
});

describe('a restart', () => {
  it('tells nothing again, and in the end that it is over', async () => {
    await pass(MINUTE_MS, down);
    engine.acknowledge(told[0]?.alerts[0]?.id ?? '', 'ann');
    reboot();
    await pass(MINUTE_MS, down);
    expect(engine.alerts()[0]).toMatchObject({ state: 'firing', acknowledgedBy: 'ann' });
    await pass(MINUTE_MS, up);
    expect(kinds()).toEqual(['firing', 'resolved']);
    expect(told[1]?.alerts[0]?.id).toBe(told[0]?.alerts[0]?.id);
  });

  it('between the end and its card loses no card', async () => {
    await pass(MINUTE_MS, down);
    await pass(15_000, up);
    expect([kinds(), engine.alerts()[0]?.state]).toEqual([['firing'], 'resolved']);
    reboot();
    await pass(MINUTE_MS, up);
    expect(kinds()).toEqual(['firing', 'resolved']);
  });

  it('after a card was handed over but not noted gives the same key again', async () => {
    await pass(10_000, down);
    notify = notification => {
      told.push(notification);
      throw new Error('the power fails here');
    };
    await pass(STEP_MS, down);
    notify = notification => void told.push(notification);
    reboot();
    await pass(MINUTE_MS, down);
    expect(told).toHaveLength(2);
    expect(told[0]?.dedupeKey).toBe(told[1]?.dedupeKey);
  });

  it('with a rule turned off forgets its alerts', async () => {
    await pass(MINUTE_MS, down);
    database.exec(`UPDATE open_alert SET record = json_set(record, '$.alert.rule', 'gone')`);
    reboot();
    await pass(MINUTE_MS, up);
    expect(engine.alerts()).toEqual([]);
  });

  it('leaves out a record that it cannot read', async () => {
    await pass(MINUTE_MS, down);
    database.exec(`UPDATE open_alert SET record = json_remove(record, '$.alert.id')`);
    reboot();
    expect(engine.alerts()).toEqual([]);
  });
});

it('tries again with the next sample when the outbox takes nothing', async () => {
  notify = () => {
    throw new Error('the disk is full');
  };
  await pass(MINUTE_MS, down);
  notify = notification => void told.push(notification);
  await pass(STEP_MS, down);
  expect(kinds()).toEqual(['firing']);
});

it('goes on after a sample that failed', async () => {
  sample = async () => {
    throw new Error('a worker did not answer');
  };
  await pass(MINUTE_MS, down);
  sample = async () => gateway.snapshot();
  await pass(MINUTE_MS, down);
  expect(kinds()).toEqual(['firing']);
});

it('counts what fires by rule, and shows zero for the others', async () => {
  const firing = async () => {
    const snapshot = await metrics.snapshot();
    return snapshot.find(({ name }) => name === 'tidegate_alerts_firing')?.values;
  };
  expect(await firing()).toEqual([{ labels: { rule: 'backendUnreachable' }, value: 0 }]);
  await pass(MINUTE_MS, { a: 'unreachable', b: 'unreachable', c: '200' });
  expect(await firing()).toEqual([{ labels: { rule: 'backendUnreachable' }, value: 2 }]);
  await pass(MINUTE_MS, { a: '200', b: '200', c: '200' });
  expect(await firing()).toEqual([{ labels: { rule: 'backendUnreachable' }, value: 0 }]);
});

it('samples by itself from start to stop', async () => {
  let samples = 0;
  let sampled: (() => void) | undefined;
  sample = async () => {
    samples++;
    queueMicrotask(() => sampled?.());
    return gateway.snapshot();
  };
  const next = () => new Promise<void>(resolve => (sampled = resolve));
  const first = next();
  engine.start();
  await first;
  // the timer is set in the turns that follow the sample
  await new Promise(resolve => setImmediate(resolve));
  const second = next();
  clock.advance(STEP_MS);
  await second;
  engine.stop();
  await new Promise(resolve => setImmediate(resolve));
  clock.advance(HOUR_MS);
  expect(samples).toBe(2);
});

describe('other rules', () => {
  const [unreachable] = createRules({
    backendUnreachable: { windowMs: 10_000, minRequests: 1, clearForMs: 10_000 },
  });

  it('keep what fires where the rule stays, and tell its end by the new settings', async () => {
    await pass(MINUTE_MS, down);
    engine.use(
      createRules({ backendUnreachable: { windowMs: 10_000, minRequests: 1, clearForMs: 2 * MINUTE_MS } }),
    );
    await pass(MINUTE_MS, up);
    expect(kinds()).toEqual(['firing']);
    await pass(3 * MINUTE_MS, up);
    expect(kinds()).toEqual(['firing', 'resolved']);
  });

  it('end alerts of rules that are off without a word', async () => {
    await pass(MINUTE_MS, down);
    engine.use([]);
    await pass(MINUTE_MS, up);
    expect(kinds()).toEqual(['firing']);
    expect(engine.alerts()).toEqual([]);
  });

  it('see what they measure from then on', async () => {
    engine.use([]);
    await pass(MINUTE_MS, up);
    engine.use(unreachable ? [unreachable] : []);
    await pass(MINUTE_MS, down);
    expect(kinds()).toEqual(['firing']);
  });
});
