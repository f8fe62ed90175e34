import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { type Answer, errorAnswer, objectAnswer, type StoredObject } from './stand-in/answer.ts';
import { bytesContent, type Content } from './stand-in/content.ts';
import { type Fault, FaultScript, spoil } from './stand-in/faults.ts';
import { RequestLog, type RequestNote } from './stand-in/request-log.ts';
import { transfer } from './stand-in/transfer.ts';

interface StandInOptions {
  /** Milliseconds before the head of every answer. */
  readonly latencyMs?: number;
  /** Bytes of body per second on each connection. */
  readonly rateBytesPerS?: number;
  /** Any free one where absent. */
  readonly port?: number;
}

/** What an object may have besides its bytes. */
interface ObjectOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly lastModified?: Date;
  /** Names of headers that its answers lack. */
  readonly without?: readonly string[];
  /** Whether ranges are ignored. */
  readonly ignoresRange?: boolean;
}

interface Held {
  readonly method: string | undefined;
  readonly what: 'requests' | 'answers';
}

/** Requests wait behind a closed gate until it is released. */
interface Gate {
  release(): void;
}

/**
 * A server that looks like an object store to whoever reads from it, and whose every answer a test decides:
 * path-style GET and HEAD of objects set by code, with latency, rate, faults, gates and a log.
 */
export class StandInStore {
  readonly log = new RequestLog();
  readonly faults = new FaultScript();
  /** Paths (`/bucket/key`) of which no request is ever answered. */
  readonly hanging = new Set<string>();
  /** What goes wrong with every request of some paths. */
  readonly spoiled = new Map<string, Fault>();
  latencyMs: number;
  rateBytesPerS: number;
  readonly #server: Server;
  readonly #objects = new Map<string, StoredObject>();
  readonly #gates = new Map<Promise<void>, Held>();
  #requestCount = 0;

  private constructor(options: StandInOptions) {
    this.latencyMs = options.latencyMs ?? 0;
    this.rateBytesPerS = options.rateBytesPerS ?? Number.POSITIVE_INFINITY;
    this.#server = createServer((request, reply) => void this.#serve(request, reply));
  }

  /** Starts a store on a free port of the loopback interface. */
  static async start(options: StandInOptions = {}): Promise<StandInStore> {
    const store = new StandInStore(options);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    store.#server.once('error', reject);
    store.#server.listen(options.port ?? 0, '127.0.0.1', resolve);
    await promise;
    return store;
  }

  get port(): number {
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new Error('the stand-in store is closed');
    return address.port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Sets or replaces an object; transfers that have begun go on with the bytes they began with. */
  put(
    bucket: string,
    key: string,
    content: Content | Uint8Array | string,
    options: ObjectOptions = {},
  ): void {
    this.#objects.set(`/${bucket}/${key}`, {
      content: typeof content === 'string' || content instanceof Uint8Array ? bytesContent(content) : content,
      lastModified: options.lastModified ?? new Date(Date.UTC(2026, 0, 1)),
      headers: options.headers ?? {},
      without: options.without ?? [],
      ignoresRange: options.ignoresRange ?? false,
    });
  }

  remove(bucket: string, key: string): void {
    this.#objects.delete(`/${bucket}/${key}`);
  }

  /**
   * Makes every request that arrives from now on wait, before anything is answered, until the gate is released.
   *
   * @param method of the requests that wait; undefined: all
   * @param what its answer is decided by: what there is when it is released, or when it arrives
   */
  hold(method?: string, what: 'requests' | 'answers' = 'requests'): Gate {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#gates.set(promise, { method, what });
    const release = () => {
      this.#gates.delete(promise);
      resolve();
    };
    return { release };
  }

  /** Requests that arrive from now on do not wait, though those that have come still do. */
  open(): void {
    this.#gates.clear();
  }

  /** Stops listening and cuts every connection. */
  async close(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#server.close(() => resolve());
    this.#server.closeAllConnections();
    await promise;
  }

  async #serve(request: IncomingMessage, reply: ServerResponse): Promise<void> {
    const note = this.log.open(request);
    const fault = this.spoiled.get(pathOf(request)) ?? this.faults.take();
    request.resume();
    if (this.hanging.has(pathOf(request))) return;
    const arrived = this.#objects.get(pathOf(request));
    const gates = [...this.#gates].filter(
      ([, { method }]) => method === undefined || method === request.method,
    );
    await Promise.all(gates.map(([released]) => released));
    if (this.latencyMs > 0) await wait(this.latencyMs);
    const isDecided = gates.some(([, { what }]) => what === 'answers');
    const object = isDecided ? arrived : this.#objects.get(pathOf(request));
    note.end(await this.#answer(request, reply, object, fault, note));
  }

  #answer(
    request: IncomingMessage,
    reply: ServerResponse,
    object: StoredObject | undefined,
    fault: Fault | undefined,
    note: RequestNote,
  ) {
    const answer = spoil(this.#decide(request, object), fault, object, request.headers);
    return transfer(reply, this.#identified(answer), fault, () => this.rateBytesPerS, note);
  }

  #decide(request: IncomingMessage, object: StoredObject | undefined): Answer {
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      return errorAnswer(
        405,
        'MethodNotAllowed',
        'The specified method is not allowed against this resource.',
      );
    }
    if (!object) return errorAnswer(404, 'NoSuchKey', 'The specified key does not exist.');
    return objectAnswer(object, request.headers);
  }

  #identified(answer: Answer): Answer {
    this.#requestCount++;
    const ids = { 'x-amz-request-id': `STANDIN${this.#requestCount}`, 'x-amz-id-2': 'stand-in' };
    return { ...answer, headers: { ...ids, ...answer.headers } };
  }
}

/** The decoded path, with nothing normalised: `//` and `..` are parts of keys. A broken escape stays as it is. */
function pathOf(request: IncomingMessage): string {
  const [path = '/'] = (request.url ?? '/').split('?', 1);
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
