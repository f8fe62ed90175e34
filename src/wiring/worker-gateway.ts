/** Part of the composition roots of a worker and of `tidegate check`: the gateway of one worker. */
import { StoreMeter } from '../backend/store-meter.ts';
import type { Clock } from '../base/clock.ts';
import { Faults, guardedClock } from '../base/faults.ts';
import type { Logger, LogSink } from '../base/logger.ts';
import type { Metrics } from '../base/metrics.ts';
import type { GrowingRedactor } from '../base/redaction.ts';
import type { Tracing } from '../base/spans.ts';
import { EpochSlots } from '../cache/epoch-slots.ts';
import type { SharedMemory } from '../cache/shared-memory.ts';
import type { BucketConfig, GatewayConfig } from '../config/gateway-config.ts';
import { secretsOf } from '../config/secrets.ts';
import { Gateway } from '../gateway/gateway.ts';
import { AccessLog, type AccessLogOptions } from '../gateway/reply/access-log.ts';
import type { ArchivedRead } from '../gateway/reply/exchange-observer.ts';
import { createAuthenticator, createFormAuthenticator } from '../gateway/request/authenticator.ts';
import type { ServiceConfiguration } from '../gateway/request/configurations.ts';
import { grantPolicy } from '../gateway/request/grant-policy.ts';
import { PreviousSecrets } from '../gateway/request/previous-secrets.ts';
import { BackendStores } from './backend-stores.ts';
import { createBuckets } from './buckets.ts';
import { StoreProbes } from './store-probes.ts';
import type { WorkerSettings } from './thread-contracts.ts';
import type { WorkerCredentials } from './worker-credentials.ts';

interface WorkerGatewayParts {
  readonly settings: WorkerSettings;
  readonly credentials: WorkerCredentials;
  /** The index of the worker. */
  readonly worker: number;
  readonly memory: SharedMemory;
  readonly metrics: Metrics;
  readonly logger: Logger;
  readonly accessLogSink: LogSink;
  /** Knows the secrets of credentials; it is taught those of configurations. */
  readonly redactor: GrowingRedactor;
  readonly clock: Clock;
  readonly onArchivedRead: (read: ArchivedRead) => void;
  /** Whether this worker sends the probes; exactly one does. */
  readonly isProbing: boolean;
  /** Undefined: no spans are recorded. */
  readonly tracing: Tracing | undefined;
}

/** The gateway of one worker, and what serves with the settings of a reload. */
export class WorkerGateway {
  readonly gateway: Gateway;
  readonly #logger: Logger;
  readonly #accessLogParts: Pick<AccessLogOptions, 'thread' | 'sink' | 'redactor' | 'clock' | 'random'>;
  readonly #redactor: GrowingRedactor;
  readonly #clock: Clock;
  readonly #stores: BackendStores;
  readonly #slots: EpochSlots;
  readonly #probes: StoreProbes | undefined;
  readonly #previousSecrets: PreviousSecrets;
  #prepared: WorkerSettings;

  /** Builds the stores, buckets and grants of the configuration, and the gateway that serves them. */
  constructor({
    settings,
    credentials,
    worker,
    memory,
    metrics,
    logger,
    accessLogSink,
    redactor,
    clock,
    onArchivedRead,
    isProbing,
    tracing,
  }: WorkerGatewayParts) {
    const meter = new StoreMeter(metrics);
    const faults = new Faults(metrics, logger);
    this.#logger = logger;
    this.#clock = clock;
    this.#redactor = redactor;
    redactor.learn(secretsOf(settings.config));
    this.#accessLogParts = {
      ...{ thread: `worker-${worker}`, sink: accessLogSink, redactor, clock },
      random: Math.random,
    };
    this.#stores = new BackendStores({
      clock: guardedClock(clock, faults),
      meter,
      faults,
      logger,
      credentials,
      spans: tracing?.spans,
    });
    this.#slots = new EpochSlots(memory);
    this.#prepared = settings;
    this.#previousSecrets = new PreviousSecrets(metrics, logger, clock);
    this.gateway = new Gateway({
      ...this.#serviceOf(settings),
      ...{ memory, worker, metrics, meter, onArchivedRead, clock, faults, logger, tracing },
      recordBytes: settings.recordBytesPerWorker,
      nearBytes: settings.nearBytesPerWorker,
      accessLog: this.#accessLog(settings.config),
      onUnwritten: ({ message, object, from, to }) => logger.error({ object, from, to }, message),
      random: Math.random,
    });
    this.#probes = isProbing ? new StoreProbes(guardedClock(clock, faults)) : undefined;
    this.#use(settings);
  }

  /** See `WorkerControl`. @throws where the settings cannot be served with; nothing has changed then */
  prepare(settings: WorkerSettings): void {
    this.#redactor.learn(secretsOf(settings.config));
    this.gateway.prepare(this.#serviceOf(settings));
    this.#prepared = settings;
  }

  /** See `WorkerControl`. */
  apply(settings: WorkerSettings): void {
    if (this.#prepared.revision !== settings.revision) this.prepare(settings);
    const { config } = settings;
    this.#logger.level = config.log.level;
    // lines of the old format belong to the old file
    this.#accessLogParts.sink.flush();
    this.gateway.apply(this.#accessLog(config));
    this.#use(settings);
  }

  #use({ config }: WorkerSettings): void {
    const rotating = config.clients.filter(client => client.previousSecretAccessKey !== undefined);
    this.#previousSecrets.watch(rotating.map(client => client.accessKeyId));
    const stores = this.#stores.use();
    this.#probes?.use(config, stores);
  }

  #serviceOf(settings: WorkerSettings): ServiceConfiguration {
    const { config } = settings;
    const onPreviousSecret = (accessKeyId: string, client: string | undefined) =>
      this.#previousSecrets.used(accessKeyId, client);
    return {
      domain: config.domain,
      buckets: createBuckets(settings, { stores: this.#stores.prepare(settings), slots: this.#slots }),
      authenticate: createAuthenticator(config.clients, this.#clock, onPreviousSecret),
      authenticateForm: createFormAuthenticator(config.clients, this.#clock, onPreviousSecret),
      policy: grantPolicy(anonymousGrants(config), config.clients),
      limits: config.limits,
    };
  }

  /** On standard output its lines are of the level `info`; a file of its own has no level. */
  #accessLog({ log: { access, level } }: GatewayConfig): AccessLog | undefined {
    if (access === false) return undefined;
    const isWanted = access.file !== undefined || level === 'info' || level === 'debug';
    return isWanted ? new AccessLog({ ...this.#accessLogParts, ...access }) : undefined;
  }
}

function anonymousGrants({ buckets }: GatewayConfig): Record<string, BucketConfig['anonymous']> {
  return Object.fromEntries(Object.entries(buckets).map(([name, bucket]) => [name, bucket.anonymous]));
}
