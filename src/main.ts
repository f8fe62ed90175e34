#!/usr/bin/env node
/**
 * The composition root of the supervisor: the commands, and the parts of a running gateway in the order of their
 * creation.
 */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { startAdminServer } from './admin/admin-server.ts';
import { mergeRequests } from './alerts/measurement/requested-objects.ts';
import { systemClock } from './base/clock.ts';
import { formatAddress } from './base/listen-error.ts';
import { descriptorSink, redactingSink } from './base/log-sinks.ts';
import { createLogger, type Logger, type LogSink } from './base/logger.ts';
import { Metrics } from './base/metrics.ts';
import { createRedactor } from './base/redaction.ts';
import { releaseWorker, type SharedMemory } from './cache/shared-memory.ts';
import { WarmPages } from './cache/warm-pages.ts';
import { runProgram, type ServeRequest } from './cli/program.ts';
import { welcome } from './cli/welcome.ts';
import type { BackendConfig, GatewayConfig } from './config/gateway-config.ts';
import { secretsOf } from './config/secrets.ts';
import { answerUnavailable } from './gateway/reply/answer-unavailable.ts';
import { claimPort } from './server/claim-port.ts';
import { FallbackListener } from './server/fallback-listener.ts';
import { clientConnectionsPerWorker, openFileLimit } from './server/open-files.ts';
import { handleSignals } from './server/shutdown-signals.ts';
import { countWorkers } from './server/worker-count.ts';
import { WorkerPool } from './server/worker-pool.ts';
import { adminRoutes, scrape } from './wiring/admin.ts';
import { composeAlerts } from './wiring/alerts.ts';
import { allocateCache, checksBlocks, purgeEverywhere } from './wiring/cache.ts';
import { connectToStores } from './wiring/connection-check.ts';
import { accessTo, startStores } from './wiring/embedded-stores.ts';
import { serveStoreAlone } from './wiring/store-alone.ts';
import type { WorkerControl, WorkerSettings } from './wiring/thread-contracts.ts';
import { threadEntry } from './wiring/thread-entry.ts';

const STORE_STOP_LIMIT_MS = 2_000;

const version: string = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version;
const print = (text: string) => void process.stdout.write(`${text}\n`);
// a closed reader of stdout or a full disk must not stop the process (docs/architecture.md, law 10)
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

/** `tidegate serve`: resolves when the gateway is listening. */
async function serve(request: ServeRequest): Promise<void> {
  const sink = redactingSink(descriptorSink(1), createRedactor(secretsOf(request.config)));
  process.once('exit', () => sink.flush());
  await start(request, sink);
}

