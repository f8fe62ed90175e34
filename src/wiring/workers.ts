/** Part of the supervisor's composition root: the worker threads, their memory, and who answers while none is up. */
import { randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { allocateBreakers } from '../backend/breaker/breaker-word.ts';
import type { ProvidedCredentials } from '../backend/credentials/credential-source.ts';
import { allocateOutages } from '../backend/outage-log.ts';
import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import type { CounterCell } from '../base/metrics.ts';
import { ThreadGoneError } from '../base/rpc-error.ts';
import { Turns } from '../base/turns.ts';
import { abandonWrites } from '../cache/open-writes.ts';
import { releaseWorker, type SharedMemory } from '../cache/shared-memory.ts';
import { UnsettledKeys } from '../cache/unsettled-keys.ts';
import type { GatewayConfig } from '../config/gateway-config.ts';
import { answerUnavailable } from '../s3/answer-unavailable.ts';
import { answerUnreadable } from '../s3/answer-unreadable.ts';
import { RequestIdSource } from '../s3/request-ids.ts';
import { FallbackListener } from '../server/fallback-listener.ts';
import { formatListenAddress, type ListenAddress, type ProxiesByAddress } from '../server/listen-address.ts';
import { countWorkers } from '../server/worker-count.ts';
import { WorkerPool } from '../server/worker-pool.ts';
import { BACKEND_PLACES, type BackendPlace, BackendPlaces } from './backend-places.ts';
import { allocateCache, checksBlocks } from './cache.ts';
import type { BackendCredentials } from './credentials.ts';
import { accessTo, type Stores } from './embedded-stores.ts';
import { providedSource } from './provided-source.ts';
import type {
  HandedCredentials,
  SupervisorControl,
  WorkerControl,
  WorkerSettings,
} from './thread-contracts.ts';
import { threadEntry } from './thread-entry.ts';
import { filesOfWorkers } from './worker-files.ts';

interface WorkerParts {
  readonly config: GatewayConfig;
  /** Where all workers listen, in the order of the configuration, with resolved ports and the certificates in use. */
  readonly addresses: () => readonly ListenAddress[];
  readonly stores: Stores;
  readonly credentials: Pick<BackendCredentials, 'current' | 'refused'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly writeLog: (lines: string) => void;
  readonly writeAccessLog: SupervisorControl['writeAccessLog'];
  /** `tidegate_worker_restarts_total`. */
  readonly restarts: CounterCell;
}

/** The workers, not started yet. */
export interface Workers {
  readonly pool: WorkerPool<WorkerControl, WorkerSettings, SharedMemory>;
  readonly count: number;
  readonly memory: SharedMemory;
  /** Answers 503 while no worker accepts connections. */
  readonly fallback: Readonly<Record<ListenAddress['kind'], FallbackListener>>;
  /**
   * Has all workers serve with `config`, running requests excepted.
   *
   * @throws RemoteCallError when a worker cannot; then all serve as before
   */
  reconfigure(config: GatewayConfig): Promise<void>;
  /**
   * Makes all workers sign with these credentials. If they belong to another account or role, nothing that was cached
   * with the earlier ones is served any more.
   *
   * @throws RemoteCallError if a worker cannot; then all sign as before
   */
  useCredentials(handed: HandedCredentials): Promise<void>;
}

export function createWorkers(parts: WorkerParts): Workers {
  const { config, stores, credentials, clock, logger, writeLog, restarts } = parts;
  const { notice, ...workers } = countWorkers(config.workers, availableParallelism(), process.platform);
  if (notice) logger.warn(notice);
  const isChecked = checksBlocks(process.env);
  if (isChecked) logger.warn('blocks are checked (TIDEGATE_CHECK_BLOCKS): the cache takes twice its memory');
  const { shared, ...records } = allocateCache(config, workers.count, isChecked);
  const unsettled = new UnsettledKeys(shared, clock);
  const ids = new RequestIdSource();
  const addresses = () =>
    parts.addresses().map(address => ({ ...address, ...settings.proxies.get(formatListenAddress(address)) }));
  const fallbackAt = (of: ListenAddress['kind']) =>
    new FallbackListener({
      ...{ clock, logger },
      addresses: () => addresses().filter(({ kind }) => kind === of),
      answerUnreadable: (why, nowMs) =>
        answerUnreadable(why, nowMs, { requestId: ids.nextRequestId(), id2: ids.id2 }),
      answer: answerUnavailable(Object.values(config.backends).map(({ headerPrefix }) => headerPrefix)),
    });
  const fallback = { tcp: fallbackAt('tcp'), unix: fallbackAt('unix') };
  const places = new BackendPlaces();
  const ofProcess = {
    ...records,
    listingSecret: randomBytes(32).toString('base64'),
    outages: allocateOutages(BACKEND_PLACES, clock),
    breakers: allocateBreakers(BACKEND_PLACES),
  };
  // a copy of the credentials: a worker that starts has none of another account than its places
  const signingOf = ({ backends }: GatewayConfig) => {
    const obtained = new Map(credentials.current);
    const { places: placed, take } = places.prepare(backends, obtained);
    return { signing: { places: placed, credentials: obtained }, take };
  };
  const settingsOf = (revision: number, of: GatewayConfig, signing: Signing) => ({
    ...ofProcess,
    ...{ revision, config: of, stores: accessTo(stores), ...signing },
    proxies: proxiesOf(of, parts.addresses()),
    files: filesOfWorkers(of, workers.count, logger),
  });
  const first = signingOf(config);
  first.take();
  let settings = settingsOf(0, config, first.signing);
  const change = async (following: typeof settings, take: () => void) => {
    await pool.callAll('prepare', following satisfies WorkerSettings);
    take();
    settings = following;
    await pool.callAll('apply', following);
  };
  const turns = new Turns();
  const control: SupervisorControl = {
    refusedCredentials: refusal => credentials.refused(refusal),
    writeAccessLog: parts.writeAccessLog,
  };
  const pool = new WorkerPool<WorkerControl, WorkerSettings, SharedMemory>(
    {
      ...{ ...workers, addresses, shared, clock, logger, writeLog, restarts },
      entry: threadEntry('worker'),
      settings: () => settings,
      onOutdated: index => void pool.call(index, 'apply', settings).catch(ignoreTheDead),
      onDeath: worker => {
        abandonWrites(shared, worker, unsettled);
        releaseWorker(shared, worker);
      },
      onListening: any => {
        if (any) fallback.tcp.close();
        // requires a shared port: it is still open when the next worker binds
        else if (workers.reusePort) fallback.tcp.open();
      },
      onUnixListening: isListening => {
        if (isListening) fallback.unix.close();
        else fallback.unix.open();
      },
    },
    control,
  );
  return {
    ...{ pool, count: workers.count, memory: shared, fallback },
    reconfigure: next =>
      turns.take(() => {
        const { signing, take } = signingOf(next);
        return change(settingsOf(settings.revision + 1, next, signing), take);
      }),
    useCredentials: handed =>
      turns.take(async () => {
        const { signing, take } = signingOf(settings.config);
        const moved = movedBackends(settings.places, signing.places);
        if (moved.length > 0) {
          logger.warn({ backends: moved }, MOVED);
          await change({ ...settings, ...signing, revision: settings.revision + 1 }, take);
          return;
        }
        take();
        settings.credentials.set(handed.sourceId, handed.credentials);
        const backend = settings.config.backends[handed.backend];
        const place = settings.places.get(handed.backend);
        // those of a source that a reload is about to take over come with its settings
        if (!backend || !place || providedSource(handed.backend, backend)?.id !== handed.sourceId) return;
        pool.tellAll('replaceCredentials', { ...handed, identity: place.identity });
      }),
  };
}

const MOVED =
  'the credentials are those of another account or role: what was cached with the earlier ones is not served any more';

function proxiesOf({ listen }: GatewayConfig, addresses: readonly ListenAddress[]): ProxiesByAddress {
  return new Map(
    addresses.map((address, index) => {
      const { trustedProxies, proxyProtocol } = listen[index] ?? address;
      return [formatListenAddress(address), { trustedProxies, proxyProtocol }];
    }),
  );
}

/** What decides as whom workers sign. */
interface Signing {
  readonly places: ReadonlyMap<string, BackendPlace>;
  /** Replaced while they stay those of the same account. */
  readonly credentials: Map<string, ProvidedCredentials>;
}

function movedBackends(before: Signing['places'], now: Signing['places']): string[] {
  return Array.from(now.keys()).filter(name => before.get(name) !== now.get(name));
}

/** A worker that died will be replaced by one with the new settings. */
function ignoreTheDead(error: unknown): void {
  if (!(error instanceof ThreadGoneError)) throw error;
}
