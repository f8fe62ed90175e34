import { createServer, type IncomingHttpHeaders, request, type Server } from 'node:http';
import { MessageChannel } from 'node:worker_threads';
import { S3Store } from '../../src/backend/s3/s3-store.ts';
import { StoreMeter } from '../../src/backend/store-meter.ts';
import { type Clock, systemClock } from '../../src/base/clock.ts';
import { Metrics } from '../../src/base/metrics.ts';
import { allocateSharedMemory } from '../../src/cache/shared-memory.ts';
import { anonymous, type Policy } from '../../src/gateway/access.ts';
import type { Bucket, CachePolicy } from '../../src/gateway/bucket.ts';
import { BucketTable } from '../../src/gateway/bucket-table.ts';
import { Gateway } from '../../src/gateway/gateway.ts';

const mebibyte = 1024 * 1024;

export const defaultPolicy: CachePolicy = {
  ttlMs: 60_000,
  maxTtlMs: 86_400_000,
  negativeTtlMs: 5_000,
  honourCacheControl: true,
  blockSizeBytes: mebibyte,
};

export interface TestGatewayOptions {
  readonly storeUrl: string;
  readonly arenaBytes?: number;
  readonly workers?: number;
  readonly policy?: Partial<CachePolicy>;
  readonly clock?: Clock;
  readonly allows?: Policy;
  readonly connections?: number;
}

/** One answer with its whole body. */
export interface TestAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** A gateway in this process, on a real socket: one bucket `b`, which is `b` at the store too. Several workers share one thread. */
export class TestGateway {
  readonly gateways: readonly Gateway[];
  readonly metrics: readonly Metrics[];
  readonly #servers: readonly Server[];
  readonly #stores: readonly S3Store[];
  readonly #channels: readonly MessageChannel[];

  private constructor(
    gateways: Gateway[],
    metrics: Metrics[],
    servers: Server[],
    stores: S3Store[],
    channels: MessageChannel[],
  ) {
    this.gateways = gateways;
    this.metrics = metrics;
    this.#servers = servers;
    this.#stores = stores;
    this.#channels = channels;
  }

  static async start(options: TestGatewayOptions): Promise<TestGateway> {
    const workers = options.workers ?? 1;
    const policy = { ...defaultPolicy, ...options.policy };
    const memory = allocateSharedMemory(
      options.arenaBytes ?? 128 * mebibyte,
      Math.max(mebibyte, policy.blockSizeBytes),
      workers,
    );
    const parts = Array.from({ length: workers }, (_, worker) => {
      const metrics = new Metrics();
      const clock = options.clock ?? systemClock;
      const meter = new StoreMeter(metrics, clock);
      const store = new S3Store({
        name: 'main',
        endpoint: options.storeUrl,
        region: 'us-east-1',
        addressing: 'path',
        headerPrefix: 'x-amz-',
        credentials: { kind: 'none' },
        connections: options.connections ?? 128,
        timeouts: { connectMs: 2_000, firstByteMs: 10_000, idleMs: 10_000 },
        clock: systemClock,
        meter,
      });
      const bucket: Bucket = {
        name: 'b',
        label: 'b',
        store,
        headerPrefix: 'x-amz-',
        bucketAtStore: 'b',
        keyPrefix: '',
        customerKeys: { plainHttp: 'loopback' },
        policyFor: () => policy,
      };
      const gateway = new Gateway({
        domain: undefined,
        buckets: new BucketTable(new Map([['b', bucket]]), undefined),
        authenticate: () => anonymous,
        policy: options.allows ?? (() => true),
        memory,
        worker,
        recordBytes: 16 * mebibyte,
        metrics,
        meter,
        accessLog: undefined,
        clock,
        random: () => 0.5,
      });
      return { gateway, metrics, store, server: createServer({ keepAliveTimeout: 60_000 }, gateway.handle) };
    });
    const channels: MessageChannel[] = [];
    for (let one = 0; one < workers; one++) {
      for (let other = one + 1; other < workers; other++) {
        const channel = new MessageChannel();
        parts[one]?.gateway.connect(other, channel.port1);
        parts[other]?.gateway.connect(one, channel.port2);
        channels.push(channel);
      }
    }
    await Promise.all(
      parts.map(({ server }) => new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))),
    );
    return new TestGateway(
      parts.map(part => part.gateway),
      parts.map(part => part.metrics),
      parts.map(part => part.server),
      parts.map(part => part.store),
      channels,
    );
  }

  /** Where worker `worker` listens. */
  url(worker = 0): string {
    const address = this.#servers[worker]?.address();
    if (!address || typeof address === 'string') throw new Error('the gateway is closed');
    return `http://127.0.0.1:${address.port}`;
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

  async close(): Promise<void> {
    for (const server of this.#servers) server.closeAllConnections();
    await Promise.all(this.#servers.map(server => new Promise(resolve => server.close(resolve))));
    for (const channel of this.#channels) channel.port1.close();
    await Promise.all(this.#stores.map(store => store.close()));
  }
}
