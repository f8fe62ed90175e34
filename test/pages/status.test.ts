import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import type { AdminPort } from '../../src/admin/admin-port.ts';
import { alertRoutes } from '../../src/admin/alerts/alert-routes.ts';
import { runbookRoutes } from '../../src/admin/alerts/runbook-routes.ts';
import { silenceRoutes } from '../../src/admin/alerts/silence-routes.ts';
import { pageNavigation } from '../../src/admin/page-navigation.ts';
import { sharedPageFiles } from '../../src/admin/shared-page-files.ts';
import { type StatusFacts, type StatusLinks, statusReport } from '../../src/admin/status/status-report.ts';
import { statusRoutes } from '../../src/admin/status/status-routes.ts';
import { TrafficHistory } from '../../src/admin/status/traffic-history.ts';
import { trafficRoute } from '../../src/admin/status/traffic-route.ts';
import type { Alert } from '../../src/alerts/alert.ts';
import type { NamedDeadLetter } from '../../src/alerts/delivery/card-delivery.ts';
import type { WebhookStatus } from '../../src/alerts/delivery/webhook-sender.ts';
import { Silences } from '../../src/alerts/silences/silences.ts';
import { silentLogger } from '../../src/base/logger.ts';
import type { MetricSnapshot } from '../../src/base/metric-snapshot.ts';
import { Metrics } from '../../src/base/metrics.ts';
import { startAdminServer } from '../support/admin-server.ts';
import { launchBrowser } from '../support/browser.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { memoryState } from '../support/memory-state.ts';
import { sampleAlert, sampleNotification } from '../support/notifications.ts';

let server: AdminPort;
let browser: BrowserContext;
let page: Page;
let links: StatusLinks;
let clock: ManualClock;
let traffic: TrafficHistory;
let silences: Silences;
let alert: Alert;
let deadLetters: NamedDeadLetter[];
let webhooks: WebhookStatus[];
let acknowledged: string[];
let facts: StatusFacts;
let measured: MetricSnapshot;

const START_MS = Date.UTC(2026, 0, 1, 12);

beforeAll(async () => {
  browser = await launchBrowser({ colorScheme: 'light', timezoneId: 'America/New_York' });
});
afterAll(() => browser.close());

beforeEach(async () => {
  links = { runbook: '/runbook#{rule}', channel: '/channel' };
  clock = new ManualClock(START_MS);
  traffic = new TrafficHistory(clock);
  silences = new Silences(memoryState(), clock);
  alert = sampleAlert('backendUnreachable', { id: 'a-1', severity: 'critical' });
  deadLetters = [];
  webhooks = [];
  acknowledged = [];
  facts = calmFacts;
  measured = [];
  await serve(0);
  page = await browser.newPage();
});
afterEach(async () => {
  await page.close();
  await server.close();
});

async function serve(port: number) {
  server = await startAdminServer({
    ...{ host: '127.0.0.1', port, names: [], token: undefined, logger: silentLogger() },
    routes: [
      ...sharedPageFiles(),
      ...statusRoutes(
        async () => statusReport({ ...facts, links }, measured),
        pageNavigation({ hasChannel: true, needsToken: false }),
      ),
      trafficRoute(traffic),
      ...alertRoutes({
        clock,
        alerts: () => [alert],
        silences: () => silences.active(),
        webhooks: () => webhooks,
        deadLetters: () => deadLetters,
        sendAgain: id => {
          const sent = deadLetters.filter(letter => id === 'all' || letter.id === id);
          deadLetters = deadLetters.filter(letter => !sent.includes(letter));
          return sent.length;
        },
        acknowledge: (id, by) => {
          acknowledged.push(`${id} by ${by}`);
          alert = { ...alert, acknowledgedBy: by };
          return { kind: 'acknowledged', alert };
        },
        acts: () => [],
        notify: () => {},
      }),
      ...silenceRoutes({ silences, clock, logger: silentLogger() }),
      ...runbookRoutes({
        rules: () => ({}),
        navigation: [],
        adminUrl: 'http://127.0.0.1:9090',
        needsToken: false,
      }),
    ],
  });
}

