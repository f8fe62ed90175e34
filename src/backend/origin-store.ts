import type { Clock } from '../base/clock.ts';
import type { Faults } from '../base/faults.ts';
import type { SpanSink } from '../base/spans.ts';
import { withoutHopByHop } from '../http/hop-by-hop.ts';
import { loggedUrl } from '../s3/logged-url.ts';
import { boundedLookup } from './bounded-lookup.ts';
import type { Breaker } from './breaker/breaker.ts';
import { QUESTION_LIMIT_MS, StoreQuestion, type ToldOfStore } from './breaker/store-question.ts';
import type { CallContext, SentRequest } from './call-context.ts';
import { CallQueue } from './call-queue.ts';
import { type AskedPlace, healthRequest } from './health-request.ts';
import { HedgePolicy, type HedgeSettings } from './hedge/hedge-policy.ts';
import { type HedgeContext, HedgedCall, isHedged } from './hedge/hedged-call.ts';
import type { OriginCall, OriginReceiver } from './origin-call.ts';
import { type OriginPoolOptions, OriginPools } from './origin-pools.ts';
import type { OutageLog } from './outage-log.ts';
import { QueuedCall } from './queued-call.ts';
import { isSafe } from './resends.ts';
import { RetryBudget } from './retry-budget.ts';
import {
  ERROR_BODY_LIMIT_BYTES,
  type Store,
  type StoreCall,
  type StoreReceiver,
  type StoreReplyHead,
  type StoreRequest,
} from './store.ts';
import type { StoreMeter } from './store-meter.ts';
import { TracedCall, traceFields } from './traced-call.ts';
import { WRITE_ANSWER_MS } from './write-answer-limit.ts';

/** How the requests to an origin are written, and the heads of its answers read. */
export interface OriginProtocol {
  /** Where a request goes; the path includes the query. */
  targetOf(request: StoreRequest): OriginTarget;
  /** The request as it is sent now, but for its body. @throws StoreError when it cannot be signed */
  compose(request: StoreRequest): ComposedRequest;
  /** The head of an answer without its fields of the connection; a text that says why if it cannot be used. */
  readHead(status: number, rawHeaders: readonly string[]): StoreReplyHead | string;
  /** Whether the body of an error is a content like any other, of any length. */
  readonly hasErrorPages: boolean;
  /** Whether requests are signed with the gateway's own keys. */
  readonly isSigned: boolean;
  /** Whether an answer of 2xx need not mean that the body of its request has arrived whole. */
  readonly mayAcceptEarly: boolean;
}

interface OriginTarget {
  /** Includes the port unless it is the scheme's default. */
  readonly host: string;
  readonly path: string;
}

interface ComposedRequest extends OriginTarget {
  /** Names and values alternating, `host` among them. */
  readonly headers: readonly string[];
  /** Sees the answer before `receiver` does. */
  readonly watched?: (receiver: OriginReceiver) => OriginReceiver;
}

export interface OriginStoreOptions extends OriginPoolOptions {
  readonly name: string;
  /** See `Store.identity`; the name when left out. */
  readonly identity?: string;
  /** Origin of the store, such as `https://s3.eu-west-1.amazonaws.com`. */
  readonly endpoint: string;
  /** Limit for waiting calls, and how long they wait while the store answers none of those before them. */
  readonly queue: { readonly size: number; readonly waitMs: number };
  /** Minimum rate of an answer in bytes per second, measured over `timeouts.idleMs`; 0: no minimum. */
  readonly minRateBytes: number;
  readonly clock: Clock;
  /** A number in [0, 1), for jitter; by default a random one. */
  readonly random?: () => number;
  readonly meter: StoreMeter;
  /** Receives exceptions that belong to no request. */
  readonly faults?: Faults;
  /** Receives the spans of sampled requests; undefined: none. */
  readonly spans?: SpanSink | undefined;
  /** Logs when requests begin to fail, and when they work again. */
  readonly outages?: OutageLog;
  /** Refuses calls while the store fails; undefined: none are refused. */
  readonly breaker?: Breaker | undefined;
  /** When reads are sent a second time; undefined: never. */
  readonly hedge?: HedgeSettings | undefined;
}

