import type { IncomingMessage } from 'node:http';
import type { Address } from '../s3/address.ts';
import type { OperationName } from '../s3/operation.ts';
import type { Query } from '../s3/query.ts';
import type { Permissions } from './access.ts';
import type { Bucket } from './bucket.ts';
import type { Exchange } from './exchange.ts';
import type { ExchangeObserver } from './exchange-observer.ts';
import type { PageTurns } from './listing/page-turns.ts';
import type { RequestFields } from './request-fields.ts';

/** A request for anything but a GetObject or HeadObject, in a bucket of ours. */
export interface OtherOperation {
  readonly request: IncomingMessage;
  readonly exchange: Exchange;
  readonly fields: RequestFields;
  readonly address: Exclude<Address, { kind: 'service' }>;
  readonly query: Query;
  readonly operation: OperationName;
  readonly bucket: Bucket;
  readonly permissions: Permissions;
  readonly observer: ExchangeObserver;
  readonly pageTurns: PageTurns;
}