/** Five minutes of traffic: ten requests per sample, of which eight are hits. */
async function recordTraffic(bucket = 'photos') {
  const metrics = new Metrics();
  const requests = metrics.counter('tidegate_requests_total', '', ['bucket', 'operation', 'status', 'cache']);
  const firstByte = metrics.histogram('tidegate_request_first_byte_seconds', '', ['cache'], [0.1, 0.2]);
  for (let sample = 0; sample <= 60; sample++) {
    requests.cell(bucket, 'GetObject', '200', 'HIT').add(8);
    requests.cell(bucket, 'GetObject', '200', 'MISS').add(2);
    for (let each = 0; each < 10; each++) firstByte.cell('HIT').observe(0.05);
    clock.advance(5_000);
    traffic.record(await metrics.snapshot());
  }
}

const calmFacts: StatusFacts = {
  version: '1.2.3',
  startedMs: 0,
  nowMs: 1_000,
  gatewayUrl: 'http://127.0.0.1:8080',
  notReady: ['worker 0 is starting'],
  trouble: { warnings: [], isFiring: false },
  lastMinute: {
    ...{ requests: 10, errorRatio: 0.25, hitRatio: 0.5 },
    firstByteS: { p50: 0.002, p99: 0.4 },
    backends: { main: { requests: 4, failed: 1, errorRatio: 0.25 } },
  },
  readsByBucket: new Map(),
  workers: [{ index: 0, state: 'starting' }],
  backends: [{ name: 'main', type: 's3', location: 'https://s3.eu-west-1.amazonaws.com' }],
  buckets: [{ name: 'photos', backend: 'main', access: 'public' }],
  links: { runbook: '/runbook#{rule}' },
};

async function open() {
  await page.goto(`http://127.0.0.1:${server.port}/`);
  await page.locator('#alerts li').waitFor();
}

it('leads from an open alert to what to do about it, and to the channel', async () => {
  await open();
  expect(await page.locator('nav').getByRole('link').allTextContents()).toContain('Channel');
  await page.locator('#alerts').getByRole('link', { name: 'backendUnreachable' }).click();
  await page.waitForURL('**/runbook#backendUnreachable');
  expect(await page.locator('section#backendUnreachable h2').isVisible()).toBe(true);
});

it('leads from an open alert to each object that it names', async () => {
  const subjects = [
    { bucket: 'photos', key: 'a/<b>&c=1 +?#.txt', versionId: 'v 1' },
    { bucket: 'photos', key: '\u202eplain' },
  ];
  alert = sampleAlert('archivedObjects', { id: 'a-1', subjects });
  await open();
  const links = page.locator('#alerts').getByTitle('what is cached of it');
  expect(await links.allTextContents()).toEqual([
    'photos/a/<b>&c=1 +?#.txt, version v 1',
    'photos/\\u{202e}plain',
  ]);
  const targets = await Promise.all((await links.all()).map(link => link.getAttribute('href')));
  const addresses = targets.map(href => new URL(href ?? '', page.url()));
  expect(addresses.map(({ pathname, searchParams }) => [pathname, ...searchParams.values()])).toEqual([
    ['/objects', 'photos', 'a/<b>&c=1 +?#.txt', 'v 1'],
    ['/objects', 'photos', '\u202eplain'],
  ]);
});

it('leads from a bucket to the look-up of its objects', async () => {
  facts = {
    ...calmFacts,
    buckets: ['photos', '*'].map(name => ({ name, backend: 'main', access: 'public' })),
  };
  await open();
  await page.locator('#buckets td').first().waitFor();
  const links = page.locator('#buckets a');
  expect(await links.allTextContents()).toEqual(['photos']);
  expect(await links.getAttribute('href')).toBe('/objects?bucket=photos');
});

it('leads to the runbook that is configured', async () => {
  links = { runbook: 'https://wiki.example.test/tidegate/{rule}' };
  await open();
  const link = page.locator('#alerts').getByRole('link', { name: 'backendUnreachable' });
  expect(await link.getAttribute('href')).toBe('https://wiki.example.test/tidegate/backendUnreachable');
});

