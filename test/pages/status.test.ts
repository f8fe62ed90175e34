import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import type { AdminPort } from '../../src/admin/admin-port.ts';
import { alertRoutes } from '../../src/admin/alerts/alert-routes.ts';
import { runbookRoutes } from '../../src/admin/alerts/runbook-routes.ts';
import { pageNavigation } from '../../src/admin/page-navigation.ts';
import { sharedPageFiles } from '../../src/admin/shared-page-files.ts';
import { type StatusLinks, statusReport } from '../../src/admin/status/status-report.ts';
import { statusRoutes } from '../../src/admin/status/status-routes.ts';
import { silentLogger } from '../../src/base/logger.ts';
import { startAdminServer } from '../support/admin-server.ts';
import { launchBrowser } from '../support/browser.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { sampleAlert } from '../support/notifications.ts';

let server: AdminPort;
let browser: BrowserContext;
let page: Page;
let links: StatusLinks;

beforeAll(async () => {
  browser = await launchBrowser({ colorScheme: 'light' });
});
afterAll(() => browser.close());

beforeEach(async () => {
  links = { runbook: '/runbook#{rule}', channel: '/channel' };
  server = await startAdminServer({
    host: '127.0.0.1',
    port: 0,
    names: [],
    token: undefined,
    routes: [
      ...sharedPageFiles(),
      ...statusRoutes(
        async () => statusReport({ ...facts, links }, []),
        pageNavigation({ hasChannel: true, needsToken: false }),
      ),
      ...alertRoutes({
        clock: new ManualClock(),
        alerts: () => [sampleAlert('backendUnreachable', { id: 'a-1', severity: 'critical' })],
        silences: () => [],
        webhooks: () => [],
        deadLetters: () => [],
        sendAgain: () => 0,
        acknowledge: () => ({ kind: 'not-firing' }),
        acts: () => [],
        notify: () => {},
      }),
      ...runbookRoutes({ rules: {}, navigation: [], adminUrl: 'http://127.0.0.1:9090', needsToken: false }),
    ],
    logger: silentLogger(),
  });
  page = await browser.newPage();
});
afterEach(async () => {
  await page.close();
  await server.close();
});

const facts = {
  version: '1.2.3',
  startedMs: 0,
  nowMs: 1_000,
  gatewayUrl: 'http://127.0.0.1:8080',
  notReady: ['worker 0 is starting'],
  warnings: [],
  lastMinute: {
    ...{ requests: 10, errorRatio: 0.25, hitRatio: 0.5 },
    firstByteS: { p50: 0.002, p99: 0.4 },
    backends: { main: { requests: 4, failed: 1, errorRatio: 0.25 } },
  },
  readsByBucket: new Map(),
  workers: [{ index: 0, state: 'starting' }],
  backends: [{ name: 'main', type: 's3', location: 'https://s3.eu-west-1.amazonaws.com' }],
  buckets: [{ name: 'photos', backend: 'main', access: 'public' }],
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

it('needs no sideways scrolling on a narrow screen', async () => {
  await page.setViewportSize({ width: 340, height: 700 });
  await open();
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(340);
});
