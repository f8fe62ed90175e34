import { afterEach, beforeEach, expect, it } from 'vitest';
import { alertRoutes } from '../../../src/admin/alerts/alert-routes.ts';
import { runbookRoutes } from '../../../src/admin/alerts/runbook-routes.ts';
import { silenceRoutes } from '../../../src/admin/alerts/silence-routes.ts';
import { type BuiltInChannel, createBuiltInChannel } from '../../../src/admin/channel/built-in-channel.ts';
import { eventsRoute } from '../../../src/admin/events/events-route.ts';
import { healthRoutes } from '../../../src/admin/health-routes.ts';
import { metricsRoute } from '../../../src/admin/metrics-route.ts';
import { objectRoutes } from '../../../src/admin/objects/object-routes.ts';
import { purgeRoute } from '../../../src/admin/purge-route.ts';
import { sharedPageFiles } from '../../../src/admin/shared-page-files.ts';
import { statusRoutes } from '../../../src/admin/status/status-routes.ts';
import { TrafficHistory } from '../../../src/admin/status/traffic-history.ts';
import { trafficRoute } from '../../../src/admin/status/traffic-route.ts';
import { Silences } from '../../../src/alerts/silences/silences.ts';
import { silentLogger } from '../../../src/base/logger.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { memoryState } from '../../support/memory-state.ts';

const clock = new ManualClock();
const unused = () => {
  throw new Error('no route is asked');
};

let channel: BuiltInChannel;

beforeEach(async () => {
  channel = await createBuiltInChannel(clock);
});
afterEach(() => channel.close());

function allRoutes() {
  return [
    ...healthRoutes(unused, unused),
    metricsRoute(unused),
    purgeRoute(unused),
    eventsRoute({ token: undefined, hasBackend: unused, verify: undefined }, unused),
    ...objectRoutes(unused, []),
    ...sharedPageFiles(),
    ...statusRoutes(unused, []),
    trafficRoute(new TrafficHistory(clock)),
    ...alertRoutes({
      ...{ clock, alerts: unused, silences: unused, webhooks: unused, deadLetters: unused },
      ...{ sendAgain: unused, acknowledge: unused, acts: unused, notify: unused },
    }),
    ...silenceRoutes({ silences: new Silences(memoryState(), clock), clock, logger: silentLogger() }),
    ...runbookRoutes({
      rules: () => ({}),
      navigation: [],
      adminUrl: 'http://127.0.0.1:9090',
      needsToken: false,
    }),
    ...channel.routes(undefined, []),
  ];
}

it('only probes, and pages that contain no data, are served without the token', () => {
  const open = allRoutes().filter(route => route.open);
  const withData = open.filter(({ path }) => !/^\/(?:healthz|readyz|runbook|objects|channel)?$/.test(path));
  expect(withData.filter(({ path }) => !/\.(?:css|js)$/.test(path)).map(({ path }) => path)).toEqual([]);
  expect(open.filter(({ method }) => method !== 'GET')).toEqual([]);
});

it('every change must be JSON, which a form of another site cannot send, except a card under its secret path and events', () => {
  const changes = allRoutes().filter(({ method }) => method === 'POST');
  expect(changes.length).toBeGreaterThan(5);
  const others = changes.filter(({ isNoForm }) => isNoForm).map(({ path }) => path);
  // topics send text/plain, with a field that a form cannot have
  expect(others).toEqual(['/api/events', channel.webhookPath]);
});
