import type { OpenWrites } from '../../cache/open-writes.ts';
import type { OperationName } from '../../s3/operation.ts';
import type { Query } from '../../s3/query.ts';
import type { ExchangeObserver } from '../reply/exchange-observer.ts';
import type { Permissions, Policy } from '../request/access.ts';
import type { AuthenticateForm } from '../request/authenticator.ts';
import type { BucketTable } from '../request/bucket-table.ts';
import type { Located } from '../request/locate.ts';
import type { Listings } from './listing/listings.ts';

/** A request other than GetObject and HeadObject, for a configured bucket. */
export interface OtherOperation extends Located {
  readonly query: Query;
  readonly operation: OperationName;
  readonly permissions: Permissions;
  /** For what a request reads elsewhere. */
  readonly policy: Policy;
  readonly buckets: BucketTable;
  readonly observer: ExchangeObserver;
  readonly listings: Listings;
  readonly writes: OpenWrites;
  readonly authenticateForm: AuthenticateForm;
  /** When the request arrived. */
  readonly nowMs: number;
}
