import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import type { AdminPort } from '../../src/admin/admin-port.ts';
import { objectRoutes } from '../../src/admin/objects/object-routes.ts';
import { pageNavigation } from '../../src/admin/page-navigation.ts';
import { type PurgeOutcome, type PurgeRequest, purgeRoute } from '../../src/admin/purge-route.ts';
import { sharedPageFiles } from '../../src/admin/shared-page-files.ts';
import { silentLogger } from '../../src/base/logger.ts';
import { startAdminServer } from '../support/admin-server.ts';
import { launchBrowser } from '../support/browser.ts';

const KEY = 'a/<img src=x onerror="document.title=1">\u202e100% #?.txt';

let server: AdminPort;
let browser: BrowserContext;
let page: Page;
let records: object[];
let outcome: PurgeOutcome;
let purges: PurgeRequest[];

beforeAll(async () => {
  browser = await launchBrowser({ colorScheme: 'light' });
});
afterAll(() => browser.close());

beforeEach(async () => {
  purges = [];
  records = [record({})];
  outcome = { kind: 'purged', objects: 1, bytes: 2048 };
  const explain = async (bucket: string, key: string) =>
    bucket === 'photos' ? { bucket, key, backend: 'main', bucketAtBackend: 'photos-eu', records } : undefined;
  server = await startAdminServer({
    ...{ host: '127.0.0.1', port: 0, names: [], token: undefined, logger: silentLogger() },
    routes: [
      ...sharedPageFiles(),
      ...objectRoutes(explain, pageNavigation({ hasChannel: false, needsToken: false })),
      purgeRoute(async request => {
        purges.push(request);
        records = [];
        return outcome;
      }),
    ],
  });
  page = await browser.newPage();
});
afterEach(async () => {
  await page.close();
  await server.close();
});

function record(changes: object): object {
  return {
    ...{ name: '', kind: 'readable', status: 200, entityTag: '"<b>1</b>"', versionId: 'v1', sizeBytes: 4096 },
    ...{ ageS: 5, ttlS: 55, isOutdated: false, memory: { blocks: 1, bytes: 2048 } },
    ...changes,
  };
}

const open = (query: Record<string, string> = {}) =>
  page.goto(`http://127.0.0.1:${server.port}/objects?${new URLSearchParams(query)}`);
const message = () => page.locator('#message');

async function purge(button: RegExp): Promise<void> {
  await page.getByRole('button', { name: button }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Purge' }).click();
}

it('shows what is held of the object that the address names', async () => {
  await open({ bucket: 'photos', key: KEY });
  await page.locator('#records li').waitFor();
  expect(await page.locator('#name').textContent()).toBe(
    'photos / a/<img src=x onerror="document.title=1">\\u{202e}100% #?.txt',
  );
  expect(await page.title()).toBe('Object look-up · Tidegate');
  const held = await page.locator('#records li').innerText();
  for (const text of ['Fresh for 55 s', '4.0 KiB (4096 bytes)', '2.0 KiB in 1 block', '"<b>1</b>"', 'v1'])
    expect(held).toContain(text);
});

it('is filled in with a bucket without a key, and waits for the key', async () => {
  await open({ bucket: 'photos' });
  await page.locator('#buckets').waitFor({ state: 'attached' });
  expect([await page.locator('#bucket').inputValue(), await page.locator('#key').inputValue()]).toEqual([
    'photos',
    '',
  ]);
  expect(await page.locator('#result').isVisible()).toBe(false);
  expect(await message().isVisible()).toBe(false);
});

it('puts what was looked up into the address, and the way back leads to what was before', async () => {
  await open({ bucket: 'photos', key: 'first' });
  await page.getByText('photos / first').waitFor();
  await page.locator('#key').fill('second&x=1');
  await page.getByRole('button', { name: 'Look up' }).click();
  await page.getByText('photos / second&x=1').waitFor();
  expect(new URL(page.url()).searchParams.get('key')).toBe('second&x=1');
  await page.goBack();
  await page.getByText('photos / first').waitFor();
});

it('shows the records of one version only', async () => {
  records = [
    record({}),
    record({ versionId: 'v2', name: '2:v2----' }),
    record({ kind: 'refused', name: '2:v3----' }),
  ];
  await open({ bucket: 'photos', key: 'a', version: 'v2' });
  expect(await page.locator('#records li').allInnerTexts()).toMatchObject([expect.stringContaining('v2')]);
  await open({ bucket: 'photos', key: 'a', version: 'v9' });
  await page.getByText('Nothing is cached of this version.').waitFor();
});

it('shows which requests get an answer of a web origin', async () => {
  const cookie = { name: 'cookie', digest: '0a1b2c3d4e5f' };
  const variant = [{ name: 'accept-encoding', value: 'gzip' }, cookie, { name: 'origin', value: null }];
  records = [record({ name: '0123456789ab', variant })];
  await open({ bucket: 'photos', key: 'a' });
  const held = await page.locator('#records li').innerText();
  expect(held).toContain('accept-encoding gzip, cookie (digest 0a1b2c3d4e5f), no origin');
});

it('says what is wrong with a name', async () => {
  await open({ bucket: 'other', key: 'a' });
  await page.getByText('no bucket of this name is configured').waitFor();
  expect(await page.locator('#result').isVisible()).toBe(false);
});

it('purges one key after a confirmation, and tells what was removed', async () => {
  await open({ bucket: 'photos', key: KEY });
  await page.locator('#records li').waitFor();
  await purge(/^Purge this key/);
  await message().getByText('1 object, 2.0 KiB.').waitFor();
  expect(purges).toEqual([{ kind: 'object', bucket: 'photos', key: KEY, soft: false }]);
  await page.getByText('Nothing is cached of this object').waitFor();
});

it('purges a prefix, and says so when nothing was there', async () => {
  outcome = { kind: 'purged', objects: 0, bytes: 0 };
  await open({ bucket: 'photos', key: 'a/' });
  await purge(/begin with it/);
  await message().getByText('nothing was cached').waitFor();
  expect(purges).toEqual([{ kind: 'prefix', bucket: 'photos', prefix: 'a/', soft: false }]);
});

it('purges nothing when the question is answered with Cancel or Escape', async () => {
  await open({ bucket: 'photos', key: 'a' });
  await page.getByRole('button', { name: /^Purge this key/ }).click();
  await page.getByRole('dialog').getByText('Purge the key “a” of bucket “photos”?').waitFor();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: /^Purge this key/ }).click();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
  expect(purges).toEqual([]);
});

it('never says that something was purged when it was not, or when that is not known', async () => {
  await open({ bucket: 'photos', key: 'a' });
  outcome = { kind: 'alias', problem: 'the key means something else' };
  await purge(/^Purge this key/);
  await message().getByText('Not purged: the key means something else').waitFor();
  await page.route('**/api/purge', route => route.abort());
  await purge(/^Purge this key/);
  await message().getByText('Whether it was purged is not known').waitFor();
});

it('needs no sideways scrolling on a narrow screen', async () => {
  await page.setViewportSize({ width: 400, height: 800 });
  await open({ bucket: 'photos', key: 'x'.repeat(900) });
  await page.locator('#records li').waitFor();
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(400);
});
