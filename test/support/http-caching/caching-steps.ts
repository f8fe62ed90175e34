import type { CachingRow, CachingStep, Got, Said } from './caching-row.ts';

type More = Omit<Partial<CachingStep>, 'gets'> & { readonly gets?: Got };

const step =
  (cache: string, asks: CachingStep['asks']) =>
  (more: More = {}): CachingStep => ({ asks, ...more, gets: { cache, ...more.gets } });

/** The origin is asked, and what it says is what the client gets. */
export const miss = step('MISS', ['GET']);

/** From the cache, which is fresh. */
export const hit = step('HIT', []);

/** What is held, after the origin has confirmed it. */
export const confirmed = step('REVALIDATED', ['confirmation']);

/** From the cache, which is stale. */
export const stale = step('STALE', []);

/** It is stored and fresh for `seconds` after its arrival, and no longer. */
export const freshFor = (seconds: number): CachingStep[] => [
  miss(),
  hit({ afterS: seconds - 1 }),
  confirmed({ afterS: 1 }),
];

/** It is stored, and confirmed before each use. */
export const neverFresh: readonly CachingStep[] = [miss(), confirmed()];

export const neverStored: readonly CachingStep[] = [miss(), miss()];

/** A row for an origin that says `head` throughout. */
export function statedRow(
  paragraph: string,
  at: CachingRow['at'],
  says: string,
  head: Said,
  requests: CachingRow['requests'],
): CachingRow {
  return { paragraph, at, says, origin: { head }, requests };
}

/** The field Cache-Control, of several lines. */
export function control<Value extends string | readonly string[]>(
  value: Value,
): { readonly 'cache-control': Value } {
  return { 'cache-control': value };
}
