import { createServer, type IncomingHttpHeaders, request } from 'node:http';
import { MessageChannel } from 'node:worker_threads';
import { S3Store, type S3StoreOptions } from '../../src/backend/s3/s3-store.ts';
import { StoreMeter } from '../../src/backend/store-meter.ts';
import { type Clock, systemClock } from '../../src/base/clock.ts';
import { Faults, guardedClock } from '../../src/base/faults.ts';
import { createLogger, type Logger } from '../../src/base/logger.ts';
import { Metrics } from '../../src/base/metrics.ts';
import type { Tracing } from '../../src/base/spans.ts';
import { allocateSharedMemory, type SharedMemory } from '../../src/cache/shared-memory.ts';
import type { UnwrittenBytesError } from '../../src/cache/written-bytes.ts';
import { Gateway, takesBody } from '../../src/gateway/gateway.ts';
import type { AccessLog } from '../../src/gateway/reply/access-log.ts';
import { anonymous, type Policy } from '../../src/gateway/request/access.ts';
import type { RateLimits, RequestLimits } from '../../src/gateway/request/admission.ts';
import type { Authenticate, AuthenticateForm } from '../../src/gateway/request/authenticator.ts';
import { type Bucket, type CachePolicy, regionOfBucket } from '../../src/gateway/request/bucket.ts';
import { BucketTable } from '../../src/gateway/request/bucket-table.ts';
import { fallbackBucketOf } from '../../src/gateway/request/fallback-bucket.ts';
import type { ClientLimits } from '../../src/server/client-limits.ts';
import { listenHttp } from '../../src/server/http-listener.ts';
import type { TcpAddress } from '../../src/server/listen-address.ts';
import type { TlsMaterial } from '../../src/server/tls/tls-material.ts';
import { defaultLimits as clientLimits } from './client-limits.ts';
import { slots } from './object-keys.ts';

const mebibyte = 1024 * 1024;

export const defaultPolicy: CachePolicy = {
  ttlMs: 60_000,
  maxTtlMs: 86_400_000,
  negativeTtlMs: 5_000,
  staleIfErrorMs: 0,
  honourCacheControl: true,
  blockSizeBytes: mebibyte,
  maxObjectSizeBytes: 5 * 1024 ** 4,
};

const defaultLimits: RequestLimits & RateLimits = {
  urlBytes: 8_192,
  requests: 10_000,
  requestsPerAddress: 10_000,
  requestsPerAccessKey: 10_000,
  ratePerAddressBytes: 0,
  ratePerAccessKeyBytes: 0,
};

export interface TestGatewayOptions {
  readonly storeUrl: string;
  /** Further stores by name, each with a bucket that is called the same. */
  readonly otherStores?: Readonly<Record<string, string>>;
  /** A store that stands in for the first one in all of its buckets. */
  readonly fallbackUrl?: string;
  /** How the store is spoken to: by default in `x-amz-`, with the bucket in the path and without signatures. */
  readonly store?: Partial<S3StoreOptions>;
  /** What differs from a bucket that is called the same at the store, by the names that clients use. Default: one bucket `b`. */
  readonly buckets?: Readonly<Record<string, Partial<Bucket>>>;
  /** Whether `"*"` stands for all other names at the store. */
  readonly hasOthers?: boolean;
  readonly domain?: string;
  readonly arenaBytes?: number;
  /** Heap that what is known of objects may cost in each worker. */
  readonly recordBytes?: number;
  readonly workers?: number;
  readonly policy?: Partial<CachePolicy>;
  readonly clock?: Clock;
  /** Default: everybody is anonymous. */
  readonly authenticate?: Authenticate;
  /** The same of forms. */
  readonly authenticateForm?: AuthenticateForm;
  /** Default: everybody may do everything. */
  readonly allows?: Policy | Policy['allows'];
  readonly connections?: number;
  readonly accessLog?: AccessLog;
  /** Where spans go; by default none are recorded. */
  readonly tracing?: Tracing;
  /** Receives warnings about requests. */
  readonly logger?: Logger;
  /** Blocks are checked unless it says otherwise; told of what is found. */
  readonly onUnwritten?: (error: UnwrittenBytesError) => void;
  /** Default: those of a configuration that names none. */
  readonly limits?: Partial<RequestLimits & RateLimits>;
  /** Default: a server of node:http. `worker` is the listener that workers have. */
  readonly listener?: 'node' | 'worker';
  /** Such a listener also serves HTTP/2, on another port with this certificate. */
  readonly tls?: TlsMaterial;
  /** What such a listener demands of clients. Default: as workers want it. */
  readonly listenerLimits?: Partial<ClientLimits>;
}

/** One answer with its whole body. */
export interface TestAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** One worker's gateway and what it is made of. */
interface Part {
  readonly gateway: Gateway;
  readonly metrics: Metrics;
  readonly stores: readonly S3Store[];
}

interface Listener {
  readonly port: number;
  /** 0 without TLS. */
  readonly securePort: number;
  /** Closes all connections. */
  close(): Promise<void>;
}

