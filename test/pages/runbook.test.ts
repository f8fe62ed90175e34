import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import type { AdminPort } from '../../src/admin/admin-port.ts';
import { alertRoutes } from '../../src/admin/alerts/alert-routes.ts';
import { runbookRoutes } from '../../src/admin/alerts/runbook-routes.ts';
import { pageNavigation } from '../../src/admin/page-navigation.ts';
import { sharedPageFiles } from '../../src/admin/shared-page-files.ts';
import type { Alert } from '../../src/alerts/alert.ts';
import { alertNames } from '../../src/alerts/rules/rule-description.ts';
import { silentLogger } from '../../src/base/logger.ts';
import { startAdminServer } from '../support/admin-server.ts';
import { launchBrowser } from '../support/browser.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { sampleAlert } from '../support/notifications.ts';

const HOUR_MS = 3_600_000;

let server: AdminPort;
let browser: BrowserContext;
let page: Page;
let alerts: Alert[];

beforeAll(async () => {
  browser = await launchBrowser({ colorScheme: 'light' });
});
afterAll(() => browser.close());

beforeEach(async () => {
  alerts = [];
  server = await start(undefined);
  page = await browser.newPage();
});
afterEach(async () => {
  await page.close();
  await server.close();
});

function start(token: string | undefined): Promise<AdminPort> {
  const needsToken = token !== undefined;
  const navigation = pageNavigation({ hasChannel: false, needsToken });
  return startAdminServer({
    ...{ host: '127.0.0.1', port: 0, names: [], token, logger: silentLogger() },
    routes: [
      ...sharedPageFiles(),
      ...alertRoutes({
        clock: new ManualClock(),
        alerts: () => alerts,
        silences: () => [],
        webhooks: () => [],
        deadLetters: () => [],
        sendAgain: () => 0,
        acknowledge: () => ({ kind: 'not-firing' }),
        acts: () => [],
        notify: () => {},
      }),
      ...runbookRoutes({ rules: () => ({}), navigation, adminUrl: 'http://0.0.0.0:9090', needsToken }),
    ],
  });
}

const url = (hash = '') => `http://127.0.0.1:${server.port}/runbook${hash}`;
const firing = (name: string, changes: Partial<Alert> = {}) =>
  sampleAlert(name, { startedAtMs: Date.now() - HOUR_MS, labels: { backend: 'main' }, ...changes });
const indexLine = (name: string) => page.locator(`.index li[data-rule=${name}]`);

it('leads from the index to every rule, and back to the index and the status page', async () => {
  await page.goto(url());
  const links = await page.locator('.index a').evaluateAll(all => all.map(link => link.getAttribute('href')));
  expect(links.toSorted()).toEqual([...alertNames, 'writes'].map(name => `#${name}`).toSorted());
  await indexLine('cacheThrash').getByRole('link').click();
  await page.waitForURL('**/runbook#cacheThrash');
  const section = page.locator('section#cacheThrash');
  await section.getByRole('link', { name: 'All rules' }).click();
  await page.waitForURL('**/runbook#index');
  expect(await section.getByRole('link', { name: 'Status' }).getAttribute('href')).toBe('/');
});

it('marks what fires, since when and on what, and says so when it has ended', async () => {
  alerts = [firing('backendUnreachable', { severity: 'critical', summary: 'main <b>is down</b>' })];
  await page.goto(url());
  await page.getByText('1 alert fires now.').waitFor();
  expect(await indexLine('backendUnreachable').locator('.now').textContent()).toBe('firing for 1 h');
  expect(await indexLine('cacheThrash').locator('.now').textContent()).toBe('');
  const line = page.locator('section#backendUnreachable .firing li');
  expect(await line.locator('strong').textContent()).toBe('main <b>is down</b>');
  expect(await line.textContent()).toMatch(
    /Firing · backend main · since \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/,
  );

  alerts = [firing('backendUnreachable', { state: 'resolved', endedAtMs: Date.now() })];
  await page.getByText('No alert fires now.').waitFor();
  expect(await indexLine('backendUnreachable').locator('.now').textContent()).toMatch(/^ended .* ago$/);
});

it('says that the marks may be out of date when the gateway does not answer', async () => {
  await page.goto(url());
  await page.getByText('No alert fires now.').waitFor();
  await page.route('**/api/alerts', route => route.abort());
  await page.getByText('what is marked may be out of date').waitFor();
});

it('has commands for the address under which it was opened', async () => {
  await page.goto(url());
  const command = page.locator('section#backendUnreachable pre', { hasText: 'curl' });
  expect(await command.textContent()).toBe(
    `curl -s http://127.0.0.1:${server.port}/api/status | jq .lastMinute.backends`,
  );
});

it('can be read without the token, and shows what fires once it is entered', async () => {
  await server.close();
  server = await start('s3cret');
  alerts = [firing('cacheThrash')];
  await page.goto(url('#cacheThrash'));
  await page.getByText('Which alerts fire is shown with the token').waitFor();
  expect(await page.locator('section#backendUnreachable h2').isVisible()).toBe(true);
  expect(await page.locator('section#backendUnreachable pre', { hasText: 'curl' }).textContent()).toContain(
    '-H "authorization: Bearer $TIDEGATE_ADMIN_TOKEN" http',
  );
  await page.getByRole('button', { name: 'Enter the token' }).click();
  await page.locator('#token').fill('s3cret');
  await page.getByRole('button', { name: 'Go on' }).click();
  await page.getByText('1 alert fires now.').waitFor();
});

it('needs no sideways scrolling on a narrow screen', async () => {
  alerts = alertNames.map(name => firing(name, { summary: 'a-long-name-'.repeat(30) }));
  await page.setViewportSize({ width: 400, height: 800 });
  await page.goto(url());
  await page.locator('.firing li').first().waitFor();
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(400);
  const overflowing = `[...document.querySelectorAll('.entry')].filter(one => one.scrollWidth > one.clientWidth).length`;
  expect(await page.evaluate(overflowing)).toBe(0);
});
