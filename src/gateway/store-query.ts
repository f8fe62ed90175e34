import type { Query } from '../s3/query.ts';

/** Parameters of a client's own signature: the gateway signs to the store itself. */
const ofSignature = /^x-(?:amz|store)-|^(?:Signature|Expires|AWSAccessKeyId)$/i;

/** A client's query as it is sent to the store: without signature, and with `replaced` values where there are some. */
export function storeQuery(query: Query, replaced: Readonly<Record<string, string>> = {}): string {
  const left = new Map(Object.entries(replaced));
  const parts = query
    .filter(({ name }) => !ofSignature.test(name))
    .map(({ name, value }) => {
      const sent = left.get(name) ?? value;
      left.delete(name);
      return sent === ''
        ? encodeURIComponent(name)
        : `${encodeURIComponent(name)}=${encodeURIComponent(sent)}`;
    });
  for (const [name, value] of left) parts.push(`${encodeURIComponent(name)}=${encodeURIComponent(value)}`);
  return parts.join('&');
}
