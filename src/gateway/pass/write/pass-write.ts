import type { IncomingMessage } from 'node:http';
import type { StoreRequest } from '../../../backend/store.ts';
import { objectKey } from '../../../cache/object-key.ts';
import { type DeclaredPayload, declaredPayload } from '../../../s3/declared-payload.ts';
import type { HeaderField } from '../../../s3/dialect.ts';
import { requireActionsOfFields } from '../../../s3/field-actions.ts';
import { knownParameters, passesBody } from '../../../s3/operation-parameters.ts';
import type { SignedPayload } from '../../../s3/sigv4-payload.ts';
import { letContinue } from '../../../transport/request-bodies.ts';
import type { OtherOperation } from '../other-operation.ts';
import { passThrough } from '../pass-through.ts';
import { passedRequest, saidFields } from '../passed-request.ts';
import { ClientBody } from './client-body.ts';
import { refuseOtherWrites } from './other-writes.ts';
import { StoreWrite } from './store-write.ts';

/**
 * Passes a write to one object to the store. Nothing is asked twice of the store: even where HTTP calls a method
 * idempotent, a repeated write may leave a second version, or be refused for what the first has done.
 *
 * @throws S3Error AccessDenied for what fields of the request do without a grant; NotImplemented; those of `declaredPayload` and
 * `passedRequest`; TooManyRequestsError
 */
export function passWrite(other: OtherOperation): void {
  const { exchange, request, bucket, address, query, operation, permissions, observer, writes } = other;
  const key = address.kind === 'object' ? address.key : '';
  const said = saidFields(other);
  requireActionsOfFields(said, action => permissions.require(action, key));
  refuseOtherWrites(said, query, knownParameters(operation, query, bucket.keys));
  const declared = passesBody(operation) ? declaredOf(other, said) : undefined;
  const passed = withPayloadFields(passedRequest(other), declared);
  const { hash } = objectKey(bucket.store.name, bucket.bucketAtStore, bucket.keyPrefix + key);
  passThrough(exchange, bucket, passed, observer, {
    detail: 'operation',
    mayKnowMissing: permissions.allows('ListBucket', key),
    keep: () => true,
    overrides: [],
    send: (toSend, receiver) => {
      const body = declared && clientBody(other, declared, error => write.refuse(error));
      const bodyStream = body && { bodyStream: body };
      const write = StoreWrite.send(
        bucket.store,
        { ...toSend, ...bodyStream },
        body,
        writes.begin(hash),
        receiver,
      );
      if (body) letContinue(request, exchange.response);
      return write;
    },
  });
}

const unsigned: SignedPayload = { kind: 'unsigned' };

/** What the request says of its body. `said` are its store fields. @throws S3Error those of `declaredPayload` */
export function declaredOf(
  { exchange, request, caller }: OtherOperation,
  said: ReadonlyMap<string, string>,
): DeclaredPayload {
  return declaredPayload({
    signed: caller.kind === 'client' ? (caller.payload ?? unsigned) : undefined,
    store: said,
    contentLength: request.headers['content-length'],
    contentMd5: onlyLine(request, 'content-md5'),
    prefix: exchange.prefix,
  });
}

function onlyLine({ headersDistinct }: IncomingMessage, name: string): string | undefined {
  return headersDistinct[name]?.join(', ');
}

function clientBody(
  { exchange, request, bucket }: OtherOperation,
  declared: DeclaredPayload,
  refused: (error: unknown) => void,
): ClientBody {
  const prefixes = { client: exchange.prefix, store: bucket.headerPrefix };
  const body = new ClientBody(request, { declared, prefixes, refused });
  exchange.received = body;
  return body;
}

/** The coding of the client's body ends at the gateway; the body may get one of its own for a trailer. */
function withPayloadFields(request: StoreRequest, declared: DeclaredPayload | undefined): StoreRequest {
  if (!declared) return request;
  const fields = request.fields.flatMap(field => withoutAwsChunked(field));
  const { checksum, lengthBytes } = declared;
  if (checksum?.kind !== 'trailer') return { ...request, fields };
  const ofTrailer: HeaderField[] = [
    { name: 'decoded-content-length', value: String(lengthBytes), store: true },
    { name: 'trailer', value: `x-store-checksum-${checksum.algorithm}`, store: true },
  ];
  return { ...request, fields: [...fields, ...ofTrailer] };
}

function withoutAwsChunked(field: HeaderField): readonly HeaderField[] {
  if (field.store || field.name !== 'content-encoding') return [field];
  const codings = field.value.split(',').map(coding => coding.trim());
  const value = codings.filter(coding => coding.toLowerCase() !== 'aws-chunked').join(',');
  return value === '' ? [] : [{ ...field, value }];
}
