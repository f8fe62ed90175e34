import type { IncomingMessage, ServerResponse } from 'node:http';
import type { StoreMeter } from '../backend/store-meter.ts';
import type { Clock } from '../base/clock.ts';
import { Faults, guardedClock } from '../base/faults.ts';
import type { Logger } from '../base/logger.ts';
import type { Metrics } from '../base/metrics.ts';
import type { Tracing } from '../base/spans.ts';
import { OpenWrites } from '../cache/open-writes.ts';
import type { SharedMemory } from '../cache/shared-memory.ts';
import type { UnwrittenBytesError } from '../cache/written-bytes.ts';
import type { UnreadableAnswer, UnreadableRequest } from '../http/unreadable-request.ts';
import { answerUnreadable } from '../s3/answer-unreadable.ts';
import { RequestIdSource } from '../s3/request-ids.ts';
import type { TakesBody } from '../transport/request-bodies.ts';
import { cacheErrors, countCache } from './operate/cache-metrics.ts';
import { describeObject, type ObjectDescription } from './operate/describe-object.ts';
import { type KeyPage, type KeysBelow, keysBelow } from './operate/keys-below.ts';
import { type ChangedObject, objectsToWarm } from './operate/objects-to-warm.ts';
import { type Purged, type PurgeOrder, purge } from './operate/purge.ts';
import { type RestoreOutcome, type RestoreRequest, requestRestore } from './operate/restore-object.ts';
import { invalidateChanged, type ToldChanges } from './operate/store-changes.ts';
import { Warming } from './operate/warming.ts';
import { Listings } from './pass/listing/listings.ts';
import { Pipeline } from './pipeline.ts';
import type { AccessLog } from './reply/access-log.ts';
import { BodyRates } from './reply/body-rates.ts';
import { type ArchivedRead, ExchangeObserver } from './reply/exchange-observer.ts';
import { PendingSends } from './reply/pending-sends.ts';
import { Admission } from './request/admission.ts';
import { Configurations, type ServiceConfiguration } from './request/configurations.ts';
import type { NearBytes } from './workers/near-shares.ts';
import type { PeerPort } from './workers/peer-link.ts';
import { Peers } from './workers/peers.ts';
import { WorkerCache } from './workers/worker-cache.ts';

interface GatewayOptions extends ServiceConfiguration {
  /** The shared memory, and the index of this worker. */
  readonly memory: SharedMemory;
  readonly worker: number;
  /** Heap limit for records of what this worker owns, in bytes. */
  readonly recordBytes: number;
  /** The same for records of what all others own. */
  readonly nearBytes: NearBytes;
  readonly metrics: Metrics;
  readonly meter: StoreMeter;
  /** Receives one line per request; undefined: no access log. */
  readonly accessLog: AccessLog | undefined;
  /** Where the spans of requests go, and which new traces are recorded; undefined: none. */
  readonly tracing?: Tracing | undefined;
  /** Receives warnings about requests. */
  readonly logger?: Logger;
  /** Called for each read refused because the object is archived. */
  readonly onArchivedRead: (read: ArchivedRead) => void;
  /** Where blocks are checked: called for each read of bytes that are marked as held but were never written. */
  readonly onUnwritten: (error: UnwrittenBytesError) => void;
  readonly clock: Clock;
  /** A number in [0, 1). */
  readonly random: () => number;
  /** Receives unexpected exceptions; by default they are only counted. */
  readonly faults?: Faults;
}

/** The gateway of one worker: answers requests and executes operators' commands on its part of the cache. */
export class Gateway {
  /** Answers one request. Never throws. */
  readonly handle: (request: IncomingMessage, response: ServerResponse) => void;
  /**
   * Which requests may have bodies that the gateway reads. This is asked with the head alone, when the operation is not
   * known: the body of a request that is refused then stays unread.
   */
  readonly takesBody: TakesBody = request =>
    request.method === 'PUT' || request.method === 'POST' || this.#pipeline.passesBody(request);
  readonly #configurations: Configurations;
  readonly #objects: WorkerCache;
  readonly #peers: Peers;
  readonly #listings: Listings;
  readonly #writes: OpenWrites;
  readonly #ids = new RequestIdSource();
  readonly #admission: Admission;
  readonly #rates: BodyRates;
  readonly #observer: ExchangeObserver;
  readonly #pipeline: Pipeline;
  /** Fetches objects before somebody asks for them. */
  readonly warming: Warming;

