#!/usr/bin/env node
/** The composition root of the supervisor: the commands, and what a running gateway is built of, in order. */
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { extname } from 'node:path';
import { startAdminServer } from './admin/admin-server.ts';
import { healthRoutes } from './admin/health-routes.ts';
import { metricsRoute } from './admin/metrics-route.ts';
import { type Clock, systemClock } from './base/clock.ts';
import { formatAddress } from './base/listen-error.ts';
import { descriptorSink, redactingSink } from './base/log-sinks.ts';
import { createLogger, type Logger, type LogSink } from './base/logger.ts';
import { mergeSnapshots } from './base/metric-snapshot.ts';
import { type CounterCell, Metrics } from './base/metrics.ts';
import { createRedactor } from './base/redaction.ts';
import { runProgram, type ServeRequest } from './cli/program.ts';
import { welcome } from './cli/welcome.ts';
import type { GatewayConfig } from './config/gateway-config.ts';
import { secretsOf } from './config/secrets.ts';
import { claimPort } from './server/claim-port.ts';
import { handleSignals } from './server/shutdown-signals.ts';
import { type StoreThread, startStoreThread } from './server/store-thread.ts';
import { countWorkers } from './server/worker-count.ts';
import { WorkerPool, type WorkerState } from './server/worker-pool.ts';
import type { StoreReady, StoreSettings, WorkerControl, WorkerSettings } from './thread-contracts.ts';

const DRAIN_LIMIT_MS = 25_000;
const STORE_STOP_LIMIT_MS = 2_000;

const version: string = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version;

/** A thread's module, beside this one: `.ts` in the sources, `.js` in what is built of them. */
const entry = (name: string) => new URL(`./${name}${extname(import.meta.url)}`, import.meta.url);

const print = (text: string) => void process.stdout.write(`${text}\n`);

async function serve({ config, file }: ServeRequest): Promise<void> {
  const sink = redactingSink(descriptorSink(1), createRedactor(secretsOf(config)));
  try {
    await start(config, file, sink);
  } finally {
    sink.flush();
  }
}

/** Everything that runs, in the order in which one part needs the other. */
async function start(config: GatewayConfig, file: string | undefined, sink: LogSink): Promise<void> {
  const { listen, admin, log } = config;
  const logger = createLogger({ level: log.level, sink, fields: { thread: 'supervisor' } });
  const metrics = new Metrics();
  metrics.addRuntimeMetrics('main');
  metrics.gauge('tidegate_build_info', 'The version that runs.', ['version'], 'first').cell(version).set(1);
  const common = { clock: systemClock, logger, writeLog: sink.write };

  const port = await claimPort(listen.host, listen.port);
  const storeRestarts = metrics.counter(
    'tidegate_store_restarts_total',
    'Embedded stores that died and were replaced.',
  );
  const stores = await startStores(config, file === undefined, { ...common, restarts: storeRestarts.cell() });
  const workers = countWorkers(config.workers, availableParallelism(), process.platform);
  if (workers.notice) logger.warn(workers.notice);
  const workerRestarts = metrics.counter(
    'tidegate_worker_restarts_total',
    'Workers that died and were replaced.',
  );
  const pool = new WorkerPool<WorkerControl, WorkerSettings, undefined>({
    ...common,
    ...workers,
    entry: entry('worker'),
    host: listen.host,
    port,
    settings: { config, stores: accessTo(stores) },
    shared: undefined,
    restarts: workerRestarts.cell(),
  });

  let draining = false;
  const scrape = async () => {
    return mergeSnapshots([await metrics.snapshot(), ...(await pool.callAll('metrics', undefined))]);
  };
  const adminServer = await startAdminServer({
    ...admin,
    token: admin.token,
    routes: [...healthRoutes(() => reasonsNotReady(pool.states(), draining)), metricsRoute(scrape)],
    logger,
  });
  handleSignals(process, {
    drain: async () => {
      draining = true;
      await pool.drain(DRAIN_LIMIT_MS);
      await Promise.all([...stores.values()].map(store => store.stop(STORE_STOP_LIMIT_MS)));
      await adminServer.close();
    },
    flush: sink.flush,
    exit: code => process.exit(code),
    clock: systemClock,
    logger,
  });

  await pool.start();
  const gatewayUrl = `http://${formatAddress(listen.host, port)}`;
  const adminUrl = `http://${formatAddress(admin.host, adminServer.port)}`;
  logger.info({ gateway: gatewayUrl, admin: adminUrl, workers: workers.count, version }, 'ready');
  const sample = [...stores.values()].find(store => store.ready.sample)?.ready.sample;
  if (sample) print(welcome(gatewayUrl, adminUrl, sample));
}

interface Common {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly writeLog: (lines: string) => void;
}

type StoreThreads = ReadonlyMap<string, StoreThread<StoreReady>>;

/** The embedded stores, each in a thread of its own, by the name of their backend. */
async function startStores(
  { backends, log }: GatewayConfig,
  sample: boolean,
  common: Common & { restarts: CounterCell },
): Promise<StoreThreads> {
  const stores = new Map<string, StoreThread<StoreReady>>();
  for (const [name, backend] of Object.entries(backends)) {
    if (backend.type !== 'embedded') continue;
    const { directory, headerPrefix } = backend;
    const settings: StoreSettings = { name, directory, headerPrefix, logLevel: log.level, sample };
    stores.set(
      name,
      await startStoreThread({ ...common, name: `store-${name}`, entry: entry('store'), settings }),
    );
  }
  return stores;
}

function accessTo(stores: StoreThreads): WorkerSettings['stores'] {
  return Object.fromEntries(
    Array.from(stores, ([name, { endpoint, credentials }]) => [name, { endpoint, credentials }]),
  );
}

function reasonsNotReady(workers: readonly WorkerState[], draining: boolean): readonly string[] {
  const missing = workers.filter(({ state }) => state !== 'up');
  const reasons = missing.map(({ index, state }) => `worker ${index} is ${state}`);
  return draining ? ['the gateway is draining', ...reasons] : reasons;
}

const end = await runProgram(process.argv.slice(2), {
  version,
  environment: process.env,
  serve,
  print,
  printError: line => void process.stderr.write(`${line}\n`),
});
if (end.kind === 'ended') process.exit(end.exitCode);
