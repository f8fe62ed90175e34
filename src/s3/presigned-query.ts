import { bareName, type HeaderField } from './dialect.ts';
import { percentDecode } from './percent-decode.ts';
import { parseQuery } from './query.ts';

/** A query as it is of use once the signature in it has been checked. */
export interface BareQuery {
  /** As it was sent, without parameters of either dialect. */
  readonly query: string;
  /** Headers that signers moved into the query. One that came as a header too counts there. */
  readonly fields: readonly HeaderField[];
}

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
 * Takes the dialect out of a query: what belongs to its signature goes, and what stands for a header becomes one, so
 * that it can be said to the store in the store's own words (behaviours.md 127).
 *
 * @param rawQuery as received, without the question mark
 * @throws S3Error InvalidURI for bad escapes
 */
export function bareQuery(rawQuery: string): BareQuery {
  const fields: HeaderField[] = [];
  const rest = rawQuery.split('&').filter(parameter => {
    const { name, prefix } = bareName(percentDecode(parameter.split('=', 1)[0] ?? ''));
    if (!prefix) return true;
    if (ofSignature.has(name) || customerKey.test(name)) return false;
    for (const { value } of parseQuery(parameter)) fields.push({ name, value, store: true });
    return false;
  });
  return { query: rest.join('&'), fields };
}
