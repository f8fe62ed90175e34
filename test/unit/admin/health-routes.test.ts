import { afterEach, expect, it } from 'vitest';
import type { AdminPort } from '../../../src/admin/admin-port.ts';
import { healthRoutes } from '../../../src/admin/health-routes.ts';
import { silentLogger } from '../../../src/base/logger.ts';
import { startAdminServer } from '../../support/admin-server.ts';

let server: AdminPort | undefined;
afterEach(() => server?.close());

async function ready(reasons: readonly string[], warnings: readonly string[]) {
  server = await startAdminServer({
    ...{ host: '127.0.0.1', port: 0, names: [], token: undefined, logger: silentLogger() },
    routes: healthRoutes(
      () => reasons,
      () => warnings,
    ),
  });
  const answer = await fetch(`http://127.0.0.1:${server.port}/readyz`);
  return { status: answer.status, body: await answer.json() };
}

it('is ready', async () => {
  expect(await ready([], [])).toEqual({ status: 200, body: { status: 'ready' } });
});

it('stays ready during an outage of a store, and says so at once', async () => {
  const warnings = ['backendUnreachable: A backend does not answer'];
  expect(await ready([], warnings)).toEqual({ status: 200, body: { status: 'ready', warnings } });
});

it('is not ready for reasons of its own', async () => {
  const reasons = ['worker 0 is waiting'];
  expect(await ready(reasons, [])).toEqual({ status: 503, body: { status: 'not ready', reasons } });
});