it('keeps the keyboard where it is while it asks again', async () => {
  await open();
  const link = page.locator('#alerts').getByRole('link', { name: 'backendUnreachable' });
  await link.focus();
  const asked = page.waitForResponse(answer => answer.url().endsWith('/api/alerts'));
  await (await asked).finished();
  await page.waitForResponse(answer => answer.url().endsWith('/api/status'));
  expect(await page.evaluate('document.activeElement.textContent')).toBe('backendUnreachable');
});

it('keeps the keyboard on a button while the figures of its alert change', async () => {
  await open();
  await page.getByRole('button', { name: 'Silence' }).focus();
  alert = { ...alert, summary: 'Nothing was answered for 3 min.' };
  await page.getByText('Nothing was answered for 3 min.').waitFor();
  expect(await page.evaluate('document.activeElement.textContent')).toBe('Silence');
});

it.each([400, 340])(
  'needs no sideways scrolling on a screen of %d px, with all that it may show',
  async width => {
    await recordTraffic('a-bucket-with-quite-a-long-name.example.test');
    deadLetters = [deadLetter(1), deadLetter(2)];
    silences.add({
      rule: 'backendErrors',
      labels: {},
      untilMs: clock.nowMs() + 60_000,
      by: 'Ada',
      why: 'x'.repeat(200),
    });
    await page.setViewportSize({ width, height: 700 });
    await open();
    await page.getByRole('button', { name: 'Silence' }).click();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
    const box = await page.locator('dialog').boundingBox();
    expect([(box?.x ?? -1) >= 0, (box?.x ?? 0) + (box?.width ?? width + 1) <= width]).toEqual([true, true]);
  },
);

it('shows the figures of a bucket with the longest name on a narrow screen', async () => {
  facts = { ...facts, buckets: [{ name: 'b'.repeat(63), backend: 'main', access: 'public' }] };
  await page.setViewportSize({ width: 400, height: 700 });
  await open();
  const figures = page.locator('#buckets td.number');
  expect(await figures.count()).toBe(3);
  for (const figure of (await figures.all()).slice(0, 2)) {
    const box = await figure.boundingBox();
    expect((box?.x ?? 400) + (box?.width ?? 0)).toBeLessThanOrEqual(400);
  }
  const name = await page.locator('#buckets td').first().boundingBox();
  expect(name?.width).toBeGreaterThanOrEqual(100);
});

it('shows which breaker is open on a narrow screen, however long what follows is', async () => {
  const location = `https://${'s'.repeat(60)}.example.test`;
  facts = { ...facts, backends: [{ name: 'main', type: 's3', location }] };
  const metrics = new Metrics();
  metrics.gauge('tidegate_backend_breaker_state', '', ['backend']).cell('main').set(2);
  measured = await metrics.snapshot();
  await page.setViewportSize({ width: 400, height: 700 });
  await open();
  const box = await page.locator('#backends td', { hasText: /^open$/ }).boundingBox();
  expect((box?.x ?? 400) + (box?.width ?? 0)).toBeLessThanOrEqual(400);
});

it('shows curves of the time before it was opened, and what they say at the pointer in UTC', async () => {
  await recordTraffic();
  await open();
  const tile = page.locator('.tile', { hasText: 'First byte' });
  expect(await page.locator('.tile canvas').count()).toBe(6);
  await tile.locator('.u-over').hover();
  // the middle of the last quarter of an hour is before the first sample, so the nearest is read
  expect(await tile.locator('.reading').textContent()).toMatch(/^p99 99 msp50 50 ms12:00:\d\d UTC$/);
  expect(
    await page.locator('.tile', { hasText: 'Hit ratio by bucket' }).locator('.reading').textContent(),
  ).toMatch(/^photos 80 %12:00/);
});

it('has figures without the library for curves, and says what is missing', async () => {
  await page.route('**/uplot.js', route => route.fulfill({ status: 404 }));
  await recordTraffic();
  await open();
  const tile = page.locator('.tile', { hasText: 'Requests' });
  expect(await tile.locator('.figure').textContent()).toBe('2req/s');
  expect(await tile.locator('.plot').textContent()).toContain('uPlot, which is not installed');
});

