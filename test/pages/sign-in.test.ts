import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import type { AdminPort } from '../../src/admin/admin-port.ts';
import { documentRoute } from '../../src/admin/page-document.ts';
import { pageContent } from '../../src/admin/page-file.ts';
import { sharedPageFiles } from '../../src/admin/shared-page-files.ts';
import { silentLogger } from '../../src/base/logger.ts';
import { startAdminServer } from '../support/admin-server.ts';
import { launchBrowser } from '../support/browser.ts';

/** A page that makes two requests at once. */
const script = `
import { askAdmin } from '/page/admin-api.js';
const answers = await Promise.all([askAdmin('/data'), askAdmin('/data')]);
document.querySelector('main').textContent = await answers[0].text() + await answers[1].text();
`;

let server: AdminPort;
let browser: BrowserContext;
let page: Page;

beforeAll(async () => {
  browser = await launchBrowser({ colorScheme: 'light' });
});
afterAll(() => browser.close());

beforeEach(async () => {
  const document = { title: 'Test', navigation: [], styles: [], script: '/page.js', body: '<main></main>' };
  server = await startAdminServer({
    ...{ host: '127.0.0.1', port: 0, names: [], token: 's3cret', logger: silentLogger() },
    routes: [
      ...sharedPageFiles(),
      documentRoute({ path: '/page', ...document }),
      pageContent('/page.js', 'js', () => Buffer.from(script)),
      { method: 'GET', path: '/data', handle: (_request, response) => void response.end('data') },
    ],
  });
  page = await browser.newPage();
  await page.goto(`http://127.0.0.1:${server.port}/page`);
});
afterEach(async () => {
  await page.close();
  await server.close();
});

it('asks for the token once for all requests, again when it is wrong, and then goes on', async () => {
  await page.locator('#sign-in').waitFor();
  expect(await page.locator('#sign-in').count()).toBe(1);
  await page.locator('#token').fill('guess');
  await page.getByRole('button', { name: 'Go on' }).click();
  await page.getByText('This is not the token').waitFor();
  await page.locator('#token').fill('s3cret');
  await page.getByRole('button', { name: 'Go on' }).click();
  await page.getByText('datadata').waitFor();
  expect(await page.locator('#sign-in').count()).toBe(0);
});

it('asks no more in the same tab', async () => {
  await page.locator('#token').fill('s3cret');
  await page.getByRole('button', { name: 'Go on' }).click();
  await page.getByText('datadata').waitFor();
  await page.reload();
  await page.getByText('datadata').waitFor();
});
