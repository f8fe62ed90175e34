import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../base/clock.ts';
import type { Faults } from '../base/faults.ts';
import { WallClockSteps } from '../base/wall-clock-steps.ts';
import type { OpenWrites } from '../cache/open-writes.ts';
import { isGetOrHead } from '../http/get-or-head.ts';
import { DateHeader } from '../http/http-date.ts';
import { traceOf } from '../http/trace-context.ts';
import { s3Error } from '../s3/error.ts';
import { detectOperation, isObjectRead } from '../s3/operation.ts';
import { parseQuery } from '../s3/query.ts';
import { RequestFields } from '../s3/request-fields.ts';
import type { RequestIdSource } from '../s3/request-ids.ts';
import { checkExpectation, checkFraming, checkHost } from '../s3/well-formed.ts';
import type { Listings } from './pass/listing/listings.ts';
import { passOperation } from './pass/pass-operation.ts';
import { serveService } from './pass/serve-service.ts';
import type { ObjectSources } from './read/object-source.ts';
import { serveSealed } from './read/pass-read.ts';
import { ObjectServer } from './read/serve-object.ts';
import { redirect } from './read/website.ts';
import { errorHandling } from './reply/error-handling.ts';
import type { ExchangeObserver } from './reply/exchange-observer.ts';
import { Permissions } from './request/access.ts';
import type { Admission, RequestLimits } from './request/admission.ts';
import { type ClientRead, clientRead } from './request/client-read.ts';
import type { ServiceConfiguration } from './request/configurations.ts';
import { type ErrorHandling, Exchange } from './request/exchange.ts';
import { type Located, locate, requireObject } from './request/locate.ts';
import { type PageRequest, pageRead, pageRequest } from './request/page.ts';
import { PlainReads } from './request/plain-reads.ts';
import type { WebReads } from './web/web-reads.ts';
import { WebServer, type WebSources } from './web/web-server.ts';
import { webAddressOf } from './web/web-target.ts';

/** The dependencies of the pipeline. */
interface PipelineParts extends ServiceConfiguration {
  readonly admission: Admission;
  readonly sources: ObjectSources;
  readonly webSources: WebSources;
  /** This worker's own. */
  readonly webReads: WebReads;
  readonly observer: ExchangeObserver;
  readonly listings: Listings;
  readonly writes: OpenWrites;
  readonly ids: RequestIdSource;
  readonly clock: Clock;
  /** Called when the clock was set back: how old something cached is cannot be told any more. */
  readonly onClockSetBack: () => void;
  readonly faults: Faults;
  /** Which new traces are recorded; undefined: the gateway records no spans. */
  readonly sampleTraces: ((traceId: string) => boolean) | undefined;
}

/** The path of every request: address → authenticate → operation → serve. */
export class Pipeline {
  #parts: PipelineParts;
  #plainReads = new PlainReads();
  readonly #clockSteps = new WallClockSteps();
  readonly #dates: DateHeader;
  readonly #objects: ObjectServer;
  readonly #web: WebServer;
  readonly #errors: ErrorHandling;
  readonly #sample: PipelineParts['sampleTraces'];

  constructor(parts: PipelineParts) {
    this.#parts = parts;
    this.#sample = parts.sampleTraces;
    this.#dates = new DateHeader(() => parts.clock.nowMs());
    this.#objects = new ObjectServer(parts.observer, parts.sources);
    this.#web = new WebServer(parts.observer, parts.webSources, parts.webReads);
    this.#errors = errorHandling(parts.observer, parts.faults);
  }

  /** Serves new requests with `configuration`; those that have begun go on with theirs. */
  use(configuration: ServiceConfiguration): void {
    this.#parts = { ...this.#parts, ...configuration };
    this.#plainReads = new PlainReads();
  }

  /** Whether the body of a request that stores know none of is for a web origin. */
  passesBody({ method = 'GET', url = '/', headers }: IncomingMessage): boolean {
    const { buckets, domain } = this.#parts;
    if (!buckets.hasWeb || isGetOrHead(method) || method === 'TRACE') return false;
    return webAddressOf(url, headers.host, domain, buckets) !== undefined;
  }

