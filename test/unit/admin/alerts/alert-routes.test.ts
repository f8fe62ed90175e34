import { request } from 'undici';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AdminPort } from '../../../../src/admin/admin-port.ts';
import { alertRoutes } from '../../../../src/admin/alerts/alert-routes.ts';
import { runbookRoutes } from '../../../../src/admin/alerts/runbook-routes.ts';
import { silenceRoutes } from '../../../../src/admin/alerts/silence-routes.ts';
import type { Notification } from '../../../../src/alerts/alert.ts';
import { StateUnsavedError } from '../../../../src/alerts/persistent-state.ts';
import { alertNames, describeRule } from '../../../../src/alerts/rules/rule-description.ts';
import { Silences } from '../../../../src/alerts/silences/silences.ts';
import { inTransaction } from '../../../../src/alerts/state-database.ts';
import { createLogger, silentLogger } from '../../../../src/base/logger.ts';
import { startAdminServer } from '../../../support/admin-server.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { memoryState } from '../../../support/memory-state.ts';
import { sampleAlert, sampleNotification } from '../../../support/notifications.ts';

const NOW_MS = Date.UTC(2026, 0, 1);

let server: AdminPort;
let silences: Silences;
let unsaved: Error | undefined;
let told: Notification[];
let resent: (number | 'all')[];
let acknowledged: [id: string, by: string][];
let lines: string[];

beforeEach(async () => {
  const clock = new ManualClock(NOW_MS);
  const logger = createLogger({
    level: 'info',
    sink: { write: line => void lines.push(line), flush: () => undefined },
  });
  lines = [];
  told = [];
  resent = [];
  acknowledged = [];
  unsaved = undefined;
  const database = memoryState();
  silences = new Silences(database, clock, work => {
    if (unsaved) throw unsaved;
    return inTransaction(database, work);
  });
  server = await startAdminServer({
    ...{ host: '127.0.0.1', port: 0, names: [], token: undefined, logger: silentLogger() },
    routes: [
      ...alertRoutes({
        clock,
        alerts: () => [sampleAlert('backendErrors', { startedAtMs: NOW_MS, acknowledgedBy: 'ann' })],
        silences: () => silences.active(),
        webhooks: () => [{ name: 'webhook-1', waiting: 2, oldestWaitingSinceMs: NOW_MS, dead: 0 }],
        deadLetters: () => [
          {
            ...{ id: 7, channel: 'c', webhook: 'webhook-1', attempts: 1, reason: 'status 400' },
            ...{ queuedAtMs: NOW_MS, diedAtMs: NOW_MS, notification: sampleNotification('backendErrors') },
          },
        ],
        sendAgain: id => {
          resent.push(id);
          return id === 'all' || id === 7 ? 1 : 0;
        },
        acknowledge: (id, by) => {
          acknowledged.push([id, by]);
          if (id !== 'a-1') return { kind: 'not-firing' };
          return { kind: 'acknowledged', alert: sampleAlert('backendErrors', { id, acknowledgedBy: by }) };
        },
        acts: () => [
          { atMs: NOW_MS, by: 'ann', subject: 's', action: 'silence', alertIds: ['a'], outcome: 'Silenced.' },
        ],
        notify: notification => told.push(notification),
      }),
      ...silenceRoutes({ silences, clock, logger }),
      ...runbookRoutes({
        rules: () => ({ backendErrors: { threshold: 0.2 }, retryStorm: false }),
        navigation: [],
        adminUrl: 'http://127.0.0.1:9090',
        needsToken: false,
      }),
    ],
  });
});

afterEach(() => server.close());

async function ask(method: 'GET' | 'POST' | 'DELETE', path: string, body?: unknown) {
  const answer = await request(`http://127.0.0.1:${server.port}${path}`, {
    method,
    headers: body === undefined ? {} : { 'content-type': 'application/json' },
    body: body === undefined ? null : JSON.stringify(body),
  });
  return { status: answer.statusCode, headers: answer.headers, text: await answer.body.text() };
}

async function askJson(...args: Parameters<typeof ask>) {
  const { status, text } = await ask(...args);
  return { status, body: JSON.parse(text) };
}

const silence = { rule: 'backendErrors', labels: { backend: 'main' }, for: '2h', by: 'ann', why: 'known' };

it('shows what is wrong, what is silenced, what waits and who did what', async () => {
  await ask('POST', '/api/silences', silence);
  const { status, body } = await askJson('GET', '/api/alerts');
  expect(status).toBe(200);
  expect(body).toMatchObject({
    alerts: [
      {
        rule: 'backendErrors',
        state: 'firing',
        startedAt: '2026-01-01T00:00:00.000Z',
        acknowledgedBy: 'ann',
      },
    ],
    silences: [{ rule: 'backendErrors', until: '2026-01-01T02:00:00.000Z', by: 'ann', why: 'known' }],
    webhooks: [{ name: 'webhook-1', waiting: 2, oldestWaitingSince: '2026-01-01T00:00:00.000Z' }],
    acts: [{ at: '2026-01-01T00:00:00.000Z', by: 'ann', action: 'silence' }],
  });
  expect(JSON.stringify(body)).not.toContain('Ms"');
});