/** A gateway in this process, on a real socket. Several workers share one thread. */
export class TestGateway {
  readonly gateways: readonly Gateway[];
  readonly metrics: readonly Metrics[];
  /** The memory that its workers share. */
  readonly memory: SharedMemory;
  readonly #parts: readonly Part[];
  readonly #listeners: readonly Listener[];
  readonly #channels: readonly MessageChannel[];

  private constructor(
    parts: readonly Part[],
    listeners: readonly Listener[],
    channels: readonly MessageChannel[],
    memory: SharedMemory,
  ) {
    this.memory = memory;
    this.gateways = parts.map(part => part.gateway);
    this.metrics = parts.map(part => part.metrics);
    this.#parts = parts;
    this.#listeners = listeners;
    this.#channels = channels;
  }

  static async start(options: TestGatewayOptions): Promise<TestGateway> {
    const workers = options.workers ?? 1;
    const policy = { ...defaultPolicy, ...options.policy };
    const memory = allocateSharedMemory(
      options.arenaBytes ?? 128 * mebibyte,
      Math.max(mebibyte, policy.blockSizeBytes),
      workers,
      { blocks: 'checked' },
    );
    const parts = Array.from({ length: workers }, (_, worker) => makePart(options, policy, memory, worker));
    const channels = connect(parts);
    const listeners = await Promise.all(
      parts.map(({ gateway }) =>
        options.listener === 'worker' ? listenAsWorker(gateway, options) : listenBare(gateway),
      ),
    );
    return new TestGateway(parts, listeners, channels, memory);
  }

  /** Where worker `worker` listens. */
  url(worker = 0): string {
    const listener = this.#listeners[worker];
    if (!listener) throw new RangeError(`there is no worker ${worker}`);
    return `http://127.0.0.1:${listener.port}`;
  }

  /** Where worker `worker` listens with TLS. */
  secureUrl(worker = 0): string {
    const port = this.#listeners[worker]?.securePort;
    if (!port) throw new RangeError(`worker ${worker} does not listen with TLS`);
    return `https://127.0.0.1:${port}`;
  }

  get(path: string, headers: Record<string, string> = {}, worker = 0): Promise<TestAnswer> {
    return this.send('GET', path, headers, worker);
  }

  head(path: string, headers: Record<string, string> = {}, worker = 0): Promise<TestAnswer> {
    return this.send('HEAD', path, headers, worker);
  }

