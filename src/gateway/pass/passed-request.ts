import type { StoreRequest } from '../../backend/store.ts';
import { isGetOrHead } from '../../http/get-or-head.ts';
import { readCustomerKey } from '../../s3/customer-key.ts';
import { fieldsFromRaw, type HeaderField } from '../../s3/dialect.ts';
import { formatQuery, knownParameters, takesField } from '../../s3/operation-parameters.ts';
import { fieldsOfQuery } from '../../s3/presigned-query.ts';
import { ruledFields } from '../request/bucket.ts';
import { takesCustomerKeys } from '../request/customer-keys.ts';
import { mayDemandMade, sentAsIs } from '../request/made-tags.ts';
import type { OtherOperation } from './other-operation.ts';

/** The store fields of a request, by name without prefix, of header and query. */
export function storeFieldsOf({ request, query }: OtherOperation): ReadonlyMap<string, string> {
  const storeFields = new Map<string, string>();
  // the first occurrence of a field counts, and a header before a query parameter
  for (const { name, value } of fieldsOfQuery(query).toReversed()) storeFields.set(name, value);
  const inHeaders = new Map<string, string>();
  for (const { name, value, store } of fieldsFromRaw(request.rawHeaders)) {
    if (!store) continue;
    // as signatures have it: stores keep metadata so, and some take no spaces in lists
    const before = inHeaders.get(name);
    inHeaders.set(name, before === undefined ? value : `${before},${value}`);
  }
  for (const [name, value] of inHeaders) storeFields.set(name, value);
  return storeFields;
}

/**
 * Fields that anonymous callers may not send: the gateway would be charged instead (docs/semantics.md 126), or a code
 * of multi-factor authentication would be used with the gateway's signature.
 */
const ofClients = new Set(['request-payer', 'mfa']);

/** What the CORS headers of an answer depend on as well (docs/semantics.md 198). */
const besideOrigins = ['access-control-request-method', 'access-control-request-headers'];

/**
 * Builds the request to the store from the known fields and parameters of the operation, with the store's names.
 *
 * @param storeFields the store fields of the request
 * @throws S3Error NotImplemented for an operation that is not passed; InvalidArgument for a repeated parameter, an id
 * that may be a path, and a customer-provided key that is malformed or not accepted on this connection
 * (docs/semantics.md 147 to 155)
 */
export function passedRequest(
  other: OtherOperation,
  storeFields = storeFieldsOf(other),
  parameters = knownParameters(other.operation, other.query, other.bucket.keys),
): StoreRequest {
  const { exchange, request, fields, address, bucket, operation } = other;
  const inHeaders = fields.store ?? new Map<string, string>();
  const key = address.kind === 'object' ? address.key : undefined;
  const use = isGetOrHead(exchange.method) ? 'read' : 'write';
  readCustomerKey(inHeaders, takesCustomerKeys(bucket, request), use);
  const passed: HeaderField[] = [];
  for (const [name, value] of storeFields) {
    const isAllowed =
      takesField(operation, { name, store: true }) && (exchange.caller !== undefined || !ofClients.has(name));
    if (isAllowed) passed.push({ name, value, store: true });
  }
  if (!isGetOrHead(exchange.method)) {
    const http = httpFields(other);
    const isMade = mayDemandMade(exchange.method, fields, bucket.rulesFor(key ?? ''));
    passed.push(...(isMade ? sentAsIs(http) : http));
  }
  if (fields.origin !== undefined && !exchange.answerRules?.crossOrigin) {
    passed.push({ name: 'origin', value: fields.origin, store: false });
    for (const name of besideOrigins) {
      const value = request.headers[name];
      if (typeof value === 'string') passed.push({ name, value, store: false });
    }
  }
  return {
    method: exchange.method,
    operation,
    bucket: bucket.bucketAtStore,
    key: key === undefined ? undefined : bucket.keyPrefix + key,
    query: formatQuery(parameters),
    fields: ruledFields(bucket, key, passed),
    isResent: true,
  };
}

/** The HTTP fields that the operation takes. Repeated lines are combined (RFC 9110 §5.3). */
function httpFields({ request, operation }: OtherOperation): HeaderField[] {
  const lines = new Map<string, string>();
  for (const { name, value, store } of fieldsFromRaw(request.rawHeaders)) {
    if (store || !takesField(operation, { name, store })) continue;
    const before = lines.get(name);
    lines.set(name, before === undefined ? value : `${before}, ${value}`);
  }
  return Array.from(lines, ([name, value]) => ({ name, value, store: false }));
}
