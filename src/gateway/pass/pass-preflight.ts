import { bareName, fieldsFromRaw } from '../../s3/dialect.ts';
import { mayBePassed } from '../reply/client-names.ts';
import { answerPreflight } from '../reply/preflight-reply.ts';
import { ruledFields } from '../request/bucket.ts';
import type { OtherOperation } from './other-operation.ts';
import { passThrough } from './pass-through.ts';

/** The headers of a preflight (Fetch standard, CORS-preflight request). */
const ofPreflight = new Set(['origin', 'access-control-request-headers', 'access-control-request-method']);

/**
 * Answers a CORS preflight by rules, or passes it to the store (docs/semantics.md 198 to 200). Browsers send it without credentials, and the
 * answer grants nothing: the actual request is checked like any other.
 */
export function passPreflight({ exchange, request, address, bucket, observer }: OtherOperation): void {
  if (answerPreflight(exchange, request)) {
    observer.sent(exchange);
    return;
  }
  const fields = fieldsFromRaw(request.rawHeaders).filter(
    ({ name, store }) => !store && ofPreflight.has(name),
  );
  exchange.speak(dialectOfListed(request.headers['access-control-request-headers']));
  const key = address.kind === 'object' ? address.key : undefined;
  const asked = {
    method: 'OPTIONS',
    operation: 'Options',
    bucket: bucket.bucketAtStore,
    key: key === undefined ? undefined : bucket.keyPrefix + key,
    query: '',
    fields: ruledFields(bucket, key, fields),
  };
  passThrough(exchange, bucket, asked, observer, {
    detail: 'preflight',
    mayKnowMissing: true,
    keep: field => mayBePassed(field, bucket),
    overrides: [],
  });
}

/** The answer lists the request's header names, so it must use their dialect. */
function dialectOfListed(names = '') {
  return names
    .split(',')
    .map(name => bareName(name.trim()).prefix)
    .find(prefix => prefix !== undefined);
}
