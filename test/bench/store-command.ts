import type { Origin } from '../support/self-describing.ts';
import type { LoggedRequest, Moment } from '../support/stand-in/request-log.ts';

/** An object of pattern bytes; the seed tells contents of one size apart. */
export interface PatternObject {
  readonly key: string;
  readonly sizeBytes: number;
  readonly seed: number;
}

/** An object whose every word tells where it comes from. */
export interface DescribingObject {
  readonly key: string;
  readonly sizeBytes: number;
  readonly origin: Origin;
}

/** What the bench tells the store that runs in a process of its own. */
export type StoreCommand =
  | { readonly kind: 'put'; readonly object: PatternObject | DescribingObject }
  | { readonly kind: 'pace'; readonly latencyMs: number; readonly rateBytesPerS: number }
  | { readonly kind: 'break'; readonly afterBytes: readonly number[] }
  | { readonly kind: 'replace'; readonly moment: Moment; readonly object: PatternObject }
  | { readonly kind: 'clear' }
  | { readonly kind: 'report' };

/** What the store answers to every command. */
export interface StoreReport {
  readonly port: number;
  /** Requests since the last `clear`. */
  readonly requests: readonly LoggedRequest[];
  readonly bodyBytes: number;
  /** Breaks that have not happened yet. */
  readonly faultsLeft: number;
}

/** The one bucket of the bench. */
export const bucket = 'bench';
