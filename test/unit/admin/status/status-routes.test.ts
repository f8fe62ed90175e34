import { afterEach, expect, it } from 'vitest';
import type { AdminPort } from '../../../../src/admin/admin-port.ts';
import { pageNavigation } from '../../../../src/admin/page-navigation.ts';
import { sharedPageFiles } from '../../../../src/admin/shared-page-files.ts';
import { statusReport } from '../../../../src/admin/status/status-report.ts';
import { statusRoutes } from '../../../../src/admin/status/status-routes.ts';
import { silentLogger } from '../../../../src/base/logger.ts';
import { startAdminServer } from '../../../support/admin-server.ts';
import { askAdmin } from '../../../support/ask-admin.ts';

let server: AdminPort | undefined;

afterEach(async () => {
  await server?.close();
});

async function start(): Promise<number> {
  const facts = {
    version: '1.2.3',
    startedMs: 0,
    nowMs: 1_000,
    gatewayUrl: 'http://127.0.0.1:8080',
    notReady: [],
    trouble: { warnings: [], isFiring: false },
    lastMinute: {
      ...{ requests: 10, errorRatio: 0.25, hitRatio: 0.5 },
      firstByteS: { p50: 0.002, p99: 0.4 },
      backends: { main: { requests: 4, failed: 1, errorRatio: 0.25 } },
    },
    readsByBucket: new Map(),
    workers: [],
    backends: [],
    buckets: [],
    links: { runbook: '/runbook#{rule}' },
  };
  server = await startAdminServer({
    host: '127.0.0.1',
    port: 0,
    names: [],
    token: 's3cret',
    routes: [
      ...sharedPageFiles(),
      ...statusRoutes(
        async () => statusReport(facts, []),
        pageNavigation({ hasChannel: true, needsToken: true }),
      ),
    ],
    logger: silentLogger(),
  });
  return server.port;
}

it('shows the page to everybody, and what it is about to those who have the token', async () => {
  const port = await start();
  expect((await askAdmin(port, '/')).status).toBe(200);
  expect((await askAdmin(port, '/api/status')).status).toBe(401);
  const answer = await askAdmin(port, '/api/status', { headers: { authorization: 'Bearer s3cret' } });
  expect(JSON.parse(answer.text)).toMatchObject({ version: '1.2.3', uptimeS: 1, ready: true });
});

it('the page loads nothing from elsewhere, and could not', async () => {
  const port = await start();
  const page = await askAdmin(port, '/');
  expect(page.headers['content-security-policy']).toContain("default-src 'none'");
  const loaded = Array.from(page.text.matchAll(/(?:src|href)="([^"]+)"/g), ([, address = '']) => address);
  expect(loaded.filter(address => !address.startsWith('/') && !address.startsWith('data:'))).toEqual([]);
  for (const address of [
    '/page/palette.css',
    '/page/base.css',
    '/status/page/status.css',
    '/status/page/status.js',
    '/status/page/uplot.css',
    '/status/page/uplot.js',
  ]) {
    expect(loaded).toContain(address);
    expect((await askAdmin(port, address)).status).toBe(200);
  }
});

it('serves every module that the page imports, directly or not', async () => {
  const port = await start();
  const seen = new Set(['/status/page/status.js']);
  for (const script of seen) {
    const { status, headers, text } = await askAdmin(port, script);
    expect([script, status, headers['content-type']]).toEqual([
      script,
      200,
      'text/javascript; charset=utf-8',
    ]);
    for (const [, address = ''] of text.matchAll(/from '([^']+)'/g))
      seen.add(new URL(address, `http://page${script}`).pathname);
  }
  expect(seen.size).toBeGreaterThan(5);
});
