import type { IncomingMessage } from 'node:http';
import type { Address } from '../../s3/address.ts';
import type { OperationName } from '../../s3/operation.ts';
import type { Query } from '../../s3/query.ts';
import type { ExchangeObserver } from '../reply/exchange-observer.ts';
import type { Permissions } from '../request/access.ts';
import type { Bucket } from '../request/bucket.ts';
import type { Exchange } from '../request/exchange.ts';
import type { RequestFields } from '../request/request-fields.ts';
import type { PageTurns } from './listing/page-turns.ts';

/** A request other than GetObject and HeadObject, for a configured bucket. */
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
