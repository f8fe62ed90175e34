import { type IncomingHttpHeaders, request } from 'node:http';
import { MessageChannel } from 'node:worker_threads';
import type { Metrics } from '../../src/base/metrics.ts';
import { allocateSharedMemory, type SharedMemory } from '../../src/cache/shared-memory.ts';
import type { Gateway } from '../../src/gateway/gateway.ts';
import { type GatewayListener, type GatewayListenerOptions, listenFor } from './gateway-listener.ts';
import {
  defaultPolicy,
  makeWorkerGateway,
  type WorkerGateway,
  type WorkerGatewayOptions,
} from './worker-gateway.ts';

const mebibyte = 1024 * 1024;

export interface TestGatewayOptions extends WorkerGatewayOptions, GatewayListenerOptions {
  readonly arenaBytes?: number;
  readonly workers?: number;
}

/** One answer with its whole body. */
export interface TestAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** A gateway in this process, on a real socket. Several workers share one thread. */
export class TestGateway {
  readonly gateways: readonly Gateway[];
  readonly metrics: readonly Metrics[];
  /** The memory that its workers share. */
  readonly memory: SharedMemory;
  readonly #parts: readonly WorkerGateway[];
  readonly #listeners: readonly GatewayListener[];
  readonly #channels: readonly MessageChannel[];

  private constructor(
    parts: readonly WorkerGateway[],
    listeners: readonly GatewayListener[],
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
    const parts = Array.from({ length: workers }, (_, worker) =>
      makeWorkerGateway(options, policy, memory, worker),
    );
    const channels = connect(parts);
    const listeners = await Promise.all(parts.map(({ gateway }) => listenFor(gateway, options)));
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

/** Every worker speaks with every other. */
function connect(parts: readonly WorkerGateway[]): MessageChannel[] {
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
