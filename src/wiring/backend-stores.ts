/** Part of the composition roots of a worker and of `tidegate check`: the stores behind one worker. */
import type { HeldCredentials } from '../backend/credentials/held-credentials.ts';
import { HttpStore } from '../backend/http/http-store.ts';
import type { OriginStore } from '../backend/origin-store.ts';
import { OutageLog } from '../backend/outage-log.ts';
import { ReplaceableStore } from '../backend/replaceable-store.ts';
import { S3Store, type StoreCredentials } from '../backend/s3/s3-store.ts';
import type { Store } from '../backend/store.ts';
import type { StoreMeter } from '../backend/store-meter.ts';
import type { Clock } from '../base/clock.ts';
import type { Faults } from '../base/faults.ts';
import type { Logger } from '../base/logger.ts';
import type { SpanSink } from '../base/spans.ts';
import { serverTlsOf } from '../config/backend-certificates.ts';
import type { BackendConfig, GatewayConfig } from '../config/gateway-config.ts';
import type { ServerTls } from '../transport/server-tls.ts';
import type { BackendPlace } from './backend-places.ts';
import { createBreaker } from './breakers.ts';
import { providedSource } from './provided-source.ts';
import { askedPlaceAt } from './store-probes.ts';
import { EMBEDDED_STORE_CONNECTIONS, type StoreAccess, type WorkerSettings } from './thread-contracts.ts';
import type { WorkerCredentials } from './worker-credentials.ts';

interface StoreParts {
  readonly clock: Clock;
  readonly meter: StoreMeter;
  readonly faults: Faults;
  readonly logger: Logger;
  readonly credentials: WorkerCredentials;
  /** See `S3StoreOptions`. */
  readonly spans: SpanSink | undefined;
}

/** Everything that a store is built from. */
interface StoreSettings {
  readonly name: string;
  readonly backend: BackendConfig;
  readonly place: BackendPlace;
  /** How an embedded store is reached. */
  readonly access: StoreAccess | undefined;
  readonly connections: number;
  /** With the certificates as their files hold them now. */
  readonly tls: ServerTls | undefined;
}

/** A backend as a configuration describes it. */
interface PreparedStore {
  readonly name: string;
  /** All that `store` was built from. */
  readonly id: string;
  readonly store: OriginStore;
  /** What buckets and cached contents refer to. */
  readonly handle: ReplaceableStore;
}

/** The stores of a worker. A reload keeps those that it does not change, with their connections and queues. */
export class BackendStores {
  readonly #parts: StoreParts;
  /** By all that they were built from. */
  #inUse: ReadonlyMap<string, OriginStore> = new Map();
  #prepared: readonly PreparedStore[] = [];
  /** By the name of the backend; kept where a backend is gone, since it may come back with what is cached of it. */
  readonly #handles = new Map<string, ReplaceableStore>();
  #places: Pick<GatewayConfig, 'buckets' | 'backends'> = { buckets: {}, backends: {} };

  constructor(parts: StoreParts) {
    this.#parts = parts;
  }

  /** The stores of these settings, by the names of their backends; with these settings after `use`. */
  prepare(settings: WorkerSettings): ReadonlyMap<string, Store> {
    this.#prepared = Object.entries(settings.config.backends).map(([name, backend]) => {
      const wanted = storeSettings(name, backend, settings);
      const id = JSON.stringify(wanted);
      const store = this.#inUse.get(id) ?? this.#build(wanted, settings);
      return { name, id, store, handle: this.#handleOf(store) };
    });
    this.#places = settings.config;
    return new Map(this.#prepared.map(({ name, handle }) => [name, handle]));
  }

