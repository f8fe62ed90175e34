import type { FreshnessRules } from '../../cache/freshness.ts';

/** How answers of a bucket, or of some of its keys, are cached. */
export interface CachePolicy extends FreshnessRules {
  readonly blockSizeBytes: number;
  /** Larger objects are passed through without being cached. */
  readonly maxObjectSizeBytes: number;
  /** Whether clients may say what they take from the cache (RFC 9111 §5.2.1). */
  readonly clientDirectives: 'honour' | 'ignore';
  /** Whether clients get the fields that take the place of Cache-Control here (RFC 9213). */
  readonly targetedCacheControl: 'pass' | 'strip';
  /** Whether `cache-status` tells the key under which an object is cached. */
  readonly showKey: boolean;
}