/** Starts all parts, each after those it depends on. */
async function start({ config, file }: ServeRequest, sink: LogSink): Promise<void> {
  const { listen, admin, shutdown } = config;
  const logger = createLogger({ level: config.log.level, sink, fields: { thread: 'supervisor' } });
  const metrics = new Metrics();
  const { storeRestarts, workerRestarts, purges } = declareMetrics(metrics);
  const common = { clock: systemClock, logger, writeLog: sink.write };

  const port = await claimPort(listen.host, listen.port);
  const gatewayUrl = `http://${formatAddress(listen.host, port)}`;
  const stores = await startStores(config, file === undefined, { ...common, restarts: storeRestarts });
  const workers = countWorkers(config.workers, availableParallelism(), process.platform);
  if (workers.notice) logger.warn(workers.notice);
  const standIn = new FallbackListener({
    ...{ host: listen.host, port, clock: systemClock, logger },
    answer: answerUnavailable(Object.values(config.backends).map(({ headerPrefix }) => headerPrefix)),
  });
  const isChecked = checksBlocks(process.env);
  if (isChecked) logger.warn('blocks are checked (TIDEGATE_CHECK_BLOCKS): the cache takes twice its memory');
  const memory = allocateCache(config, workers.count, isChecked);
  const pool = new WorkerPool<WorkerControl, WorkerSettings, SharedMemory>({
    ...common,
    ...workers,
    entry: threadEntry('worker'),
    host: listen.host,
    port,
    settings: {
      config,
      stores: accessTo(stores),
      listingSecret: randomBytes(32).toString('base64'),
      recordBytesPerWorker: memory.recordBytesPerWorker,
      clientConnections: clientConnections(config, workers.count),
    },
    shared: memory.shared,
    onDeath: worker => releaseWorker(memory.shared, worker),
    onListening: any => {
      if (any) standIn.close();
      // requires a shared port: it is still open when the next worker binds
      else if (workers.reusePort) standIn.open();
    },
    restarts: workerRestarts,
  });

  let draining = false;
  let serving = false;
  const isDraining = () => draining;
  const purge = purgeEverywhere(config, pool, purges);
  const hasChannel = file === undefined;
  const parts = {
    config,
    version,
    gatewayUrl,
    hasChannel,
    metrics,
    pool,
    purge,
    isDraining,
    clock: systemClock,
  };
  const alerts = await composeAlerts({
    ...{ config, metrics, logger, clock: systemClock },
    isDefaultStart: hasChannel,
    sample: () => scrape(parts),
    purge,
    restore: request => pool.call(0, 'restore', request),
    archivedReads: async () => mergeRequests(await pool.callAll('archivedReads', undefined)),
  });
  const adminServer = await startAdminServer({
    ...admin,
    token: admin.token,
    routes: [...adminRoutes(parts), ...alerts.routes],
    logger,
  });
  const adminUrl = `http://${formatAddress(admin.host, adminServer.port)}`;
  const runningAlerts = alerts.start(adminUrl);
  handleSignals(process, {
    drain: async signal => {
      draining = true;
      if (serving) await stayServing(shutdown.delayMs, logger);
      logger.info('draining: no new connections, running responses finish');
      standIn.close();
      await pool.drain(shutdown.limitMs);
      await runningAlerts.stop(signal);
      await Promise.all(Array.from(stores.values(), store => store.stop(STORE_STOP_LIMIT_MS)));
      await adminServer.close();
    },
    exit: code => process.exit(code),
    clock: systemClock,
    logger,
  });

  await pool.start().catch((error: unknown) => {
    if (!isDraining()) throw error;
  });
  // told to stop during the start: the drain ends the process
  if (isDraining()) return;
  serving = true;
  new WarmPages(memory.shared, systemClock).start();
  logger.info({ gateway: gatewayUrl, admin: adminUrl, workers: workers.count, version }, 'ready');
  runningAlerts.begin([
    { name: 'Version', value: version },
    { name: 'Workers', value: String(workers.count) },
  ]);
  const sample = Array.from(stores.values(), store => store.ready.sample).find(each => each !== undefined);
  if (sample) print(welcome(gatewayUrl, adminUrl, sample));
}

/**
 * The share of the open-files limit for clients. An embedded store also has the other ends of its connections and files
 * open.
 */
function clientConnections({ backends }: GatewayConfig, workers: number): number | undefined {
  const limit = openFileLimit();
  if (limit === undefined) return undefined;
  const filesOf = (backend: BackendConfig) => (backend.type === 's3' ? backend.connections : 3 * 128);
  const perWorker = Object.values(backends).reduce((sum, backend) => sum + filesOf(backend), 0);
  return clientConnectionsPerWorker(limit, perWorker * workers, workers);
}

/** Keeps serving while load balancers notice that the gateway is no longer ready. */
async function stayServing(delayMs: number, logger: Logger): Promise<void> {
  if (delayMs === 0) return;
  logger.info({ delayMs }, 'no longer ready: requests are served until the delay has passed');
  await new Promise(resolve => setTimeout(resolve, delayMs));
}

/** The supervisor's own metrics; request metrics are counted in the workers. */
function declareMetrics(metrics: Metrics) {
  metrics.addRuntimeMetrics('main');
  metrics.gauge('tidegate_build_info', 'The version that runs.', ['version'], 'first').cell(version).set(1);
  const restarts = (thread: string, what: string) =>
    metrics.counter(`tidegate_${thread}_restarts_total`, `${what} that died and were replaced.`).cell();
  return {
    storeRestarts: restarts('store', 'Embedded stores'),
    workerRestarts: restarts('worker', 'Workers'),
    purges: metrics.counter('tidegate_purges_total', 'Purges, by what they named.', ['kind']),
  };
}

const end = await runProgram(process.argv.slice(2), {
  version,
  environment: process.env,
  serve,
  serveStore: serveStoreAlone,
  connect: connectToStores,
  print,
  printError: text => void process.stderr.write(`${text}\n`),
});
if (end.kind === 'ended') process.exit(end.exitCode);
