import { createServer, type Server, type ServerResponse } from 'node:http';
import { Faults } from '../../src/base/faults.ts';
import { Metrics } from '../../src/base/metrics.ts';
import type { Content, ContentReader } from '../../src/cache/content.ts';
import type { Coverage } from '../../src/cache/coverage.ts';
import { PartMap } from '../../src/cache/part-map.ts';
import type { ObjectRecord } from '../../src/cache/record.ts';
import type { LookupResult, ObjectSource } from '../../src/gateway/read/object-source.ts';
import { serveSealed } from '../../src/gateway/read/pass-read.ts';
import { ObjectServer } from '../../src/gateway/read/serve-object.ts';
import { errorHandling } from '../../src/gateway/reply/error-handling.ts';
import { ExchangeObserver } from '../../src/gateway/reply/exchange-observer.ts';
import { PendingSends } from '../../src/gateway/reply/pending-sends.ts';
import { Admission } from '../../src/gateway/request/admission.ts';
import type { ClientRead } from '../../src/gateway/request/client-read.ts';
import { type ErrorHandling, Exchange } from '../../src/gateway/request/exchange.ts';
import type { ObjectRead } from '../../src/gateway/request/object-read.ts';
import { parseRange } from '../../src/http/range.ts';
import type { CustomerKey } from '../../src/s3/customer-key.ts';
import { RequestFields } from '../../src/s3/request-fields.ts';
import { anyRate } from './any-rate.ts';
import { listenLocally } from './listen-locally.ts';
import { ManualClock } from './manual-clock.ts';
import { readOf } from './object-reads.ts';
import { type RawReply, rawRequest } from './raw-request.ts';

/** A content of a few characters; what `held` says is in memory, the rest fails with `failure` when it is read. */
export class TextContent implements Content {
  readonly sizeBytes: number;
  readonly parts = new PartMap();
  held: Coverage = 'all';
  failure: Error = new Error('nothing is read here');
  /** What a reader gets before that. */
  beginning = '';
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
    this.sizeBytes = text.length;
  }

  coverage(): Coverage {
    return this.held;
  }

  peekText(from: number, to: number): string | undefined {
    return this.held === 'all' ? this.#text.slice(from, to) : undefined;
  }

  lend(): undefined {
    return undefined;
  }

  open(): ContentReader {
    const loans = this.beginning === '' ? [] : [Buffer.from(this.beginning)];
    const next = () => {
      const bytes = loans.shift();
      return bytes ? { bytes, slot: undefined, release: () => undefined } : Promise.reject(this.failure);
    };
    return { next, close: () => undefined };
  }
}

/** What differs from a plain GET of an anonymous caller who may know everything. */
export interface Asked {
  readonly method?: 'GET' | 'HEAD';
  readonly headers?: Readonly<Record<string, string>>;
  readonly read?: Partial<ObjectRead>;
  readonly client?: Partial<ClientRead>;
}

export interface Answered {
  readonly reply: RawReply;
  readonly exchange: Exchange;
}

/** Answers reads of one object over a real connection, from a source that tests play. */
export class ObjectServerBench {
  readonly clock = new ManualClock();
  /** The record in memory. */
  cached: ObjectRecord | undefined;
  /** What each look-up of the source finds, in turn; a look-up too many is an error. */
  readonly finds: (LookupResult | Error)[] = [];
  /** What the source was asked for and told, in order. */
  readonly told: string[] = [];
  readonly #server: Server;
  readonly #observer: ExchangeObserver;
  readonly #objects: ObjectServer;
  readonly #errors: ErrorHandling;
  #url = '';
  #handle: (response: ServerResponse) => void = () => undefined;

  private constructor() {
    this.#server = createServer((_, response) => this.#handle(response));
    const metrics = new Metrics();
    this.#observer = new ExchangeObserver({
      rates: anyRate,
      ...{ metrics, clock: this.clock, accessLog: undefined },
      admission: new Admission({
        urlBytes: 100,
        requests: 10,
        requestsPerAddress: 10,
        requestsPerAccessKey: 10,
        connectionsPerAccessKey: 10_000,
      }),
      sends: new PendingSends(this.clock, { holds: () => 0, claimNeed: () => false }),
      onArchivedRead: () => undefined,
    });
    this.#errors = errorHandling(this.#observer, new Faults(metrics, undefined));
    this.#objects = new ObjectServer(this.#observer, { sourceOf: () => this.#source() });
  }

  static async start(): Promise<ObjectServerBench> {
    const bench = new ObjectServerBench();
    bench.#url = await listenLocally(bench.#server);
    return bench;
  }

  close(): Promise<void> {
    this.#server.closeAllConnections();
    return new Promise(resolve => this.#server.close(() => resolve()));
  }

  /** The answer to a caller who may read the object. */
  serve(asked: Asked = {}): Promise<Answered> {
    return this.#ask(asked, client => this.#objects.serve(client, this.#source()));
  }

  /** The answer to a caller who may not. */
  refuse(asked: Asked = {}): Promise<Answered> {
    return this.#ask(asked, client => {
      try {
        this.#objects.refuse(client, this.#source());
      } catch (error) {
        client.exchange.refuse(error);
      }
    });
  }

  /** The answer to a caller who sends `key` for an object that is encrypted with it. */
  serveSealed(key: CustomerKey, asked: Asked = {}): Promise<Answered> {
    return this.#ask(asked, client => serveSealed(client, key, this.#observer));
  }

  async #ask(asked: Asked, handle: (client: ClientRead) => void): Promise<Answered> {
    const { promise, resolve } = Promise.withResolvers<Exchange>();
    this.#handle = response => {
      const client = this.#clientOf(response, asked);
      resolve(client.exchange);
      handle(client);
    };
    const { method = 'GET', headers = {} } = asked;
    const reply = await rawRequest(this.#url, { method, path: '/b/k', headers });
    return { reply, exchange: await promise };
  }

  #clientOf(
    response: ServerResponse,
    { method = 'GET', read: different = {}, client = {} }: Asked,
  ): ClientRead {
    const exchange = new Exchange(response, method, '/b/k', 0, 'id', 'id2', { now: 'today' }, this.#errors);
    exchange.prefix = 'x-amz-';
    this.#observer.began();
    const fields = new RequestFields(response.req.rawHeaders);
    const range = parseRange(fields.range);
    const read = readOf('k', { method, range, isConditional: fields.isConditional, ...different });
    return {
      ...{ exchange, fields, read, range, overrides: [], customerKey: undefined },
      rules: { cache: read.policy },
      visibility: { checksums: false, taggingCount: true, legalHold: true, storeNames: true, targeted: true },
      ...{ isAllowed: true, mayKnowMissing: true, nowMs: this.clock.nowMs() },
      ...client,
    };
  }

  #source(): ObjectSource {
    return {
      records: { recordNamed: () => this.cached, epochOf: () => 0 },
      find: (read, withChecksums = false) => {
        const part = read.partNumber === undefined ? '' : ` part ${read.partNumber}`;
        this.told.push(`find ${read.method}${part}${withChecksums ? ' with checksums' : ''}`);
        const found = this.finds.shift() ?? new Error('nothing is to be found here');
        return found instanceof Error ? Promise.reject(found) : Promise.resolve(found);
      },
      invalidate: () => void this.told.push('outdated'),
      refusedByStore: (_read, _record, { status }) => void this.told.push(`refused with ${status}`),
    };
  }
}
