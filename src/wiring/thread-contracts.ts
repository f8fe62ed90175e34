import type { RequestedObject } from '../alerts/rules/rule.ts';
import type { BreakerWords } from '../backend/breaker/breaker-word.ts';
import type { ProvidedCredentials } from '../backend/credentials/credential-source.ts';
import type { SharedOutages } from '../backend/outage-log.ts';
import type { LogLevel } from '../base/logger.ts';
import type { MetricSnapshot } from '../base/metric-snapshot.ts';
import type { GatewayConfig } from '../config/gateway-config.ts';
import type { SampleBucket } from '../embedded-store/sample/sample-bucket.ts';
import type { ObjectDescription } from '../gateway/operate/describe-object.ts';
import type { KeyPage, KeysBelow } from '../gateway/operate/keys-below.ts';
import type { ChangedObject } from '../gateway/operate/objects-to-warm.ts';
import type { Purged, PurgeOrder } from '../gateway/operate/purge.ts';
import type { RestoreOutcome, RestoreRequest } from '../gateway/operate/restore-object.ts';
import type { ToldChanges } from '../gateway/operate/store-changes.ts';
import type { WarmOrderOfRun } from '../gateway/operate/warming.ts';
import type { Warmed } from '../gateway/read/warmed.ts';
import type { NearBytes } from '../gateway/workers/near-shares.ts';
import type { HeaderPrefix } from '../s3/dialect.ts';
import type { StoreAccount } from '../server/embedded-store-thread.ts';
import type { ProxiesByAddress } from '../server/listen-address.ts';
import type { FileShares } from '../server/open-files.ts';
import type { BackendPlace } from './backend-places.ts';

/** How workers reach an embedded store. */
export interface StoreAccess {
  readonly endpoint: string;
  readonly credentials: StoreAccount;
}

/** Credentials on their way to the workers. */
export interface HandedCredentials {
  readonly backend: string;
  /** See `ProvidedSource.id`. */
  readonly sourceId: string;
  readonly credentials: ProvidedCredentials;
}

/** New credentials for the store that is in use. */
export interface ReplacedCredentials extends HandedCredentials {
  /** See `Store.identity`. */
  readonly identity: string;
}

/** A store does not accept the credentials with this id. */
export interface RefusedCredentials {
  readonly backend: string;
  readonly accessKeyId: string;
}

/** The settings that every worker is started with, or serves with after a reload. */
export interface WorkerSettings {
  /** Counts the configurations of the process. */
  readonly revision: number;
  readonly config: GatewayConfig;
  /** By the name of the backend. */
  readonly places: ReadonlyMap<string, BackendPlace>;
  /** By the name of the backend. */
  readonly stores: ReadonlyMap<string, StoreAccess>;
  /** What has been obtained so far for backends whose credentials have a source; later ones come as `replaceCredentials`. */
  readonly credentials: ReadonlyMap<string, ProvidedCredentials>;
  /** Random for each start: the key for sealed listing markers where the backend has no secret. */
  readonly listingSecret: string;
  /** Heap limits for the records of one worker: of what it owns, and of what others own. */
  readonly recordBytesPerWorker: number;
  readonly nearBytesPerWorker: NearBytes;
  /** The states of the backends, at their places. */
  readonly outages: SharedOutages;
  /** The circuit breakers of the backends, at their places. */
  readonly breakers: BreakerWords;
  /** Whose word on clients counts at the addresses. */
  readonly proxies: ProxiesByAddress;
  /** What the limit of open files leaves to each worker; undefined: no limit. */
  readonly files: FileShares | undefined;
}

/** Connections of each worker to an embedded store. */
export const EMBEDDED_STORE_CONNECTIONS = 128;

/** The procedures that every worker offers the supervisor. */
export interface WorkerControl {
  /** First step of a reload: builds what serves with `settings`. Nothing is served with it yet. */
  prepare(settings: WorkerSettings): void;
  /**
   * Second step, when all workers are prepared: new requests are served with `settings`. A worker that started meanwhile
   * prepares them now.
   */
  apply(settings: WorkerSettings): void;
  metrics(): Promise<MetricSnapshot>;
  /** The purge has taken effect in all workers when this returns. */
  purge(order: PurgeOrder): Purged;
  /** See `Gateway.invalidate`. */
  invalidate(changes: ToldChanges): number;
  /** See `Gateway.objectsToWarm`. */
  objectsToWarm(changes: ToldChanges): readonly ChangedObject[];
  /** See `Warming.fetch`. */
  warm(order: WarmOrderOfRun): Promise<Warmed>;
  /** See `Warming.leave`. */
  leaveWarm(run: number): void;
  /** See `Gateway.keysBelow`. */
  keysBelow(asked: KeysBelow): Promise<KeyPage>;
  /** Archived objects recently requested from this worker. */
  archivedReads(): readonly RequestedObject[];
  restore(request: RestoreRequest): Promise<RestoreOutcome>;
  /** Undefined where the worker holds nothing of the object. */
  describe(object: { readonly bucket: string; readonly key: string }): ObjectDescription | undefined;
  /** Requests are signed with these from now on. */
  replaceCredentials(replaced: ReplacedCredentials): void;
}

/** The procedures that the supervisor offers every worker. */
export interface SupervisorControl {
  refusedCredentials(refusal: RefusedCredentials): void;
  /**
   * Whole lines as UTF-8, from which secrets have been removed. Answered when their memory, which may be shared, is not
   * read any more.
   */
  writeAccessLog(lines: Uint8Array): Promise<void> | undefined;
}

/** The settings that an embedded store's thread is started with. */
export interface StoreSettings {
  /** The backend's name. */
  readonly name: string;
  readonly directory: string;
  readonly headerPrefix: HeaderPrefix;
  readonly logLevel: LogLevel;
  /** Whether to create the sample bucket. */
  readonly sample: boolean;
}

/** Posted by an embedded store's thread when it is listening. */
export interface StoreReady {
  readonly port: number;
  readonly sample: SampleBucket | undefined;
}
