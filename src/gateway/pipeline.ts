import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../base/clock.ts';
import { parseAddress } from '../s3/address.ts';
import { s3Error } from '../s3/error.ts';
import { detectOperation } from '../s3/operation.ts';
import { type Caller, Permissions, type Policy } from './access.ts';
import type { BucketTable } from './bucket-table.ts';
import { clientRead } from './client-read.ts';
import { Exchange } from './exchange.ts';
import type { ExchangeObserver } from './exchange-observer.ts';
import type { ObjectSource } from './object-source.ts';
import { asS3Error, replyError } from './reply/error-reply.ts';
import { RequestFields } from './request-fields.ts';
import type { RequestIdSource } from './request-ids.ts';
import { serveObject } from './serve-object.ts';

/** What the pipeline is made of. */
export interface PipelineParts {
  /** Domain of virtual-hosted addresses; without one there are only paths. */
  readonly domain: string | undefined;
  readonly buckets: BucketTable;
  /** Who sent the request, as far as its signature shows. @throws S3Error for one that does not hold. */
  readonly authenticate: (request: IncomingMessage) => Caller;
  readonly policy: Policy;
  /** Where an object is found, by the hash of its key. */
  readonly sourceOf: (keyHash: number) => ObjectSource;
  readonly observer: ExchangeObserver;
  readonly ids: RequestIdSource;
  readonly clock: Clock;
}

/** The way of every request: address → authenticate → operation → serve. */
export class Pipeline {
  readonly #parts: PipelineParts;

  constructor(parts: PipelineParts) {
    this.#parts = parts;
  }

  /** Answers one request. Whatever goes wrong on the way becomes one error answer. */
  readonly handle = (request: IncomingMessage, response: ServerResponse): void => {
    const { observer, ids } = this.#parts;
    const { method = 'GET', url = '/' } = request;
    const exchange = new Exchange(response, method, url, observer.nowMs(), ids.nextRequestId(), ids.id2, 'x-store-');
    observer.began();
    try {
      this.#route(request, exchange);
    } catch (error) {
      replyError(exchange, asS3Error(error));
      observer.sent(exchange);
    }
  };

  #route(request: IncomingMessage, exchange: Exchange): void {
    const { domain, buckets, authenticate, policy } = this.#parts;
    const fields = new RequestFields(request.rawHeaders);
    if (fields.prefix) exchange.prefix = fields.prefix;
    const address = parseAddress(exchange.url, fields.host, domain);
    const bucket = address.kind === 'service' ? undefined : buckets.find(address.bucket);
    exchange.bucket = bucket?.label ?? '_other';
    exchange.prefix = fields.prefix ?? bucket?.headerPrefix ?? 'x-store-';
    const caller = authenticate(request);
    const operation = detectOperation(exchange.method, address);
    exchange.operation = operation;
    if (address.kind === 'service' || !bucket) throw s3Error('AccessDenied');
    const permissions = new Permissions(policy, caller, bucket.name, address.kind === 'object' ? address.key : '');
    if (address.kind === 'object' && (operation === 'GetObject' || operation === 'HeadObject')) {
      const client = clientRead(exchange, fields, bucket, address.key, permissions, this.#parts.clock.nowMs());
      serveObject(client, this.#parts.sourceOf(client.read.objectKey.hash), this.#parts.observer);
      return;
    }
    throw s3Error('MethodNotAllowed');
  }
}
