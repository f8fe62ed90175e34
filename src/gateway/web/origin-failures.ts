import type { StoreError } from '../../backend/store.ts';

/** Statuses that say that the origin cannot answer at the moment (RFC 5861 §4). */
const failures: ReadonlySet<number> = new Set([500, 502, 503, 504]);

/** Failures of requests that the origin has got nothing of. */
const neverSent: ReadonlySet<StoreError['code']> = new Set([
  ...(['UNREACHABLE', 'BUSY', 'CIRCUIT_OPEN', 'UNSIGNED'] as const),
]);

/** Whether an answer of this status says that the origin cannot answer at the moment. */
export function tellsFailure(status: number): boolean {
  return failures.has(status);
}

/** Whether the origin has got nothing of the request that has failed so: then it has changed nothing. */
export function wasNeverSent({ code }: StoreError): boolean {
  return neverSent.has(code);
}
