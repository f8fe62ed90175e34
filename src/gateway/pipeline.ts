import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../base/clock.ts';
import type { Faults } from '../base/faults.ts';
import { DateHeader } from '../http/date-header.ts';
import { parseAccessPointArn } from '../s3/access-point.ts';
import { type Address, parseAddress } from '../s3/address.ts';
import { isAdministrationKey, isBucketName } from '../s3/bucket-name.ts';
import { detectDialect } from '../s3/dialect.ts';
import { s3Error } from '../s3/error.ts';
import { detectOperation, isObjectRead } from '../s3/operation.ts';
import { requirePlain } from '../s3/path-key.ts';
import { parseQuery } from '../s3/query.ts';
import { readParameters } from '../s3/read-parameters.ts';
import { requireId } from '../s3/store-id.ts';
import type { PageTurns } from './pass/listing/page-turns.ts';
import { passOperation } from './pass/pass-operation.ts';
import type { ObjectSources } from './read/object-source.ts';
import { serveSealed } from './read/pass-read.ts';
import { refuseRead } from './read/refuse-read.ts';
import { ObjectServer } from './read/serve-object.ts';
import { errorHandling } from './reply/error-handling.ts';
import type { ExchangeObserver } from './reply/exchange-observer.ts';
import { type Caller, Permissions, type Policy } from './request/access.ts';
import type { RequestLimits } from './request/admission.ts';
import type { Authenticate } from './request/authenticator.ts';
import type { Bucket } from './request/bucket.ts';
import type { BucketTable } from './request/bucket-table.ts';
import { checkFraming } from './request/check-framing.ts';
import { clientRead } from './request/client-read.ts';
import { takesCustomerKeys } from './request/customer-keys.ts';
import { type ErrorHandling, Exchange } from './request/exchange.ts';
import { PlainReads } from './request/plain-reads.ts';
import { RequestFields } from './request/request-fields.ts';
import type { RequestIdSource } from './request/request-ids.ts';

/** The dependencies of the pipeline. */
export interface PipelineParts {
  /** Domain for virtual-hosted addressing; without it only path addressing is possible. */
  readonly domain: string | undefined;
  readonly buckets: BucketTable;
  readonly authenticate: Authenticate;
  readonly policy: Policy;
  readonly sources: ObjectSources;
  readonly observer: ExchangeObserver;
  readonly pageTurns: PageTurns;
  readonly ids: RequestIdSource;
  readonly clock: Clock;
  readonly limits: RequestLimits;
  readonly faults: Faults;
}

/** RFC 9112 §3.2. */
const hostMissing = { message: 'The request has no Host header.' };
const hostInvalid = { message: 'The Host header of the request is not the name of one host.' };

/**
 * RFC 9110 §7.2 without the comma, which host names do not contain: repeated Host lines are combined with commas, and
 * then refused.
 */
