import type { CacheControl } from './cache-control.ts';
import { isGetOrHead } from './get-or-head.ts';

/** Whether an answer may be stored, and if not, why. */
type Storability =
  | { readonly kind: 'storable' }
  | {
      readonly kind: 'not storable';
      /** `unstated`: nothing says for how long it is fresh, and its status allows no guess. */
      readonly why: 'method' | 'status' | 'no-store' | 'private' | 'authorization' | 'unstated' | 'vary';
    };

/** An answer, and of its request what decides whether a shared cache may store it. */
export interface StoredExchange {
  readonly method: string;
  readonly status: number;
  /** Of the answer, or of a field that takes its place (RFC 9213). */
  readonly control: CacheControl;
  /** Whether the answer has Expires, valid or not. */
  readonly hasExpires: boolean;
  /** Whether it is configured for how long answers of its status are fresh. */
  readonly isConfigured: boolean;
  /** Whether the request had Authorization, and its answer may be for its sender alone (RFC 9111 §3.5). */
  readonly isAuthorized: boolean;
  /** Whether the request said no-store (RFC 9111 §5.2.1.5), and is heard. */
  readonly isRefusedByRequest: boolean;
  /** Whether Vary has `*`: no other request is known to select this answer (RFC 9111 §4.1). */
  readonly variesByAll: boolean;
}

/** Statuses whose answers may be reused although nothing says for how long (RFC 9110 §15.1). */
const heuristicallyCacheable: ReadonlySet<number> = new Set([
  ...[200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501],
]);

/** Statuses whose rules for caches are known here, for `must-understand` (RFC 9111 §5.2.2.3; RFC 9110 §15). */
const understood: ReadonlySet<number> = new Set([
  ...[200, 201, 202, 203, 204, 205, 206, 300, 301, 302, 303, 305, 307, 308],
  ...[
    400, 401, 402, 403, 404, 405, 406, 407, 408, 409, 410, 411, 412, 413, 414, 415, 416, 417, 421, 422, 426,
  ],
  ...[500, 501, 502, 503, 504, 505],
]);

const storable: Storability = { kind: 'storable' };

/**
 * Whether the freshness of an answer that states none may be assumed: by a heuristic or by configuration (RFC 9111 §4.2.2).
 * `public` allows it for any status.
 */
export function mayAssumeFreshness(status: number, control: CacheControl): boolean {
  return heuristicallyCacheable.has(status) || control.public;
}

/**
 * What the answer says against being stored by a shared cache; undefined where nothing does. `must-understand` takes the
 * place of `no-store` where the status is understood (RFC 9111 §5.2.2.3).
 */
export function refusalToStore(
  status: number,
  control: CacheControl,
): 'no-store' | 'private' | 'status' | undefined {
  if (control.mustUnderstand && !understood.has(status)) return 'status';
  if (control.noStore && !control.mustUnderstand) return 'no-store';
  return control.private ? 'private' : undefined;
}

/**
 * Whether a shared cache may store an answer (RFC 9111 §3). Statuses that are not known are stored where the answer says for
 * how long it is fresh; 206 is, and whoever stores one has to check its range (§3.3); 304 never is, since it updates what is
 * stored (§4.3.4).
 */
export function mayStore(exchange: StoredExchange): Storability {
  const { method, status, control, hasExpires, isAuthorized, isRefusedByRequest, variesByAll } = exchange;
  if (!isGetOrHead(method)) return notStorable('method');
  if (status < 200 || status === 304) return notStorable('status');
  const refusal = refusalToStore(status, control);
  if (refusal) return notStorable(refusal);
  if (isRefusedByRequest) return notStorable('no-store');
  if (isAuthorized && !allowsAuthorized(control)) return notStorable('authorization');
  if (variesByAll) return notStorable('vary');
  const isStated = hasExpires || control.maxAgeS !== undefined || control.sMaxAgeS !== undefined;
  return isStated || exchange.isConfigured || mayAssumeFreshness(status, control)
    ? storable
    : notStorable('unstated');
}

/** RFC 9111 §3.5: proxy-revalidate is none of these. */
function allowsAuthorized(control: CacheControl): boolean {
  return control.public || control.mustRevalidate || control.sMaxAgeS !== undefined;
}

function notStorable(why: Extract<Storability, { kind: 'not storable' }>['why']): Storability {
  return { kind: 'not storable', why };
}
