/** The entry of the supervisor: the commands, and the parts of a running gateway in the order of their creation. */
import { readFileSync } from 'node:fs';
import { AdminPort } from './admin/admin-port.ts';
import { QueueMeter } from './admin/events/queue-meter.ts';
import { eventTaker } from './admin/events/take-events.ts';
import { pageNavigation } from './admin/page-navigation.ts';
import { TrafficHistory } from './admin/status/traffic-history.ts';
import { mergeRequests } from './alerts/measurement/requested-objects.ts';
import { CredentialMeter } from './backend/credentials/credential-meter.ts';
import type { ProvidedCredentials } from './backend/credentials/credential-source.ts';
import { systemClock } from './base/clock.ts';
import { formatAddress, ListenError } from './base/listen-error.ts';
import { descriptorSink, redactingSink } from './base/log-sinks.ts';
import { createLogger, type Logger, type LogSink } from './base/logger.ts';
import { GrowingRedactor } from './base/redaction.ts';
import { announceReady, warnOfPassedSockets } from './base/service-manager.ts';
import { writtenOut } from './base/written-out.ts';
import { WarmPages } from './cache/warm-pages.ts';
import { runProgram, type ServeRequest } from './cli/program.ts';
import { welcome } from './cli/welcome.ts';
import { listenKey, placeOf } from './config/place-names.ts';
import { secretsIn, secretsOf } from './config/secrets.ts';
import { countFixedMemory } from './gateway/operate/cache-metrics.ts';
import { claimAddresses } from './server/claim-address.ts';
import { urlOf } from './server/listen-address.ts';
import { CertificateWatch } from './server/tls/certificate-watch.ts';
import { AccessLogOutput } from './wiring/access-log-output.ts';
import { adminRoutes } from './wiring/admin.ts';
import { startAlerts } from './wiring/alerts.ts';
import { purgeEverywhere } from './wiring/cache.ts';
import { ChangeWarming } from './wiring/change-warming.ts';
import { BackendCredentials } from './wiring/credentials.ts';
import { startStores } from './wiring/embedded-stores.ts';
import { eventEffects, eventSenders } from './wiring/events.ts';
import { EventsQueue } from './wiring/events-queue.ts';
import { ProcessMetrics } from './wiring/process-metrics.ts';
import { createReload } from './wiring/reload-parts.ts';
import { RunningConfig } from './wiring/running-config.ts';
import { Shutdown } from './wiring/shutdown.ts';
import { supervisorMetrics } from './wiring/supervisor-metrics.ts';
import { createWorkers } from './wiring/workers.ts';

const version: string = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version;
const clock = systemClock;

const print = (text: string) => void process.stdout.write(`${text}\n`);
// a closed reader of stdout or a full disk must not stop the process (docs/architecture.md, law 10)
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

/** `tidegate serve`: resolves when the gateway is listening. */
async function serve(request: ServeRequest): Promise<void> {
  const redactor = new GrowingRedactor();
  redactor.learn(secretsOf(request.config));
  const own = supervisorMetrics(version);
  const standardOutput = descriptorSink(1, clock, lines => accessLog.dropped(lines));
  const sink = redactingSink(standardOutput, redactor.redact);
  const logger = createLogger({
    level: request.config.log.level,
    sink,
    fields: { thread: 'supervisor' },
  });
  const accessLog = new AccessLogOutput({ standardOutput, clock, logger, metrics: own.metrics });
  process.once('exit', () => {
    accessLog.flush();
    sink.flush();
  });
  accessLog.prepare(request.config, request.file).apply();
  await start(request, { sink, logger, redactor, accessLog, own });
}

/** The log, and what counts in the supervisor. */
interface LogParts {
  readonly sink: LogSink;
  readonly logger: Logger;
  readonly redactor: GrowingRedactor;
  readonly accessLog: AccessLogOutput;
  readonly own: ReturnType<typeof supervisorMetrics>;
}

