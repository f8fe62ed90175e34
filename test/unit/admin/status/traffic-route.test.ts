import { afterEach, beforeEach, expect, it } from 'vitest';
import type { AdminPort } from '../../../../src/admin/admin-port.ts';
import { TrafficHistory } from '../../../../src/admin/status/traffic-history.ts';
import { trafficRoute } from '../../../../src/admin/status/traffic-route.ts';
import { silentLogger } from '../../../../src/base/logger.ts';
import { startAdminServer } from '../../../support/admin-server.ts';
import { askAdmin } from '../../../support/ask-admin.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

let server: AdminPort;

beforeEach(async () => {
  const clock = new ManualClock();
  const history = new TrafficHistory(clock);
  for (let sample = 0; sample < 4; sample++) {
    clock.advance(5_000);
    history.record([]);
  }
  server = await startAdminServer({
    ...{ host: '127.0.0.1', port: 0, names: [], token: 's3cret', logger: silentLogger() },
    routes: [trafficRoute(history)],
  });
});
afterEach(() => server.close());

const headers = { authorization: 'Bearer s3cret' };

it('gives the history to those who have the token, and from the sample that they ask for', async () => {
  expect((await askAdmin(server.port, '/api/status/history')).status).toBe(401);
  const whole = JSON.parse((await askAdmin(server.port, '/api/status/history', { headers })).text);
  expect(whole).toMatchObject({
    next: 3,
    samples: { seconds: [5, 5, 5], requests: [0, 0, 0], firstByteP99S: [null, null, null] },
  });
  const rest = JSON.parse((await askAdmin(server.port, '/api/status/history?after=2', { headers })).text);
  expect(rest.samples.atMs).toEqual(whole.samples.atMs.slice(2));
});

it.each(['-1', 'x', '1.5', '', '1e3', '9'.repeat(16)])('refuses after=%s with the reason', async after => {
  const answer = await askAdmin(server.port, `/api/status/history?after=${after}`, { headers });
  expect(answer.status).toBe(400);
  expect(JSON.parse(answer.text).reason).toContain('after: a whole number');
});
