import type { Clock } from '../../base/clock.ts';
import type { Faults } from '../../base/faults.ts';
import type { SpanSink } from '../../base/spans.ts';
import { withoutHopByHop } from '../../http/hop-by-hop.ts';
import { type HeaderPrefix, pairsOf, rawFromFields } from '../../s3/dialect.ts';
import { loggedUrl } from '../../s3/logged-url.ts';
import { isStreamName } from '../../s3/payload-hash.ts';
import { UNSIGNED_PAYLOAD } from '../../s3/sigv4-canonical.ts';
import { type Credentials, SigningKeys } from '../../s3/sigv4-keys.ts';
import { signRequest } from '../../s3/sigv4-sign.ts';
import { boundedLookup } from '../bounded-lookup.ts';
import type { Breaker } from '../breaker/breaker.ts';
import { QUESTION_LIMIT_MS, StoreQuestion } from '../breaker/store-question.ts';
import type { CallContext, SentRequest } from '../call-context.ts';
import { CallQueue } from '../call-queue.ts';
import type { HeldCredentials } from '../credentials/held-credentials.ts';
import { RefusalWatch } from '../credentials/refusal-watch.ts';
import { healthRequest } from '../health-request.ts';
import { HedgePolicy, type HedgeSettings } from '../hedge/hedge-policy.ts';
import { type HedgeContext, HedgedCall, isHedged } from '../hedge/hedged-call.ts';
import type { OriginCall, OriginReceiver } from '../origin-call.ts';
import { type OriginPoolOptions, OriginPools } from '../origin-pools.ts';
import type { OutageLog } from '../outage-log.ts';
import { QueuedCall } from '../queued-call.ts';
import { RetryBudget } from '../retry-budget.ts';
import type { Store, StoreCall, StoreReceiver, StoreRequest } from '../store.ts';
import type { StoreMeter } from '../store-meter.ts';
import { TracedCall, traceFields } from '../traced-call.ts';
import { type Destination, destinationOf, type StoreAddress } from './destination.ts';
import { readReplyHead } from './reply-head.ts';

/** The credentials that the gateway signs with; none for stores that need no signature. */
export type StoreCredentials =
  | { readonly kind: 'none' }
  | { readonly kind: 'held'; readonly held: HeldCredentials }
  | {
      readonly kind: 'static';
      readonly accessKeyId: string;
      readonly secretAccessKey: string;
      readonly sessionToken?: string | undefined;
    };

export interface S3StoreOptions extends OriginPoolOptions {
  readonly name: string;
  /** See `Store.identity`; the name when left out. */
  readonly identity?: string;
  /** Origin of the store, such as `https://s3.eu-west-1.amazonaws.com`. */
  readonly endpoint: string;
  readonly region: string;
  /** Whether buckets are named in the path or in the host. */
  readonly addressing: 'path' | 'virtual';
  readonly headerPrefix: HeaderPrefix;
  readonly credentials: StoreCredentials;
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

/**
 * The least time for an answer to a write: a store may have to move the whole object before it can answer, and a write
 * that is given up may happen all the same.
 */
const WRITE_ANSWER_MS = 60_000;

const changing: ReadonlySet<string> = new Set(['PUT', 'POST', 'DELETE']);

/** Makes this timeout later than those of the connection pools; it covers what they do not detect. */
const HEAD_SLACK_MS = 1_000;

/** A store that speaks the S3 protocol over HTTP, in either header dialect. */
export class S3Store implements Store {
  readonly name: string;
  readonly identity: string;
  readonly headerPrefix: HeaderPrefix;
  /** The bucket that the circuit breaker asks for, see `healthRequest`. */
  askedBucket: string | undefined;
  readonly #options: S3StoreOptions;
  readonly #address: StoreAddress;
  readonly #keys = new SigningKeys();
  readonly #calls: CallContext;
  readonly #pools: OriginPools;
  /** The question of the circuit breaker waits for no call. */
  readonly #questionPools: OriginPools;
  readonly #hedges: HedgeContext | undefined;
  readonly #writeMs: number;