  constructor(options: GatewayOptions) {
    const { memory, metrics, meter, nearBytes } = options;
    const faults = options.faults ?? new Faults(metrics, undefined);
    const retried = (backend: string, reason: string) => meter.retried(backend, reason);
    this.#configurations = new Configurations(options);
    this.#admission = new Admission(options.limits);
    const waiting = metrics
      .gauge(
        'tidegate_requests_waiting',
        'Requests that wait for stores, of `limits.requests` in each worker.',
        [],
      )
      .cell();
    metrics.onSnapshot(() => waiting.set(this.#admission.waiting.requests));
    const { workers } = memory.layout;
    const clock = guardedClock(options.clock, faults);
    const errors = cacheErrors(metrics);
    this.#objects = new WorkerCache({
      ...options,
      faults,
      clock,
      retried,
      bucketNow: (bucket, objectKey) => this.#configurations.bucketNow(bucket, objectKey),
      onUnwritten: error => {
        errors.cell('memory', 'unwritten').add();
        options.onUnwritten(error);
      },
    });
    this.#peers = new Peers(this.#objects, this.#configurations, workers, nearBytes, faults);
    countCache(metrics, this.#objects, this.#peers);
    this.#rates = new BodyRates(options.limits, clock);
    const sends = new PendingSends(clock, this.#objects.tier.pins);
    this.#observer = new ExchangeObserver({
      ...options,
      admission: this.#admission,
      sends,
      rates: this.#rates,
      spans: options.tracing?.spans,
    });
    this.#writes = new OpenWrites(this.#objects.epochs, this.#objects.unsettled, memory, options.worker);
    this.#listings = new Listings(clock);
    this.#pipeline = new Pipeline({
      ...options,
      admission: this.#admission,
      sources: this.#peers,
      webSources: this.#peers,
      webReads: this.#objects.web,
      observer: this.#observer,
      ids: this.#ids,
      listings: this.#listings,
      writes: this.#writes,
      onClockSetBack: () => {
        this.#objects.epochs.raiseEvery();
        options.logger?.warn('the system clock was set back: what is cached is asked for anew');
      },
      faults,
      sampleTraces: options.tracing?.sample,
    });
    this.handle = this.#pipeline.handle;
    this.warming = new Warming(() => ({
      ...{ sources: this.#peers, webSources: this.#peers, clock },
      buckets: this.#configurations.current.buckets,
      isBusy: () => this.#admission.waiting.requests > 0,
    }));
  }

  /** Makes `next` known to the other workers' requests; those of clients are served with it after `apply`. */
  prepare(next: ServiceConfiguration): void {
    this.#configurations.prepare(next);
  }

  /**
   * Serves new requests with the configuration that was prepared last. Running ones go on with theirs.
   *
   * @param accessLog as in the options
   */
  apply(accessLog: AccessLog | undefined): void {
    this.#writes.moved(this.#configurations.apply());
    const { current } = this.#configurations;
    this.#admission.limit(current.limits);
    this.#rates.limit(current.limits);
    this.#observer.access = accessLog;
    this.#pipeline.use(current);
  }

  /** Requests waiting for stores, and their distinct clients. */
  get waiting(): { readonly requests: number; readonly clients: number } {
    return this.#admission.waiting;
  }

  /** The raw response to a malformed request. */
  answerUnreadable(why: UnreadableRequest, nowMs: number): UnreadableAnswer {
    return answerUnreadable(why, nowMs, { requestId: this.#ids.nextRequestId(), id2: this.#ids.id2 });
  }

  /** Connects to worker `index` over `port`. */
  connect(index: number, port: PeerPort): void {
    this.#peers.connect(index, port);
  }

  /** Purges objects in all workers; counts those that this one holds. */
  purge(order: PurgeOrder): Purged {
    return purge(order, this.#objects, this.#configurations.current.buckets);
  }

  /** Invalidates what a store says has changed, in all workers; returns how many of the changes are in known buckets. */
  invalidate(changes: ToldChanges): number {
    return invalidateChanged(changes, this.#objects.epochs, this.#configurations.current.buckets);
  }

  /** Which of the changed objects are to be read again, see `objectsToWarm`. */
  objectsToWarm(changes: ToldChanges): readonly ChangedObject[] {
    return objectsToWarm(changes, this.#configurations.current.buckets);
  }

  /** Asks the store which keys there are, see `keysBelow`. */
  keysBelow(asked: KeysBelow): Promise<KeyPage> {
    return keysBelow(asked, this.#configurations.current.buckets, this.#listings.pages);
  }

  /** Asks the store to restore an archived object. Never rejects. */
  restore(request: RestoreRequest): Promise<RestoreOutcome> {
    return requestRestore(request, this.#configurations.current.buckets, this.#writes);
  }

  /** What this worker holds of an object; undefined if another worker owns it or nothing is held. */
  describe(bucket: string, key: string): ObjectDescription | undefined {
    return describeObject(bucket, key, this.#objects, this.#configurations.current.buckets);
  }
}