/** Pools that are kept; with virtual addressing there is one per bucket. */
const POOL_LIMIT = 64;

/** Look-ups use the libuv thread pool (four threads), which also reads files; a store may use half of it. */
const LOOKUPS_AT_ONCE = 2;
const LOOKUPS_WAITING = 128;

/** Makes this timeout later than those of the connection pools; it covers what they do not detect. */
const HEAD_SLACK_MS = 1_000;

/** Shorter bodies mostly arrive with the head, and servers discard what is left of them (Go's up to 256 KiB). */
const SMALL_BODY_BYTES = 64 * 1024;

/** A store behind an HTTP origin: connections, queue, timeouts, repeats, breaker, hedges and spans of its calls. */
export class OriginStore implements Store {
  readonly name: string;
  readonly identity: string;
  /** What the circuit breaker asks for. */
  asked: AskedPlace = { bucket: undefined, fields: [] };
  readonly #options: OriginStoreOptions;
  readonly #protocol: OriginProtocol;
  readonly #calls: CallContext;
  readonly #pools: OriginPools;
  /** The question of the circuit breaker waits for no call. */
  readonly #questionPools: OriginPools;
  readonly #hedges: HedgeContext | undefined;
  readonly #writeMs: number;

  constructor(options: OriginStoreOptions, protocol: OriginProtocol) {
    this.name = options.name;
    this.identity = options.identity ?? options.name;
    this.#options = options;
    this.#protocol = protocol;
    const { timeouts, minRateBytes, queue, connections, clock, faults, outages } = options;
    const limits = {
      connections,
      queue: queue.size,
      queueWaitMs: queue.waitMs,
      queueTotalMs: Math.max(queue.waitMs, timeouts.firstByteMs),
    };
    const meter = options.meter.backend(options.name);
    const callQueue = new CallQueue(limits, clock, meter.refused);
    options.meter.watch(options.name, callQueue);
    this.#calls = {
      queue: callQueue,
      clock,
      meter,
      limits: {
        headMs: timeouts.connectMs + timeouts.firstByteMs + HEAD_SLACK_MS,
        windowMs: timeouts.idleMs,
        minRateBytes,
      },
      budget: new RetryBudget(connections),
      random: options.random ?? Math.random,
      faults,
      outages,
      breaker: options.breaker,
      send: (request, receiver) => this.#send(request, receiver),
      readHead: (status, raw) => protocol.readHead(status, withoutHopByHop(raw)),
      mayAcceptEarly: protocol.mayAcceptEarly,
      isSigned: protocol.isSigned,
      errorBody: protocol.hasErrorPages
        ? undefined
        : {
            lengthBytes: ERROR_BODY_LIMIT_BYTES,
            // silence for longer than `idle` would fail what has a status already
            durationMs: Math.min(timeouts.firstByteMs, timeouts.idleMs),
          },
    };
    this.#hedges = options.hedge && this.#hedgesBy(options.hedge);
    this.#writeMs = Math.max(timeouts.firstByteMs, WRITE_ANSWER_MS);
    const lookup = options.lookup ?? boundedLookup(LOOKUPS_AT_ONCE, LOOKUPS_WAITING);
    const toOrigin = { timeouts, lookup, tls: options.tls };
    const scheme = new URL(options.endpoint).protocol;
    this.#pools = new OriginPools(scheme, { ...toOrigin, connections }, POOL_LIMIT);
    this.#questionPools = new OriginPools(scheme, { ...toOrigin, connections: 1 }, 1);
    options.breaker?.guard({
      ask: told => this.ask(told),
      opened: () => callQueue.refuseWaiting(),
    });
  }

  /**
   * Queues the request, see `CallQueue`, or refuses it at once, see `Breaker`. Never throws: errors in the request itself are
   * reported to `receiver` later.
   */
  send(request: StoreRequest, receiver: StoreReceiver): StoreCall {
    if (this.#hedges && isHedged(request)) return HedgedCall.send(request, receiver, this.#hedges);
    return this.#enter(request, receiver, this.#calls);
  }

  #enter(request: StoreRequest, receiver: StoreReceiver, calls: CallContext): StoreCall {
    const { queue, breaker } = calls;
    const call = new QueuedCall(request, receiver, calls);
    if (breaker?.isRefusing) call.endedBy('open');
    else queue.enter(call);
    return call;
  }

  /** Asks the question of the circuit breaker, beside all calls. */
  ask(told: ToldOfStore): void {
    const { connectMs, firstByteMs } = this.#options.timeouts;
    const limitMs = Math.min(QUESTION_LIMIT_MS, connectMs + firstByteMs);
    const send: CallContext['send'] = (request, receiver) =>
      this.#sendWith([], request, receiver, this.#questionPools);
    StoreQuestion.ask({ ...this.#calls, send, limitMs }, healthRequest(this.asked), told);
  }

  /** A second request is sent only while connections are free and the store is healthy. */
  #hedgesBy(settings: HedgeSettings): HedgeContext {
    const { clock, meter, queue, breaker, budget } = this.#calls;
    const isHealthy = () => breaker === undefined || breaker.state.kind === 'closed';
    return {
      policy: new HedgePolicy(settings, clock),
      clock,
      enter: (request, receiver, started) => {
        const send: CallContext['send'] = (sent, to) => {
          started();
          return this.#send(sent, to);
        };
        return this.#enter(request, receiver, { ...this.#calls, send });
      },
      mayHedge: () => queue.hasRoom && isHealthy() && budget.take(),
      hedged: outcome => meter.hedged(outcome),
    };
  }

  mayRetry(): boolean {
    return this.#calls.budget.take();
  }

  /** The store is replaced: only calls of requests that began before may follow. */
  retire(): void {
    this.#options.breaker?.stop();
    this.#questionPools.retire();
    this.#pools.retire();
  }

  async close(): Promise<void> {
    this.#options.breaker?.stop();
    await Promise.all([this.#pools.close(), this.#questionPools.close()]);
  }

  /** Sends the request; for a sampled trace, records the span of the call. */
  #send(request: StoreRequest, receiver: OriginReceiver): SentRequest {
    const { trace } = request;
    const { spans, clock } = this.#options;
    if (!trace) return this.#sendWith([], request, receiver);
    if (!spans || !trace.isSampled) return this.#sendWith(traceFields(trace), request, receiver);
    const { method, reason, operation = method === 'HEAD' ? 'HeadObject' : 'GetObject' } = request;
    const { host, path } = this.#protocol.targetOf(request);
    const url = `${new URL(this.#options.endpoint).protocol}//${host}${loggedUrl(path)}`;
    const told = { method, operation, reason, backend: this.name, host, url };
    const call = new TracedCall(receiver, told, trace, { spans, clock });
    return call.follow(this.#sendWith(call.fields, request, call));
  }

  /** @param unsigned fields that the signature does not cover, because proxies may change them */
  #sendWith(
    unsigned: readonly string[],
    request: StoreRequest,
    receiver: OriginReceiver,
    pools = this.#pools,
  ): OriginCall {
    const { host, path, headers, watched } = this.#protocol.compose(request);
    const { method, body, bodyStream } = request;
    const length = bodyStream?.lengthBytes;
    const raw = {
      method,
      path,
      headers: [...headers, ...(length === undefined ? [] : ['content-length', String(length)]), ...unsigned],
      ...(bodyStream && { body: bodyStream.stream }),
      ...(body && { body }),
      ...(hasLargeBody(request) && { closesIfRefused: true }),
      ...(!isSafe(request) && { answerMs: this.#writeMs }),
    };
    const { pool, release } = pools.lease(host);
    return pool.send(raw, watched?.(receiver) ?? receiver, release);
  }
}

function hasLargeBody({ body, bodyStream }: StoreRequest): boolean {
  if (bodyStream) return (bodyStream.lengthBytes ?? Number.POSITIVE_INFINITY) > SMALL_BODY_BYTES;
  return body !== undefined && body.length > SMALL_BODY_BYTES;
}