it('shows the last minute and not a lifetime, and marks what is wrong in it', async () => {
  await open();
  const errors = page.locator('.tile', { hasText: 'Errors' }).locator('.figure');
  expect([await errors.textContent(), await errors.getAttribute('class')]).toEqual(['25%', 'figure bad']);
  facts = { ...facts, lastMinute: { ...facts.lastMinute, errorRatio: 0 } };
  await errors.filter({ hasText: /^0%$/ }).waitFor();
  expect(await errors.getAttribute('class')).toBe('figure');
});

it('counts errors among all answers, and says entry of a single one', async () => {
  const metrics = new Metrics();
  const requests = metrics.counter('tidegate_requests_total', '', ['bucket', 'operation', 'status', 'cache']);
  requests.cell('photos', 'GetObject', '200', 'HIT').add(18);
  const entries = metrics.gauge('tidegate_cache_entries', '', ['tier']).cell('memory');
  metrics.gauge('tidegate_cache_bytes', '', ['tier']).cell('memory').set(2_048);
  metrics.gauge('tidegate_cache_capacity_bytes', '', ['tier']).cell('memory').set(1_048_576);
  entries.set(1);
  measured = await metrics.snapshot();
  await open();
  await page.getByText('answered with 5xx; 0 of 18 since the start', { exact: true }).waitFor();
  await page.getByText('2.0 KiB of 1.0 MiB · 1 entry', { exact: true }).waitFor();
  const each = page.locator('#process dt:has-text("Cache, for each object") + dd');
  expect(await each.textContent()).toBe('–');
  entries.set(0);
  metrics.gauge('tidegate_cache_object_bytes', '').cell().set(1_536);
  measured = await metrics.snapshot();
  await page.getByText('2.0 KiB of 1.0 MiB · 0 entries', { exact: true }).waitFor();
  await each.filter({ hasText: /^1\.5 KiB$/ }).waitFor();
});

it('text from outside is no markup', async () => {
  const name = '<img src=x onerror=document.title=1>';
  alert = { ...alert, summary: name };
  facts = { ...facts, buckets: [{ name, backend: name, access: 'public' }] };
  await recordTraffic(name);
  deadLetters = [{ ...deadLetter(1), reason: name }];
  await open();
  await page.locator('.reading', { hasText: name }).waitFor();
  expect(await page.locator('#alerts strong').textContent()).toBe(name);
  expect([await page.locator('main img').count(), await page.title()]).toEqual([0, 'Tidegate']);
});

it('an alert is acknowledged by name, which stays for the next time', async () => {
  await open();
  await page.getByRole('button', { name: 'Acknowledge' }).click();
  const name = page.getByLabel('Your name');
  expect(await page.getByLabel('Why').isVisible()).toBe(false);
  await name.fill('Ada');
  await name.press('Enter');
  await page.getByText('acknowledged by Ada').waitFor();
  expect([acknowledged, await page.locator('dialog').isVisible()]).toEqual([['a-1 by Ada'], false]);
  expect(await page.getByRole('button', { name: 'Acknowledge' }).count()).toBe(0);
  await page.getByRole('button', { name: 'Silence' }).click();
  expect(await name.inputValue()).toBe('Ada');
});

it('an alert is silenced with the reason, and the silence is ended', async () => {
  await open();
  await page.getByRole('button', { name: 'Silence' }).click();
  await page.getByLabel('Your name').fill('Ada');
  await page.getByLabel('For').selectOption('30m');
  await page.getByLabel('Why').fill('the store is moved');
  await page.getByRole('button', { name: 'Go on' }).click();
  await page.locator('#silences li').waitFor();
  expect(silences.active()).toMatchObject([
    {
      ...{ rule: 'backendUnreachable', labels: { backend: 'main' }, by: 'Ada', why: 'the store is moved' },
      untilMs: clock.nowMs() + 30 * 60_000,
    },
  ]);
  await page.getByRole('button', { name: 'End' }).click();
  await page.locator('#silences li').waitFor({ state: 'detached' });
  expect(silences.active()).toEqual([]);
});