  /** Sends one request with `path` exactly as it is; rejects when the answer is cut off. */
  send(method: string, path: string, headers: Record<string, string> = {}, worker = 0): Promise<TestAnswer> {
    return new Promise((resolve, reject) => {
      const { port, hostname } = new URL(this.url(worker));
      const asked = request({ host: hostname, port, path, method, headers, agent: false }, answer => {
        const chunks: Buffer[] = [];
        answer.on('data', chunk => chunks.push(chunk));
        answer.on('end', () =>
          resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: Buffer.concat(chunks) }),
        );
        answer.on('error', reject);
      });
      asked.on('error', reject);
      asked.end();
    });
  }

  /** Ends all talk between workers; resolves when they have noticed. */
  async cutChannels(): Promise<void> {
    const ends = this.#channels.flatMap(({ port1, port2 }) => [port1, port2]);
    const noticed = ends.map(port => new Promise(resolve => port.once('close', resolve)));
    for (const { port1 } of this.#channels) port1.close();
    await Promise.all(noticed);
  }

  async close(): Promise<void> {
    await Promise.all(this.#listeners.map(listener => listener.close()));
    for (const channel of this.#channels) channel.port1.close();
    await Promise.all(this.#parts.flatMap(({ stores }) => stores.map(store => store.close())));
  }
}

function makePart(
  options: TestGatewayOptions,
  policy: CachePolicy,
  memory: SharedMemory,
  worker: number,
): Part {
  const metrics = new Metrics();
  const clock = options.clock ?? systemClock;
  const meter = new StoreMeter(metrics);
  const faults = new Faults(metrics, options.logger);
  const makeStore = (name: string, endpoint: string) =>
    new S3Store({
      name,
      endpoint,
      region: 'us-east-1',
      addressing: 'path',
      headerPrefix: 'x-amz-',
      credentials: { kind: 'none' },
      connections: options.connections ?? 128,
      queue: { size: 512, waitMs: 2_000 },
      minRateBytes: 1_024,
      timeouts: { connectMs: 2_000, firstByteMs: 10_000, idleMs: 10_000 },
      clock: guardedClock(clock, faults),
      meter,
      faults,
      spans: options.tracing?.spans,
      ...options.store,
    });
  const store = makeStore('main', options.storeUrl);
  const others = Object.entries(options.otherStores ?? {}).map(([name, url]) => makeStore(name, url));
  const standby = options.fallbackUrl === undefined ? undefined : makeStore('standby', options.fallbackUrl);
  const stores = [store, ...others, ...(standby ? [standby] : [])];
  for (const one of stores) spoilGiven(one);
  const otherBuckets = Object.fromEntries(others.map(one => [one.name, { store: one }]));
  const gateway = new Gateway({
    domain: options.domain,
    buckets: bucketsOf(
      { ...options, buckets: { ...(options.buckets ?? { b: {} }), ...otherBuckets } },
      store,
      policy,
      standby,
    ),
    authenticate: options.authenticate ?? (() => anonymous),
    authenticateForm: options.authenticateForm ?? (() => anonymous),
    policy: policyOf(options.allows),
    memory,
    worker,
    recordBytes: options.recordBytes ?? 16 * mebibyte,
    metrics,
    meter,
    faults,
    onArchivedRead: () => undefined,
    onUnwritten: options.onUnwritten ?? (() => undefined),
    accessLog: options.accessLog,
    tracing: options.tracing,
    ...(options.logger && { logger: options.logger }),
    clock,
    limits: { ...defaultLimits, ...options.limits },
    random: () => 0.5,
  });
  return { gateway, metrics, stores };
}

async function listenAsWorker(
  gateway: Gateway,
  { listenerLimits, tls }: Pick<TestGatewayOptions, 'listenerLimits' | 'tls'>,
): Promise<Listener> {
  const listen = (more: Pick<TcpAddress, 'tls'>) =>
    listenHttp({
      addresses: [{ kind: 'tcp', host: '127.0.0.1', port: 0, ...more }],
      ...{ reusePort: false, limits: { ...clientLimits, ...listenerLimits } },
      logger: createLogger({ level: 'error', sink: { write: () => undefined, flush: () => undefined } }),
      handle: gateway.handle,
      takesBody,
      answerUnreadable: why => gateway.answerUnreadable(why),
    });
  const listener = await listen({});
  const secure = tls && (await listen({ tls }));
  return {
    port: listener.port,
    securePort: secure?.port ?? 0,
    close: async () => {
      await Promise.all([listener.drain(0), secure?.drain(0)]);
    },
  };
}

async function listenBare({ handle }: Gateway): Promise<Listener> {
  const server = createServer({ keepAliveTimeout: 60_000, requireHostHeader: false }, handle);
  server.on('checkExpectation', handle);
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (!address || typeof address === 'string') throw new Error('the server does not listen');
  const close = () => {
    server.closeAllConnections();
    return new Promise<void>(resolve => server.close(() => resolve()));
  };
  return { port: address.port, securePort: 0, close };
}

/** A function alone tells of single keys; of what lies below a prefix it tells when that itself is refused. */
function policyOf(allows: TestGatewayOptions['allows']): Policy {
  if (!allows) return { allows: () => true, shareBelow: () => 'every' };
  if (typeof allows !== 'function') return allows;
  return { allows, shareBelow: (...asked) => (allows(...asked) ? 'some' : 'none') };
}

function bucketsOf(
  options: TestGatewayOptions,
  store: S3Store,
  policy: CachePolicy,
  standby: S3Store | undefined,
) {
  const { buckets = { b: {} } } = options;
  const bucketOf = (name: string, different: Partial<Bucket>): Bucket => {
    const bucket = primaryOf(name, different);
    return standby ? { ...bucket, fallback: fallbackBucketOf(bucket, standby, `${name}-replica`) } : bucket;
  };
  const primaryOf = (name: string, different: Partial<Bucket>): Bucket => {
    const bucketAtStore = different.bucketAtStore ?? name;
    const backend = (different.store ?? store).identity;
    return {
      name,
      label: name,
      store,
      region: regionOfBucket(name, bucketAtStore, options.store?.region ?? 'us-east-1'),
      headerPrefix: store.headerPrefix,
      bucketAtStore,
      keyPrefix: '',
      epochs: slots.of({ backend, bucket: bucketAtStore }),
      keys: 'exact',
      listingKey: new Uint8Array(32),
      maxBodySizeBytes: 5 * 1024 ** 3,
      customerKeys: { plainHttp: 'loopback' },
      policyFor: () => policy,
      ...different,
    };
  };
  const named = Object.entries(buckets).map(([name, different]): [string, Bucket] => [
    name,
    bucketOf(name, different),
  ]);
  const find = (name: string) => (named.some(([taken]) => taken === name) ? undefined : bucketOf(name, {}));
  const others = {
    store,
    region: options.store?.region ?? 'us-east-1',
    headerPrefix: store.headerPrefix,
    find,
  };
  return new BucketTable(new Map(named), options.hasOthers ? others : undefined);
}

/** Every worker speaks with every other. */
function connect(parts: readonly Part[]): MessageChannel[] {
  const channels: MessageChannel[] = [];
  for (const [one, part] of parts.entries()) {
    for (let other = one + 1; other < parts.length; other++) {
      const channel = new MessageChannel();
      part.gateway.connect(other, channel.port1);
      parts[other]?.gateway.connect(one, channel.port2);
      channels.push(channel);
    }
  }
  return channels;
}

/** The memory of a chunk is its receiver's during the call alone: here it is overwritten at once, as the next read may do. */
function spoilGiven(store: S3Store): void {
  const send = store.send.bind(store);
  store.send = (request, receiver) =>
    send(request, {
      answered: head => receiver.answered(head),
      arrived: chunk => {
        receiver.arrived(chunk);
        chunk.fill(0xee);
      },
      ended: () => receiver.ended(),
      failed: error => receiver.failed(error),
    });
}
