import type { StoreRequest } from '../backend/store.ts';
import { readCustomerKey } from '../s3/customer-key.ts';
import type { HeaderField } from '../s3/dialect.ts';
import { bareQuery } from '../s3/presigned-query.ts';
import { takesCustomerKeys } from './customer-keys.ts';
import type { OtherOperation } from './other-operation.ts';

/** Store fields that a client's own signature is made of: the gateway signs to the store itself. */
const ofSignature = new Set(['content-sha256', 'date', 'security-token']);

/** What an anonymous caller cannot say, since the gateway would be charged in its place (behaviours.md 126). */
const ofClients = new Set(['request-payer']);

/**
 * A client's request as it is given on to the store: in the store's names, without the client's signature, and with the
 * store's own fields wherever the client wrote them.
 *
 * @throws S3Error for a customer-provided key that is malformed or may not come this way (behaviours.md 147 to 155).
 */
export function passedRequest({ exchange, request, fields, address, bucket }: OtherOperation): StoreRequest {
  const inHeaders = fields.store ?? new Map<string, string>();
  readCustomerKey(inHeaders, takesCustomerKeys(bucket, request.socket));
  const { query, fields: inQuery } = bareQuery(address.query);
  const passed: HeaderField[] = inQuery.filter(({ name }) => !inHeaders.has(name));
  for (const [name, value] of inHeaders) passed.push({ name, value, store: true });
  if (fields.origin !== undefined) passed.push({ name: 'origin', value: fields.origin, store: false });
  return {
    method: exchange.method,
    bucket: bucket.bucketAtStore,
    key: address.kind === 'object' ? bucket.keyPrefix + address.key : undefined,
    query,
    fields: passed.filter(
      ({ name }) => !ofSignature.has(name) && (exchange.caller !== undefined || !ofClients.has(name)),
    ),
  };
}