const validHost = /^(?:\[[\da-f:.]+\]|[\w\-.~%!$&'()*+;=]*)(?::\d*)?$/i;

/** A request for a configured bucket. */
interface Located {
  readonly request: IncomingMessage;
  readonly exchange: Exchange;
  readonly fields: RequestFields;
  readonly address: Exclude<Address, { kind: 'service' }>;
  readonly bucket: Bucket;
  readonly caller: Caller;
}

/** The path of every request: address → authenticate → operation → serve. */
export class Pipeline {
  readonly #parts: PipelineParts;
  readonly #plainReads = new PlainReads();
  readonly #dateHeader = new DateHeader();
  readonly #objects: ObjectServer;
  readonly #errors: ErrorHandling;

  constructor(parts: PipelineParts) {
    this.#parts = parts;
    this.#objects = new ObjectServer(parts.observer);
    this.#errors = errorHandling(parts.observer, parts.faults);
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
    const { observer, ids, sources, clock, limits } = this.#parts;
    const { method = 'GET', url = '/' } = request;
    const nowMs = clock.nowMs();
    const date = this.#dateHeader.at(nowMs);
    const exchange = new Exchange(
      response,
      method,
      url,
      clock.monotonicMs(),
      ids.nextRequestId(),
      ids.id2,
      date,
      this.#errors,
    );
    observer.began();
    try {
      if (url.length > limits.urlBytes) throw uriTooLong(limits);
      const fields = new RequestFields(request.rawHeaders);
      if (fields.hasBody) checkFraming(request, response);
      // without this, node:http would read the empty body in several turns of the event loop
      else request.read(0);
      const plain = this.#plainReads.find(exchange, fields, nowMs);
      if (plain) this.#objects.serve(plain, sources.sourceOf(plain.read.objectKey.hash));
      else this.#serve(this.#locate(request, exchange, fields));
    } catch (error) {
      exchange.refuse(error);
    }
  }

  #locate(request: IncomingMessage, exchange: Exchange, fields: RequestFields): Located {
    const { domain, buckets, authenticate } = this.#parts;
    checkHost(request, fields);
    const spoken = dialectOf(request, fields);
    exchange.speak(spoken);
    const address = parseAddress(exchange.url, fields.host, domain);
    const bucket = address.kind === 'service' ? undefined : buckets.find(address.bucket);
    exchange.bucket = bucket?.label ?? '_other';
    exchange.speak(spoken ?? bucket?.headerPrefix);
    const caller = authenticate(request, bucket?.region);
    if (caller.kind === 'client') exchange.caller = caller.accessKeyId;
    if (address.kind === 'service') throw s3Error('AccessDenied');
    if (!bucket) throw unknownBucket(address.bucket);
    return { request, exchange, fields, address, bucket, caller };
  }

  #serve({ request, exchange, fields, address, bucket, caller }: Located): void {
    const { policy, sources, observer, pageTurns, clock } = this.#parts;
    if (address.kind === 'object') requireObject(bucket, address.key);
    const query = parseQuery(address.query);
    const copySource = fields.store?.get('copy-source');
    const operation = detectOperation(exchange.method, address, query, {
      contentType: fields.contentType,
      copySource,
    });
    exchange.operation = operation;
    const permissions = new Permissions(policy, caller, bucket.name);
    if (address.kind === 'bucket' || !isObjectRead(operation)) {
      const asked = { request, exchange, fields, address, query, operation, bucket, permissions };
      passOperation({ ...asked, observer, pageTurns });
      return;
    }
    const parameters = readParameters({
      query,
      storeFields: fields.store,
      range: fields.range,
      isSigned: caller.kind === 'client',
      takesCustomerKeys: fields.store !== undefined && takesCustomerKeys(bucket, request.socket),
    });
    if (parameters.versionId !== undefined) requireId(bucket.keys, parameters.versionId, 'versionId');
    exchange.key = address.key;
    exchange.versionId = parameters.versionId;
    const client = clientRead(exchange, fields, parameters, bucket, address.key, permissions, clock.nowMs());
    const source = sources.sourceOf(client.read.objectKey.hash);
    if (!permissions.allowsRead(address.key, parameters.versionId)) {
      refuseRead(client, source, this.#objects);
      return;
    }
    this.#plainReads.remember(client);
    if (parameters.customerKey) serveSealed(client, parameters.customerKey, observer);
    else this.#objects.serve(client, source);
  }
}

/** Refuses keys that are not an object at the store, or may be a different one. */
function requireObject(bucket: Bucket, key: string): void {
  requirePlain(bucket, key, 'Key');
  if (bucket.meetsAdministration && isAdministrationKey(bucket.keyPrefix + key))
    throw s3Error('AccessDenied');
}

function uriTooLong({ urlBytes }: RequestLimits) {
  return s3Error('URITooLong', { fields: [['MaxSizeAllowed', String(urlBytes)]] });
}

/**
 * RFC 9112 §3.2: only HTTP/1.0 requests may lack Host, and none may have several, even with an absolute request target.
 */
function checkHost({ httpVersion }: IncomingMessage, { host }: RequestFields): void {
  if (host === undefined && httpVersion !== '1.0') throw s3Error('InvalidRequest', hostMissing);
  if (host !== undefined && !validHost.test(host)) throw s3Error('InvalidRequest', hostInvalid);
}

/** The error is the same whether or not the store has a bucket of this name. */
function unknownBucket(name: string) {
  const isName = isBucketName(name) || parseAccessPointArn(name) !== undefined;
  return s3Error(isName ? 'NoSuchBucket' : 'InvalidBucketName', { fields: [['BucketName', name]] });
}

/** The dialect that a request shows. Most show none; the first check is their fast path. */
function dialectOf({ rawHeaders, url = '/' }: IncomingMessage, { prefix, authorization }: RequestFields) {
  const mark = url.indexOf('?');
  if (mark < 0 && prefix === undefined && authorization === undefined) return undefined;
  return detectDialect(rawHeaders, mark < 0 ? '' : url.slice(mark + 1));
}