it('says why a silence was refused, and keeps what was typed', async () => {
  await open();
  await page.getByRole('button', { name: 'Silence' }).click();
  await page.getByLabel('Your name').fill('Ada');
  await page.getByLabel('Why').fill(' ');
  await page.getByRole('button', { name: 'Go on' }).click();
  await page.locator('#alert-problem', { hasText: 'why:' }).waitFor();
  expect([silences.active(), await page.getByLabel('Your name').inputValue()]).toEqual([[], 'Ada']);
});

it('cards that no webhook took are sent again, one or all', async () => {
  deadLetters = [deadLetter(1), deadLetter(2), deadLetter(3)];
  await open();
  const letters = page.locator('#dead-letters li');
  expect(await letters.first().textContent()).toContain(
    'given up by webhook-1 at 2026-01-01 12:00:00 UTC after one post',
  );
  await letters.filter({ hasText: 'card-2' }).getByRole('button', { name: 'Send again' }).click();
  await letters.filter({ hasText: 'card-2' }).waitFor({ state: 'detached' });
  expect(deadLetters.map(({ id }) => id)).toEqual([1, 3]);
  await page.getByRole('button', { name: 'Send all again' }).click();
  await page.locator('#cards').waitFor({ state: 'hidden' });
  expect(deadLetters).toEqual([]);
});

it('names the webhooks whose cards wait, and why', async () => {
  webhooks = [
    { name: 'webhook-1', waiting: 2, dead: 0, failing: 'status 503', oldestWaitingSinceMs: START_MS },
    { name: 'webhook-2', waiting: 0, dead: 1, failing: 'status 400' },
    { name: 'webhook-3', waiting: 1, dead: 0 },
  ];
  await open();
  expect(await page.locator('#webhooks li').allTextContents()).toEqual([
    'webhook-1 fails: status 5032 cards wait, the oldest since 2026-01-01 12:00:00 UTC; tried again until taken',
  ]);
});

it('says why a card could not be sent again', async () => {
  deadLetters = [deadLetter(1)];
  await open();
  await page.route('**/api/alerts/resend', route =>
    route.fulfill({ status: 404, json: { reason: 'no webhook takes it' } }),
  );
  await page.getByRole('button', { name: 'Send again' }).click();
  await page.locator('#cards .problem', { hasText: 'no webhook takes it' }).waitFor();
});

it.each([
  [{ warnings: [], isFiring: false }, 'ready', 'ready'],
  [{ warnings: ['slowFirstByte: slow'], isFiring: false }, 'warned', 'ready, 1 warning'],
  [{ warnings: ['slowFirstByte: slow'], isFiring: true }, 'not-ready', 'in trouble'],
])('tells of %j by the badge %s, %s', async (trouble, state, text) => {
  facts = { ...calmFacts, notReady: [], trouble };
  await open();
  await page.locator(`#state[data-state="${state}"]`, { hasText: new RegExp(`^${text}$`) }).waitFor();
  expect(await page.locator('#state').textContent()).toBe(text);
});

it('says since when the admin port gives no answer, and that what it shows is old, until it answers again', async () => {
  await open();
  const { port } = server;
  await server.close();
  await page
    .locator('#lost', { hasText: /gives no answer since \d{4}-.* UTC\. What is shown is from then\./ })
    .waitFor();
  expect(await page.locator('#board').getAttribute('class')).toBe('outdated');
  expect(await page.locator('#state').textContent()).toBe('no answer');
  await serve(port);
  await page.locator('#lost').waitFor({ state: 'hidden' });
  expect(await page.locator('#board').getAttribute('class')).toBe('');
});

it('begins its curves anew with another process of the gateway', async () => {
  await recordTraffic();
  await open();
  const figure = page.locator('.tile', { hasText: 'Requests' }).locator('.figure');
  expect(await figure.textContent()).toBe('2req/s');
  const { port } = server;
  await server.close();
  traffic = new TrafficHistory(clock);
  await serve(port);
  await page.locator('#charts[data-empty]').waitFor();
  expect(await figure.textContent()).toBe('–');
});

function deadLetter(id: number): NamedDeadLetter {
  return {
    ...{ id, channel: 'c', webhook: 'webhook-1', attempts: 1, reason: 'status 400' },
    ...{ queuedAtMs: START_MS, diedAtMs: START_MS, notification: sampleNotification(`card-${id}`) },
  };
}
