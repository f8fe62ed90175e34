/** The entry of a worker: builds what serves requests, from the settings posted by the supervisor, and listens. */
import { RequestedObjects } from './alerts/measurement/requested-objects.ts';
import { systemClock } from './base/clock.ts';
import { createLogger } from './base/logger.ts';
import { Metrics } from './base/metrics.ts';
import { GrowingRedactor } from './base/redaction.ts';
import type { SharedMemory } from './cache/shared-memory.ts';
import { deepFreeze } from './config/freeze.ts';
import { secretsIn } from './config/secrets.ts';
import { joinPool } from './server/worker-membership.ts';
import { countDroppedLines } from './wiring/access-log-output.ts';
import type { SupervisorControl, WorkerControl, WorkerSettings } from './wiring/thread-contracts.ts';
import { startTracing } from './wiring/tracing.ts';
import { WorkerCredentials } from './wiring/worker-credentials.ts';
import { WorkerGateway } from './wiring/worker-gateway.ts';

const pool = joinPool<WorkerSettings, SharedMemory, SupervisorControl>();
const { index, shared } = pool.start;
const settings = frozen(pool.start.settings);
const { config } = settings;
const logger = createLogger({
  level: config.log.level,
  sink: pool.logSink,
  fields: { thread: `worker-${index}` },
});
const metrics = new Metrics();
metrics.addRuntimeMetrics('worker');
const archived = new RequestedObjects(systemClock);
const redactor = new GrowingRedactor();
learnSecrets(settings);
const droppedLines = countDroppedLines(metrics);
metrics.onSnapshot(() => {
  droppedLines.value = pool.accessLogSink.droppedLines;
});
const credentials = new WorkerCredentials(refusal => pool.tellSupervisor('refusedCredentials', refusal));
const tracing = await startTracing({
  ...{ config, worker: index, metrics, logger, clock: systemClock },
  redact: redactor.redact,
});
if (tracing) pool.beforeLeaving(() => tracing.flush());
const serving = new WorkerGateway({
  settings,
  credentials,
  worker: index,
  memory: shared,
  metrics,
  logger,
  accessLogSink: pool.accessLogSink,
  redactor,
  clock: systemClock,
  onArchivedRead: read => archived.note(read),
  isProbing: index === 0,
  tracing,
});
const { gateway } = serving;
pool.onPeer((peer, port) => gateway.connect(peer, port));

const control: WorkerControl = {
  prepare: next => {
    learnSecrets(next);
    serving.prepare(frozen(next));
  },
  apply: next => {
    learnSecrets(next);
    serving.apply(frozen(next));
    pool.trust(next.proxies);
    pool.limit(next.config.limits, next.files?.clientsPerWorker);
  },
  metrics: () => metrics.snapshot(),
  purge: order => gateway.purge(order),
  warm: order => gateway.warming.fetch(order),
  leaveWarm: run => gateway.warming.leave(run),
  keysBelow: asked => gateway.keysBelow(asked),
  invalidate: changes => gateway.invalidate(changes),
  objectsToWarm: changes => gateway.objectsToWarm(changes),
  archivedReads: () => archived.recent(),
  restore: request => gateway.restore(request),
  describe: ({ bucket, key }) => gateway.describe(bucket, key),
  replaceCredentials: handed => {
    redactor.replace(handed.sourceId, secretsIn(handed.credentials));
    credentials.replace(handed);
  },
};
const refusedProxies = metrics.counter(
  'tidegate_proxy_headers_refused_total',
  'Connections closed because their PROXY protocol header was missing or wrong, or came from no trusted proxy.',
  ['reason'],
);
const unread = metrics.counter(
  'tidegate_requests_unread_total',
  'Requests and connections that were refused before there was a request to answer.',
  ['reason'],
);
pool.serveControl(control);
await pool.listen({
  handle: gateway.handle,
  takesBody: gateway.takesBody,
  answerUnreadable: (why, nowMs) => gateway.answerUnreadable(why, nowMs),
  logger,
  onRefused: why => unread.cell(why).add(),
  onProxyRefusal: why => refusedProxies.cell(why).add(),
  limits: config.limits,
  room:
    settings.files === undefined
      ? undefined
      : {
          connections: settings.files.clientsPerWorker,
          clock: systemClock,
        },
});

function learnSecrets({ credentials: obtained }: WorkerSettings): void {
  for (const [sourceId, given] of obtained) redactor.replace(sourceId, secretsIn(given));
}

/** Structured cloning does not preserve frozen objects. */
function frozen(cloned: WorkerSettings): WorkerSettings {
  return { ...cloned, config: deepFreeze(cloned.config) };
}
