import { bareName, type HeaderField } from './dialect.ts';
import type { Query } from './query.ts';

/** What the parameters of a signature are called behind their prefix. */
const ofSignature = new Set([
  'algorithm',
  'content-sha256',
  'credential',
  'date',
  'expires',
  'security-token',
  'signature',
  'signedheaders',
]);

/** Keys that callers keep: one in a URL would be in every log on its way, so it is not taken from there. */
const customerKey = /^(?:copy-source-)?server-side-encryption-customer-/;

/**
 * The headers that signers moved into a query, so that they can be said to the store in its own words; what belongs to
 * the signature is none of them. One that came as a header too counts there (behaviours.md 127).
 */
export function fieldsOfQuery(query: Query): readonly HeaderField[] {
  return query.flatMap(({ name: parameter, value }) => {
    const { name, prefix } = bareName(parameter);
    if (!prefix || ofSignature.has(name) || customerKey.test(name)) return [];
    return [{ name, value, store: true }];
  });
}
