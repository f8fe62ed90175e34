import type { RequestedObject } from '../alerts/rules/rule.ts';
import type { LogLevel } from '../base/logger.ts';
import type { MetricSnapshot } from '../base/metric-snapshot.ts';
import type { GatewayConfig } from '../config/gateway-config.ts';
import type { SampleBucket } from '../embedded-store/sample/sample-bucket.ts';
import type { ObjectDescription } from '../gateway/operate/describe-object.ts';
import type { Purged, PurgeScope } from '../gateway/operate/purge.ts';
import type { RestoreOutcome, RestoreRequest } from '../gateway/operate/restore-object.ts';
import type { HeaderPrefix } from '../s3/dialect.ts';
import type { StoreAccount } from '../server/embedded-store-thread.ts';

/** An embedded store as workers reach it. */
export interface StoreAccess {
  readonly endpoint: string;
  readonly credentials: StoreAccount;
}

/** What every worker is started with. */
export interface WorkerSettings {
  readonly config: GatewayConfig;
  /** By the name of the backend. */
  readonly stores: ReadonlyMap<string, StoreAccess>;
  /** Made anew at each start: seals markers of listings where the backend has no secret of its own. */
  readonly listingSecret: string;
  /** Heap that what is known of objects may cost in one worker. */
  readonly recordBytesPerWorker: number;
  /** How many clients may be connected to one worker; undefined where nothing bounds it. */
  readonly clientConnections: number | undefined;
}

/** What every worker serves to the supervisor. */
export interface WorkerControl {
  metrics(): Promise<MetricSnapshot>;
  /** Effective when it has answered. */
  purge(request: PurgeScope): Purged;
  /** The archived objects that this worker was asked for of late. */
  archivedReads(): readonly RequestedObject[];
  restore(request: RestoreRequest): Promise<RestoreOutcome>;
  /** Undefined where the worker holds nothing of the object. */
  describe(object: { readonly bucket: string; readonly key: string }): ObjectDescription | undefined;
}

/** What an embedded store's thread is started with. */
export interface StoreSettings {
  /** The backend's name. */
  readonly name: string;
  readonly directory: string;
  readonly headerPrefix: HeaderPrefix;
  readonly logLevel: LogLevel;
  /** Whether the sample bucket is put there. */
  readonly sample: boolean;
}

/** What an embedded store's thread says when it is up. */
export interface StoreReady {
  readonly port: number;
  readonly sample: SampleBucket | undefined;
}
