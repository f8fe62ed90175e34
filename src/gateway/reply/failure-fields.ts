import { StoreError } from '../../backend/store.ts';
import { S3Error } from '../../s3/error.ts';
import { OwnSignatureError } from '../../s3/store-refusal.ts';
import type { Exchange } from '../request/exchange.ts';

/** What a client sent may be part of the log; a line stays short nevertheless. */
const LOGGED_FAILURE_LENGTH = 512;

/** Log fields of a request that failed or was refused. */
interface FailureFields {
  readonly failure: string | undefined;
  /** Why it was refused, if the error's text does not say so. A refused signature has a log line of its own. */
  readonly reason: string | undefined;
  /** The name of the store at fault in the configuration. */
  readonly backend: string | undefined;
  /**
   * The name of the store's failure, such as `ECONNREFUSED`, `STATUS_503` or `SignatureDoesNotMatch`; undefined if it has
   * none. The text of the failure says more.
   */
  readonly cause: string | undefined;
}

export function failureFields(exchange: Exchange): FailureFields {
  const { failure, refusedSignature } = exchange;
  return {
    failure: failure?.message.slice(0, LOGGED_FAILURE_LENGTH),
    reason: failure instanceof S3Error && !refusedSignature ? failure.reason : undefined,
    ...storeFault(exchange),
  };
}

function storeFault({ failure, refusedBy, status, backend }: Exchange) {
  const cause = failure && storeFailure(failure);
  if (cause !== undefined) return { backend, cause };
  // 502 is the verdict on an answer of the store, also where the gateway gives it
  if (status !== 502 && (refusedBy !== 'store' || status < 500))
    return { backend: undefined, cause: undefined };
  // where there is a failure, the status is not the store's
  return { backend, cause: failure ? undefined : `STATUS_${status}` };
}

function storeFailure(failure: Error): string | undefined {
  const { cause } = failure;
  if (failure instanceof StoreError) return failure.reason;
  if (cause instanceof OwnSignatureError) return cause.code;
  return cause instanceof StoreError ? cause.reason : undefined;
}