  constructor(options: S3StoreOptions) {
    this.name = options.name;
    this.identity = options.identity ?? options.name;
    this.headerPrefix = options.headerPrefix;
    this.#options = options;
    const { protocol, host } = new URL(options.endpoint);
    this.#address = { host, region: options.region, addressing: options.addressing };
    const { timeouts, minRateBytes, queue, connections, clock, headerPrefix, faults, outages } = options;
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
      readHead: (status, raw) => readReplyHead(status, withoutHopByHop(raw), headerPrefix),
    };
    this.#hedges = options.hedge && this.#hedgesBy(options.hedge);
    this.#writeMs = Math.max(timeouts.firstByteMs, WRITE_ANSWER_MS);
    const lookup = options.lookup ?? boundedLookup(LOOKUPS_AT_ONCE, LOOKUPS_WAITING);
    const toOrigin = { timeouts, lookup, tls: options.tls };
    this.#pools = new OriginPools(protocol, { ...toOrigin, connections }, POOL_LIMIT);
    this.#questionPools = new OriginPools(protocol, { ...toOrigin, connections: 1 }, 1);
    options.breaker?.guard({
      ask: told => this.#ask(told),
      opened: () => callQueue.refuseWaiting(),
    });
  }

  /**
   * Queues the request, see `CallQueue`, or refuses it at once, see `Breaker`. Never throws: errors in the request itself are reported to `receiver` later.
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

  #ask(told: (isAlive: boolean) => void): void {
    const { connectMs, firstByteMs } = this.#options.timeouts;
    const limitMs = Math.min(QUESTION_LIMIT_MS, connectMs + firstByteMs);
    const send: CallContext['send'] = (request, receiver) =>
      this.#sendWith([], request, receiver, this.#questionPools);
    StoreQuestion.ask({ ...this.#calls, send, limitMs }, healthRequest(this.askedBucket), told);
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
    const { host, rawPath } = destinationOf(this.#address, request.bucket, request.key);
    const target = request.query ? `${rawPath}?${request.query}` : rawPath;
    const url = `${new URL(this.#options.endpoint).protocol}//${host}${loggedUrl(target)}`;
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
    const credentials = this.#credentials();
    const destination = destinationOf(this.#address, request.bucket, request.key);
    const { host, rawPath } = destination;
    const headers = ['host', host, ...rawFromFields(request.fields, this.headerPrefix)];
    const { method, query, body, bodyStream } = request;
    const length = bodyStream ? ['content-length', String(bodyStream.lengthBytes)] : [];
    const raw = {
      method,
      path: query ? `${rawPath}?${query}` : rawPath,
      headers: [
        ...headers,
        ...this.#signature(request, destination, headers, credentials),
        ...length,
        ...unsigned,
      ],
      ...(bodyStream && { body: bodyStream.stream }),
      ...(body && { body }),
      ...(changing.has(method) && { answerMs: this.#writeMs }),
    };
    const { pool, release } = pools.lease(host);
    return pool.send(raw, this.#watched(receiver, method, credentials), release);
  }

  /** @throws StoreError when there are none that are valid */
  #credentials(): Credentials | undefined {
    const { credentials, clock } = this.#options;
    if (credentials.kind === 'held') return credentials.held.at(clock.nowMs());
    return credentials.kind === 'none' ? undefined : credentials;
  }

  /** Answers that refuse credentials which can be refreshed are reported. */
  #watched(receiver: OriginReceiver, method: string, signedWith: Credentials | undefined): OriginReceiver {
    const { credentials, clock } = this.#options;
    if (credentials.kind !== 'held' || signedWith === undefined) return receiver;
    const { accessKeyId } = signedWith;
    return new RefusalWatch(receiver, method, () =>
      credentials.held.refused(accessKeyId, clock.monotonicMs()),
    );
  }

  #signature(
    request: StoreRequest,
    { host, rawPath, region, service }: Destination,
    headers: readonly string[],
    credentials: Credentials | undefined,
  ): string[] {
    const { headerPrefix, clock } = this.#options;
    const { payloadHash = UNSIGNED_PAYLOAD } = request.bodyStream ?? {};
    // the name of a stream also tells how the body is coded
    if (credentials === undefined)
      return isStreamName(payloadHash) ? [`${headerPrefix}content-sha256`, payloadHash] : [];
    const toSign = {
      method: request.method,
      host,
      rawPath,
      rawQuery: request.query,
      headers: pairsOf(headers.slice(2)),
      payloadHash,
    };
    const context = { credentials, region, service, headerPrefix, nowMs: clock.nowMs(), keys: this.#keys };
    return signRequest(toSign, context).flat();
  }
}
