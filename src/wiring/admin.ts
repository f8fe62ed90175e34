/** The routes of the admin port, built from the running parts. */
import type { AdminRoute } from '../admin/admin-route.ts';
import { type EventSenders, eventsRoute } from '../admin/events/events-route.ts';
import type { TakeEvents } from '../admin/events/take-events.ts';
import { healthRoutes } from '../admin/health-routes.ts';
import { metricsRoute } from '../admin/metrics-route.ts';
import { objectRoutes } from '../admin/objects/object-routes.ts';
import type { PageLink } from '../admin/page-navigation.ts';
import { type Purge, purgeRoute } from '../admin/purge-route.ts';
import { type ReloadCommands, reloadRoutes } from '../admin/reload-route.ts';
import { sharedPageFiles } from '../admin/shared-page-files.ts';
import { statusReport } from '../admin/status/status-report.ts';
import { statusRoutes } from '../admin/status/status-routes.ts';
import type { TrafficHistory } from '../admin/status/traffic-history.ts';
import { trafficRoute } from '../admin/status/traffic-route.ts';
import { warmRoute } from '../admin/warm-route.ts';
import type { Clock } from '../base/clock.ts';
import type { MetricSnapshot } from '../base/metric-snapshot.ts';
import type { BackendConfig } from '../config/gateway-config.ts';
import type { WorkerPool } from '../server/worker-pool.ts';
import type { Alerts } from './alerts.ts';
import type { BackendCredentials } from './credentials.ts';
import { explainEverywhere } from './explain.ts';
import type { RunningConfig } from './running-config.ts';
import type { WorkerControl } from './thread-contracts.ts';
import { warmEverywhere } from './warm.ts';

export interface AdminParts {
  readonly running: RunningConfig;
  readonly reload: ReloadCommands;
  readonly version: string;
  readonly gatewayUrl: string;
  /** Whether the built-in channel is active, as in a start without a configuration file. */
  readonly hasChannel: boolean;
  /** The links between the pages of the admin port. */
  readonly navigation: readonly PageLink[];
  /** The metrics of the whole process. */
  readonly scrape: () => Promise<MetricSnapshot>;
  readonly traffic: TrafficHistory;
  readonly pool: WorkerPool<WorkerControl>;
  readonly purge: Purge;
  readonly eventSenders: EventSenders;
  readonly takeEvents: TakeEvents;
  readonly isDraining: () => boolean;
  readonly alerts: Pick<Alerts, 'trouble' | 'lastMinute'>;
  readonly credentials: Pick<BackendCredentials, 'notReady' | 'warnings' | 'statusOf'>;
  readonly clock: Clock;
}

export function adminRoutes(parts: AdminParts): readonly AdminRoute[] {
  const { running, version, gatewayUrl, hasChannel, scrape, traffic, pool, clock, alerts, credentials } =
    parts;
  const startedMs = clock.nowMs();
  const status = async () => {
    const config = running.current;
    const facts = {
      version,
      startedMs,
      nowMs: clock.nowMs(),
      gatewayUrl,
      notReady: reasonsNotReady(parts),
      trouble: { ...alerts.trouble(), warnings: warningsOf(parts) },
      lastMinute: alerts.lastMinute(),
      readsByBucket: traffic.readsOfLastMinute(),
      workers: pool.states(),
      backends: Object.entries(config.backends).map(([name, backend]) => ({
        ...{ name, ...whereIs(backend) },
        credentials: credentials.statusOf(name),
      })),
      buckets: Object.entries(config.buckets).map(([name, { backend, access }]) => ({
        name,
        backend,
        access,
      })),
      links: {
        runbook: config.alerts.runbook ?? '/runbook#{rule}',
        ...(hasChannel ? { channel: '/channel' } : {}),
      },
    };
    return statusReport(facts, await scrape());
  };
  return [
    ...healthRoutes(
      () => reasonsNotReady(parts),
      () => warningsOf(parts),
    ),
    metricsRoute(scrape),
    purgeRoute(parts.purge),
    warmRoute(warmEverywhere(running, pool, clock)),
    eventsRoute(parts.eventSenders, parts.takeEvents),
    ...objectRoutes(explainEverywhere(running, pool), parts.navigation),
    ...sharedPageFiles(),
    ...statusRoutes(status, parts.navigation),
    trafficRoute(traffic),
    ...reloadRoutes(parts.reload),
  ];
}

function warningsOf({ alerts, credentials }: AdminParts): readonly string[] {
  return [...alerts.trouble().warnings, ...credentials.warnings()];
}

function reasonsNotReady({ pool, isDraining, running, alerts, credentials }: AdminParts): readonly string[] {
  const down = pool.states().filter(({ state }) => state !== 'up');
  const workers = down.map(({ index, state }) => `worker ${index} is ${state}`);
  const missing = credentials.notReady();
  const reasons = [
    ...workers,
    ...missing,
    ...(running.current.admin.unreadyOnCritical ? alerts.trouble().critical : []),
  ];
  return isDraining() ? ['the gateway is draining', ...reasons] : reasons;
}

function whereIs(backend: BackendConfig): { readonly type: string; readonly location: string } {
  return { type: backend.type, location: backend.type === 'embedded' ? backend.directory : backend.endpoint };
}