  /** Answers one request; any error becomes an error response. Never throws. */
  readonly handle = (request: IncomingMessage, response: ServerResponse): void => {
    try {
      this.#answer(request, response);
    } catch (error) {
      this.#parts.faults.note(error);
      response.destroy();
    }
  };

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const { observer, sources, clock, limits } = this.#parts;
    const nowMs = clock.nowMs();
    const exchange = this.#begin(request, response);
    if (this.#clockSteps.hasSteppedBack(nowMs, exchange.startedMs)) this.#parts.onClockSetBack();
    observer.began();
    try {
      if (exchange.url.length > limits.urlBytes) throw uriTooLong(limits);
      const fields = new RequestFields(request.rawHeaders);
      if (fields.traceparent !== undefined || this.#sample)
        exchange.trace = traceOf(fields.traceparent, fields.tracestate, this.#sample);
      if (fields.hasBody) {
        checkExpectation(request, response);
        checkFraming(request, response);
      }
      // without this, node:http would read the empty body in several turns of the event loop
      else request.read(0);
      const plain = this.#plainReads.find(exchange, fields, nowMs);
      if (plain) this.#objects.serve(plain, sources.sourceOf(plain.read.objectKey.hash));
      else this.#serve(request, exchange, fields, nowMs);
    } catch (error) {
      exchange.refuse(error);
    }
  }

  #begin({ method = 'GET', url = '/' }: IncomingMessage, response: ServerResponse): Exchange {
    const { ids, clock } = this.#parts;
    const requestId = ids.nextRequestId();
    const startedMs = clock.monotonicMs();
    return new Exchange(response, method, url, startedMs, requestId, ids.id2, this.#dates, this.#errors);
  }

  #serve(request: IncomingMessage, exchange: Exchange, fields: RequestFields, nowMs: number): void {
    const { policy, observer, listings, writes, buckets, authenticateForm } = this.#parts;
    checkHost(request, fields);
    if (this.#parts.buckets.hasWeb) {
      const address = webAddressOf(exchange.url, fields.host, this.#parts.domain, this.#parts.buckets);
      if (address) {
        this.#web.serve(exchange, request, fields, address, nowMs);
        return;
      }
    }
    const located = locate(request, exchange, fields, this.#parts);
    this.#parts.admission.admitConnection(exchange);
    if (!located.bucket) {
      serveService({ ...located, buckets, policy, observer, listings });
      return;
    }
    const { address, bucket, caller } = located;
    const query = parseQuery(address.query);
    const copySource = fields.store?.get('copy-source');
    const page = pageRequest(located, query);
    if (page) {
      this.#servePage({ ...located, bucket }, page, nowMs);
      return;
    }
    const { contentType } = fields;
    const operation = detectOperation(exchange.method, address, query, { contentType, copySource });
    exchange.operation = operation;
    const permissions = new Permissions(policy, caller, bucket.name);
    if (address.kind === 'object' && isObjectRead(operation))
      this.#read(clientRead(located, address.key, query, permissions, nowMs));
    else {
      const parts = { policy, buckets, observer, listings, writes, authenticateForm };
      passOperation({ ...located, ...parts, query, operation, permissions, nowMs });
    }
  }

  #servePage(located: Located, page: PageRequest, nowMs: number): void {
    const { exchange, bucket, caller } = located;
    const { policy, observer } = this.#parts;
    exchange.operation = exchange.isHead ? 'HeadObject' : 'GetObject';
    if (page.kind === 'redirect') {
      redirect(exchange, page.location, observer);
      return;
    }
    const permissions = new Permissions(policy, caller, bucket.name);
    requireObject(bucket, page.key);
    exchange.ruleBy(bucket.rulesFor(page.key).answers, located.fields.origin);
    const client = clientRead(located, page.key, [], permissions, nowMs);
    this.#read(pageRead(client, { rules: page.rules, permissions, folderIndex: page.folderIndex }));
  }

  #read(client: ClientRead): void {
    const source = this.#parts.sources.sourceOf(client.read.objectKey.hash);
    if (!client.isAllowed) this.#objects.refuse(client, source);
    else if (client.customerKey) serveSealed(client, client.customerKey, this.#parts.observer);
    else {
      this.#plainReads.remember(client);
      this.#objects.serve(client, source);
    }
  }
}

function uriTooLong({ urlBytes }: RequestLimits) {
  return s3Error('URITooLong', { fields: [['MaxSizeAllowed', String(urlBytes)]] });
}