  /** Switches new calls to the stores that were prepared last, and returns them. Calls under way end at the previous ones. */
  use(): ReadonlyMap<string, OriginStore> {
    const replaced = this.#inUse;
    this.#inUse = new Map(this.#prepared.map(({ id, store }) => [id, store]));
    for (const { name, store, handle } of this.#prepared) {
      handle.replaceBy(store);
      this.#handles.set(name, handle);
      store.asked = askedPlaceAt(name, this.#places);
    }
    for (const [id, store] of replaced) if (!this.#inUse.has(id)) store.retire();
    return new Map(this.#prepared.map(({ name, store }) => [name, store]));
  }

  #handleOf(store: OriginStore): ReplaceableStore {
    const known = this.#handles.get(store.name);
    return known?.identity === store.identity ? known : new ReplaceableStore(store);
  }

  #build(settings: StoreSettings, { outages: shared, breakers, credentials }: WorkerSettings): OriginStore {
    const { name, place } = settings;
    const { meter } = this.#parts;
    const outages = new OutageLog({
      ...{ ...this.#parts, store: name, shared, index: place.index },
      countFailure: cause => meter.failed(name, cause),
    });
    const hold: Hold = sourceId =>
      this.#parts.credentials.of(name, place.identity, credentials.get(sourceId));
    const breaker = createBreaker(settings, breakers, this.#parts);
    const parts = { ...this.#parts, outages };
    const { backend, connections, tls } = settings;
    if (backend.type !== 'http')
      return new S3Store({ ...parts, ...optionsOf({ ...settings, backend }, hold), breaker });
    return new HttpStore({ ...parts, ...backend, name, identity: place.identity, connections, tls, breaker });
  }
}

function storeSettings(name: string, backend: BackendConfig, settings: WorkerSettings): StoreSettings {
  const place = settings.places.get(name);
  if (!place) throw new RangeError(`the backend ${name} has no place`);
  const access = settings.stores.get(name);
  const tls = backend.type === 'embedded' ? undefined : serverTlsOf(backend);
  return { name, backend, place, access, connections: connectionsOf(backend, settings), tls };
}

/** The credentials of a store, by their `ProvidedSource.id`. */
type Hold = (sourceId: string) => HeldCredentials;

/** Workers reach an embedded store through its socket, like any other store. */
function optionsOf(
  {
    name,
    backend,
    place,
    access,
    connections,
    tls,
  }: StoreSettings & { readonly backend: Exclude<BackendConfig, { type: 'http' }> },
  hold: Hold,
) {
  const common = { name, identity: place.identity, headerPrefix: backend.headerPrefix };
  if (backend.type === 's3') {
    const credentials = credentialsOf(name, backend, hold);
    return { ...common, ...backend, credentials, tls, connections };
  }
  if (!access) throw new RangeError(`the embedded store ${name} was not started`);
  return {
    ...common,
    endpoint: access.endpoint,
    region: EMBEDDED_STORE_REGION,
    addressing: 'path' as const,
    credentials: { kind: 'static' as const, ...access.credentials },
    connections,
    queue: { size: 512, waitMs: 2_000 },
    timeouts: { connectMs: 2_000, firstByteMs: 10_000, idleMs: 10_000 },
    minRateBytes: 1_024,
  };
}

function credentialsOf(name: string, backend: S3Config, hold: Hold): StoreCredentials {
  const { credentials } = backend;
  if (credentials.kind !== 'provided') return credentials;
  const id = providedSource(name, backend)?.id ?? name;
  return { kind: 'held', held: hold(id) };
}

type S3Config = Extract<BackendConfig, { type: 's3' }>;

/** The embedded store uses the default region of stores that do not specify one. */
const EMBEDDED_STORE_REGION = 'us-east-1';

/** The region of a backend. */
export function regionOf(backend: BackendConfig): string {
  return backend.type === 's3' ? backend.region : EMBEDDED_STORE_REGION;
}

/** As many as the limit of open files allows: beyond it, connections of clients would fail. */
function connectionsOf(backend: BackendConfig, { files }: WorkerSettings): number {
  const configured = backend.type !== 'embedded' ? backend.connections : EMBEDDED_STORE_CONNECTIONS;
  return Math.max(1, Math.floor(configured * (files?.storeShare ?? 1)));
}
