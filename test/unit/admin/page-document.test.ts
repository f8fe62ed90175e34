import { afterEach, expect, it } from 'vitest';
import type { AdminPort } from '../../../src/admin/admin-port.ts';
import { documentRoute } from '../../../src/admin/page-document.ts';
import { type NavigationOptions, pageNavigation } from '../../../src/admin/page-navigation.ts';
import { silentLogger } from '../../../src/base/logger.ts';
import { startAdminServer } from '../../support/admin-server.ts';
import { askAdmin } from '../../support/ask-admin.ts';

let server: AdminPort | undefined;

afterEach(async () => {
  await server?.close();
});

async function pageWith(options: NavigationOptions): Promise<string> {
  const navigation = pageNavigation(options);
  const page = { path: '/runbook', title: 'Runbook', navigation, styles: ['/a.css'], script: '/a.js' };
  server = await startAdminServer({
    ...{ host: '127.0.0.1', port: 0, names: [], token: 's3cret', logger: silentLogger() },
    routes: [documentRoute({ ...page, body: '<main>what it says</main>' })],
  });
  return (await askAdmin(server.port, '/runbook')).text;
}

const linksOf = (html: string) =>
  Array.from(html.matchAll(/<a href="([^"]+)"/g), ([, target = '']) => target);

it('leads to all pages, and marks the one that is shown', async () => {
  const html = await pageWith({ hasChannel: true, needsToken: false });
  expect(linksOf(html)).toEqual(['/', '/runbook', '/objects', '/channel', '/metrics']);
  expect(html.match(/<a [^>]*aria-current[^>]*>/g)).toEqual(['<a href="/runbook" aria-current="page">']);
});

it('leads to no page that is not there, nor to what a link cannot open without the token', async () => {
  expect(linksOf(await pageWith({ hasChannel: false, needsToken: true }))).toEqual([
    '/',
    '/runbook',
    '/objects',
  ]);
});

it('loads the shared styles before its own', async () => {
  const html = await pageWith({ hasChannel: true, needsToken: false });
  const styles = Array.from(html.matchAll(/stylesheet" href="([^"]+)"/g), ([, href]) => href);
  expect(styles).toEqual(['/page/palette.css', '/page/base.css', '/page/forms.css', '/a.css']);
});
