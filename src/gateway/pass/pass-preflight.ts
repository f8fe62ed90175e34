import { bareName, fieldsFromRaw } from '../../s3/dialect.ts';
import type { OtherOperation } from './other-operation.ts';
import { passThrough } from './pass-through.ts';

/** What a preflight asks with (Fetch standard, CORS-preflight request). */
const ofPreflight = new Set(['origin', 'access-control-request-headers', 'access-control-request-method']);

/**
 * Asks the store whether a page of another origin may send a request (docs/semantics.md 198 to 200). Browsers ask
 * without credentials, and the answer grants nothing: what the page then sends is checked like anything else.
 */
export function passPreflight({ exchange, request, address, bucket, observer }: OtherOperation): void {
  const fields = fieldsFromRaw(request.rawHeaders).filter(
    ({ name, store }) => !store && ofPreflight.has(name),
  );
  exchange.speak(dialectOfListed(request.headers['access-control-request-headers']));
  const asked = {
    method: 'OPTIONS',
    bucket: bucket.bucketAtStore,
    key: address.kind === 'object' ? bucket.keyPrefix + address.key : undefined,
    query: '',
    fields,
  };
  passThrough(exchange, bucket, asked, observer, {
    detail: 'preflight',
    mayKnowMissing: true,
    keep: () => true,
    overrides: [],
  });
}

/** The answer names the headers that the page wants to send, so it has to speak their dialect. */
function dialectOfListed(names = '') {
  return names
    .split(',')
    .map(name => bareName(name.trim()).prefix)
    .find(prefix => prefix !== undefined);
}