/** Starts all parts, each after those it depends on. */
async function start(
  { config, file, read, warnings }: ServeRequest,
  { sink, logger, redactor, accessLog, own }: LogParts,
): Promise<void> {
  const isDefaultStart = file === undefined;
  for (const warning of warnings) logger.warn(warning);
  warnOfPassedSockets(process.env, process.pid, logger);
  const { metrics, storeRestarts, workerRestarts, purges, events } = own;
  const common = { clock, logger, writeLog: sink.write };

  const claimed = await claimAddresses(config.listen, at =>
    placeOf(listenKey(config.listen, at), isDefaultStart),
  );
  const certificates = new CertificateWatch({ addresses: claimed, clock, logger, metrics });
  const addresses = () => certificates.addresses();
  const gatewayUrl = addresses().map(urlOf).join(', ');
  const stores = await startStores(config, isDefaultStart, { ...common, restarts: storeRestarts });
  const credentialMeter = new CredentialMeter(metrics, clock);
  const learn = (owner: string, obtained: ProvidedCredentials) =>
    redactor.replace(owner, secretsIn(obtained));
  const credentials = new BackendCredentials({
    ...{ config, clock, logger, meter: credentialMeter },
    hand: handed => {
      learn(handed.backend, handed.credentials);
      return workers.useCredentials(handed);
    },
  });
  const workers = createWorkers({
    ...common,
    config,
    addresses,
    stores,
    credentials,
    restarts: workerRestarts,
    writeAccessLog: accessLog.write,
  });
  const { pool } = workers;
  const ofProcess = new ProcessMetrics(metrics, pool);
  const traffic = new TrafficHistory(clock);
  const adminPort = await AdminPort.open(config.admin).catch(
    ListenError.naming(placeOf('admin.port', isDefaultStart)),
  );
  const adminUrl = `http://${formatAddress(adminPort.host, adminPort.port)}`;
  const running = new RunningConfig(config);
  const purge = purgeEverywhere(running, pool, purges);
  const warming = new ChangeWarming(running, pool, metrics);
  const takeEvents = eventTaker(eventEffects(pool, events, changes => warming.told(changes)));
  const eventsQueue = new EventsQueue({
    ...{ take: takeEvents, meter: new QueueMeter(metrics, clock), credentialMeter, learn, clock, logger },
  });
  const needsToken = config.admin.token !== undefined;
  const navigation = pageNavigation({ hasChannel: isDefaultStart, needsToken });
  const alerts = await startAlerts({
    ...{ config, isDefaultStart, adminUrl, navigation, metrics, logger, clock, purge },
    sample: async () => {
      const snapshot = await ofProcess.scrape();
      traffic.record(snapshot);
      return snapshot;
    },
    restore: request => pool.call(0, 'restore', request),
    archivedReads: async () => mergeRequests(await pool.callAll('archivedReads', undefined)),
  });
  const shutdown = new Shutdown(running, clock, logger);
  const reload = createReload({
    ...{ running, read, stores, workers, alerts, redactor, metrics, credentials, accessLog },
    ...{ certificates, file, eventsQueue },
    ...{ ...common, restarts: storeRestarts },
  });
  const routes = adminRoutes({
    ...{ running, version, gatewayUrl, hasChannel: isDefaultStart, navigation },
    ...{ traffic, pool, purge, clock, credentials, takeEvents },
    eventSenders: eventSenders(running, clock, events),
    scrape: () => ofProcess.scrape(),
    isDraining: () => shutdown.isDraining,
    alerts,
    reload: { run: () => reload.run(), compare: (config, key) => reload.compare(config, key) },
  });
  adminPort.serve({ access: () => running.current.admin, routes: [...routes, ...alerts.routes], logger });
  shutdown.onSignals({ workers, eventsQueue, warming, alerts, stores, adminPort, reload, accessLog });

  await credentials.begin();
  await pool.start().catch((error: unknown) => {
    if (!shutdown.isDraining) throw error;
  });
  // told to stop during the start: the drain ends the process
  if (shutdown.isDraining) return;
  shutdown.served();
  certificates.start(() => pool.useCertificates(addresses()));
  countFixedMemory(metrics, workers.memory);
  new WarmPages(workers.memory, clock).start();
  eventsQueue.use(running.current);
  logger.info(
    { gateway: gatewayUrl, admin: adminUrl, workers: workers.count, version, pid: process.pid },
    'ready',
  );
  announceReady({ environment: process.env, logger });
  alerts.begin([
    { name: 'Version', value: version },
    { name: 'Workers', value: String(workers.count) },
  ]);
  const sample = Array.from(stores.values(), store => store.ready.sample).find(each => each !== undefined);
  if (sample) print(welcome(gatewayUrl, adminUrl, alerts.webhookUrl, sample));
}

const end = await runProgram(process.argv.slice(2), {
  version,
  environment: process.env,
  serve,
  // what most starts do not need is not loaded for them
  serveStore: async request => (await import('./wiring/store-alone.ts')).serveStoreAlone(request),
  build: async config => (await import('./wiring/trial-build.ts')).buildOnce(config),
  connect: async config => (await import('./wiring/connection-check.ts')).connectToStores(config),
  clock,
  signals: process,
  print,
  printError: text => void process.stderr.write(`${text}\n`),
  showProgress: process.stderr.isTTY
    ? line => void process.stderr.write(`\r\x1b[K${line.slice(0, process.stderr.columns)}`)
    : undefined,
});
if (end.kind === 'ended') {
  // a pipe takes what it has room for, and an exit drops the rest
  await Promise.all([process.stdout, process.stderr].map(writtenOut));
  process.exit(end.exitCode);
}