it('lists the cards that no webhook took, with the reason, and none of what was posted', async () => {
  const { body } = await askJson('GET', '/api/alerts');
  expect(body.deadLetters).toEqual([
    {
      ...{
        id: 7,
        webhook: 'webhook-1',
        kind: 'firing',
        severity: 'warning',
        attempts: 1,
        reason: 'status 400',
      },
      alerts: [{ rule: 'backendErrors', summary: 'backendErrors of backend main' }],
      queuedAt: '2026-01-01T00:00:00.000Z',
      diedAt: '2026-01-01T00:00:00.000Z',
    },
  ]);
});

it('sends one dead letter again, or all, and nothing else', async () => {
  const resend = (body: unknown) => askJson('POST', '/api/alerts/resend', body);
  expect(await resend({ id: 7 })).toEqual({ status: 202, body: { cards: 1 } });
  expect(await resend({ all: true })).toEqual({ status: 202, body: { cards: 1 } });
  expect(await resend({ id: 8 })).toMatchObject({ status: 404, body: { error: 'NO_DEAD_LETTER' } });
  for (const body of [{}, { id: '7' }, { all: false }, { id: 7, all: true }])
    expect(await resend(body)).toMatchObject({ status: 400, body: { error: 'INVALID_BODY' } });
  expect(resent).toEqual([7, 'all', 8]);
});

it('acknowledges an alert that fires, and says who did', async () => {
  const acknowledge = (body: unknown) => askJson('POST', '/api/alerts/acknowledge', body);
  expect(await acknowledge({ id: 'a-1', by: ' Ada ' })).toMatchObject({
    status: 200,
    body: { id: 'a-1', acknowledgedBy: 'Ada', startedAt: expect.stringMatching(/Z$/) },
  });
  expect(await acknowledge({ id: 'over', by: 'Ada' })).toMatchObject({
    status: 404,
    body: { error: 'NOT_FIRING' },
  });
  for (const body of [{}, { id: 'a-1' }, { id: 'a-1', by: ' ' }, { id: 'a-1', by: 'Ada', all: true }])
    expect(await acknowledge(body)).toMatchObject({ status: 400, body: { error: 'INVALID_BODY' } });
  expect(acknowledged).toEqual([
    ['a-1', 'Ada'],
    ['over', 'Ada'],
  ]);
});

describe('a silence', () => {
  it('is refused, and not ended, while it cannot be kept over a restart', async () => {
    const made = await askJson('POST', '/api/silences', silence);
    unsaved = new StateUnsavedError('it cannot be saved: the state directory /s cannot be used: full');
    const refusal = { status: 503, body: { error: 'STATE_UNSAVED', reason: unsaved.message } };
    expect(await askJson('POST', '/api/silences', silence)).toEqual(refusal);
    expect(await askJson('DELETE', `/api/silences?id=${made.body.id}`)).toEqual(refusal);
    expect(silences.active()).toHaveLength(1);
  });

  it('is made, listed and ended, and the log says so', async () => {
    const made = await askJson('POST', '/api/silences', silence);
    expect(made).toMatchObject({ status: 201, body: { until: '2026-01-01T02:00:00.000Z' } });
    expect(await askJson('GET', '/api/silences')).toEqual({ status: 200, body: [made.body] });
    expect(await askJson('DELETE', `/api/silences?id=${made.body.id}`)).toEqual({ ...made, status: 200 });
    expect(silences.active()).toEqual([]);
    expect(lines.map(line => JSON.parse(line).msg)).toEqual(['silenced', 'the silence was ended']);
  });

  it('that is not clear is refused with the reason and changes nothing', async () => {
    const answer = await askJson('POST', '/api/silences', { ...silence, for: 'ever' });
    expect(answer).toMatchObject({ status: 400, body: { reason: expect.stringContaining('for: ') } });
    expect(silences.active()).toEqual([]);
  });

  it('that nobody made cannot be ended', async () => {
    expect(await askJson('DELETE', '/api/silences?id=none')).toMatchObject({ status: 404 });
    expect(await askJson('DELETE', '/api/silences')).toMatchObject({ status: 400 });
  });
});

describe('a test card', () => {
  it('of any rule goes out as a test', async () => {
    const answer = await askJson('POST', '/api/alerts/test', { rule: 'archivedObjects' });
    expect(answer).toEqual({ status: 202, body: { rule: 'archivedObjects', webhooks: ['webhook-1'] } });
    expect(told).toMatchObject([{ kind: 'test', alerts: [{ rule: 'archivedObjects' }] }]);
  });

  it('is of backendErrors when nothing is said', async () => {
    await ask('POST', '/api/alerts/test', {});
    expect(told[0]?.alerts[0]?.rule).toBe('backendErrors');
  });

  it('of a rule that does not exist is refused with those that do', async () => {
    const answer = await askJson('POST', '/api/alerts/test', { rule: 'x' });
    expect(answer).toMatchObject({ status: 400, body: { reason: expect.stringContaining('backendErrors') } });
    expect(told).toEqual([]);
  });
});

describe('the runbook', () => {
  it('has a place for every rule, with what it means and the settings in force', async () => {
    const { status, headers, text } = await ask('GET', '/runbook');
    expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    for (const name of alertNames) {
      expect(text).toContain(`id="${name}"`);
      expect(text).toContain(describeRule(name).title);
    }
    expect(text).toContain('<a href="/">');
    expect(text).toContain('<dt>threshold</dt><dd>0.2</dd>');
    expect(text).toContain('<dt>for</dt><dd>1 min</dd>');
    expect(text.slice(text.indexOf('id="retryStorm"'))).toMatch(/^(?:(?!<\/section>).)*This rule is off/s);
  });
});
