/** The routes of the admin port, built from the running parts. */
import type { AdminRoute } from '../admin/admin-route.ts';
import { healthRoutes } from '../admin/health-routes.ts';
import { metricsRoute } from '../admin/metrics-route.ts';
import { objectRoute } from '../admin/object-route.ts';
import type { PageLink } from '../admin/page-navigation.ts';
import { type Purge, purgeRoute } from '../admin/purge-route.ts';
import { sharedPageFiles } from '../admin/shared-page-files.ts';
import { statusReport } from '../admin/status/status-report.ts';
import { statusRoutes } from '../admin/status/status-routes.ts';
import type { Clock } from '../base/clock.ts';
import { type MetricSnapshot, mergeSnapshots } from '../base/metric-snapshot.ts';
import type { Metrics } from '../base/metrics.ts';
import type { BackendConfig, GatewayConfig } from '../config/gateway-config.ts';
import type { WorkerPool } from '../server/worker-pool.ts';
import type { Alerts } from './alerts.ts';
import { explainEverywhere } from './cache.ts';
import type { WorkerControl } from './thread-contracts.ts';

export interface AdminParts {
  readonly config: GatewayConfig;
  readonly version: string;
  readonly gatewayUrl: string;
  /** Whether the built-in channel is active, as in a start without a configuration file. */
  readonly hasChannel: boolean;
  /** The links between the pages of the admin port. */
  readonly navigation: readonly PageLink[];
  /** Of the supervisor; those of the workers are fetched. */
  readonly metrics: Metrics;
  readonly pool: WorkerPool<WorkerControl>;
  readonly purge: Purge;
  readonly isDraining: () => boolean;
  readonly alerts: Pick<Alerts, 'trouble' | 'lastMinute'>;
  readonly clock: Clock;
}

/** For a worker that does not answer in time its last metrics are used, so that it does not hide the others. */
const SCRAPE_PATIENCE_MS = 1_000;

/** The metrics of the whole process, merged over all threads. */
export async function scrape({
  metrics,
  pool,
}: Pick<AdminParts, 'metrics' | 'pool'>): Promise<MetricSnapshot> {
  const ofWorkers = await pool.latest('metrics', undefined, SCRAPE_PATIENCE_MS);
  return mergeSnapshots([await metrics.snapshot(), ...ofWorkers]);
}

export function adminRoutes(parts: AdminParts): readonly AdminRoute[] {
  const { config, version, gatewayUrl, hasChannel, pool, clock, alerts } = parts;
  const startedMs = clock.nowMs();
  const status = async () => {
    const facts = {
      version,
      startedMs,
      nowMs: clock.nowMs(),
      gatewayUrl,
      notReady: reasonsNotReady(parts),
      warnings: alerts.trouble().warnings,
      lastMinute: alerts.lastMinute(),
      workers: pool.states(),
      backends: Object.entries(config.backends).map(([name, backend]) => ({ name, ...whereIs(backend) })),
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
    return statusReport(facts, await scrape(parts));
  };
  return [
    ...healthRoutes(
      () => reasonsNotReady(parts),
      () => alerts.trouble().warnings,
    ),
    metricsRoute(() => scrape(parts)),
    purgeRoute(parts.purge),
    objectRoute(explainEverywhere(config, pool)),
    ...sharedPageFiles(),
    ...statusRoutes(status, parts.navigation),
  ];
}

function reasonsNotReady({ pool, isDraining, config, alerts }: AdminParts): readonly string[] {
  const missing = pool.states().filter(({ state }) => state !== 'up');
  const workers = missing.map(({ index, state }) => `worker ${index} is ${state}`);
  const reasons = [...workers, ...(config.admin.unreadyOnCritical ? alerts.trouble().critical : [])];
  return isDraining() ? ['the gateway is draining', ...reasons] : reasons;
}

function whereIs(backend: BackendConfig): { readonly type: string; readonly location: string } {
  return { type: backend.type, location: backend.type === 's3' ? backend.endpoint : backend.directory };
}
