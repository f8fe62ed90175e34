import { parseQuery } from '../../s3/query.ts';

/** Parameters whose values are keys or beginnings of keys. */
export const holdingKeys: ReadonlySet<string> = new Set(['key-marker', 'marker', 'prefix', 'start-after']);

/**
 * The query of a listing as it is asked of a store where `keyPrefix` stands before every key.
 *
 * @param rawQuery without what belongs to the client's signature.
 */
export function listingQuery(rawQuery: string, keyPrefix: string): string {
  if (keyPrefix === '') return rawQuery;
  const query = parseQuery(rawQuery).map(({ name, value }) =>
    holdingKeys.has(name) && (name === 'prefix' || value !== '')
      ? { name, value: keyPrefix + value }
      : { name, value },
  );
  if (!query.some(({ name }) => name === 'prefix')) query.push({ name: 'prefix', value: keyPrefix });
  return query.map(({ name, value }) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join('&');
}
