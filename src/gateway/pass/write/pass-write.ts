import type { IncomingMessage } from 'node:http';
import type { StoreRequest } from '../../../backend/store.ts';
import { type DeclaredPayload, declaredPayload } from '../../../s3/declared-payload.ts';
import type { HeaderField } from '../../../s3/dialect.ts';
import { notAllowed, s3Error } from '../../../s3/error.ts';
import { errorTexts } from '../../../s3/error-texts.ts';
import { requireActionsOfBucketFields, requireActionsOfFields } from '../../../s3/field-actions.ts';
import { knownParameters, passesBody } from '../../../s3/operation-parameters.ts';
import type { OperationName } from '../../../s3/operation-table.ts';
import { parsePartNumber } from '../../../s3/part-number.ts';
import { queryValue } from '../../../s3/query.ts';
import { letContinue } from '../../../transport/request-bodies.ts';
import { mayBePassed } from '../../reply/client-names.ts';
import { isRenamed } from '../../request/bucket.ts';
import type { OtherOperation } from '../other-operation.ts';
import { type PassedReceiver, type PassOptions, passThrough } from '../pass-through.ts';
import { passedRequest, storeFieldsOf } from '../passed-request.ts';
import { BodilessAnswer } from './bodiless-answer.ts';
import { requireWithinLimit } from './body-limit.ts';
import { ClientBody } from './client-body.ts';
import { refuseIgnoredConditions, refuseMisreadWrites } from './misread-writes.ts';
import { openWriteOf } from './open-write-of.ts';
import { RESULT_LIMIT_BYTES, ResultAnswer, type ResultOptions } from './result-answer.ts';
import { SelectAnswer } from './select-answer.ts';
import { isCopy, sourceOfCopy } from './source-of-copy.ts';
import { StoreWrite } from './store-write.ts';
import { paceOf } from './upload-pace.ts';
import { VerifiedBody } from './verified-body.ts';
import { hasResult, resultForClient } from './write-result.ts';

/**
 * Passes a write to an object or a bucket to the store. It is sent again only where there was no connection
 * (backend/resends.ts): even where HTTP calls a method idempotent, a repeated write may undo what another writer has done
 * since, leave a second version, or be refused for what the first has done.
 *
 * @throws S3Error AccessDenied for what fields of the request do without a grant; NotImplemented; those of `declaredPayload`, `sourceOfCopy` and
 * `passedRequest`; TooManyRequestsError
 */
export function passWrite(other: OtherOperation): void {
  const { exchange, request, bucket, address, query, operation, permissions, observer } = other;
  const key = address.kind === 'object' ? address.key : '';
  const storeFields = storeFieldsOf(other);
  const require = (action: string) => permissions.require(action, key);
  if (address.kind === 'object') requireActionsOfFields(storeFields, require);
  else if (operation === 'CreateBucket') requireActionsOfBucketFields(storeFields, require);
  const parameters = knownParameters(operation, query, bucket.keys);
  refuseMisreadWrites(operation, storeFields, query, parameters);
  if (address.kind === 'object') refuseIgnoredConditions(operation, request, storeFields);
  if (operation === 'UploadPart' || operation === 'UploadPartCopy') requirePartNumber(other);
  if (isCopy(operation) && hasContent(request))
    throw s3Error('InvalidRequest', { message: errorTexts.bodyUnexpected });
  const declared = passesBody(operation)
    ? declaredOf(other, fieldsOfBody(operation, storeFields))
    : undefined;
  const source = isCopy(operation) ? sourceOfCopy(other, storeFields) : undefined;
  const passed = withFields(
    withPayloadFields(passedRequest(other, storeFields, parameters), declared),
    source?.fields,
  );
  const mayKnowMissing =
    source?.mayKnowMissing ?? (address.kind === 'bucket' || permissions.allows('ListBucket', key));
  const scope = { mayKnowMissing, source: source?.bucket };
  passThrough(exchange, bucket, passed, observer, {
    detail: 'operation',
    ...scope,
    ...locationOf(other),
    send: (toSend, receiver) => {
      const refused = (error: unknown) => write.refuse(error);
      const body = declared && clientBody(other, declared, refused);
      const bodyStream = body && { bodyStream: body };
      const answer = answerOf(other, receiver, {
        write: reply => resultForClient(other, reply, { ...scope, undecided: () => write.undecided() }),
        refused,
        cut: () => write.cut(),
      });
      const write = StoreWrite.send(exchange, {
        ...{ store: bucket.store, request: { ...toSend, ...bodyStream }, body },
        ...{
          open: openWriteOf(other),
          receiver: answer,
          resultLimitBytes: hasResult(operation) ? RESULT_LIMIT_BYTES : 0,
        },
      });
      if (body) letContinue(request, exchange.response);
      return write;
    },
  });
}

/**
 * What the client may be told of the answer.
 *
 * @param options `cut` ends the call where no more of its answer is wanted
 */
function answerOf(
  { bucket, operation }: OtherOperation,
  receiver: PassedReceiver,
  options: ResultOptions & { readonly cut: () => void },
): PassedReceiver {
  if (hasResult(operation)) return new ResultAnswer(receiver, options);
  if (operation === 'SelectObjectContent')
    return new SelectAnswer(receiver, new ResultAnswer(receiver, options));
  return isRenamed(bucket) ? new BodilessAnswer(receiver, options.cut) : receiver;
}

/** Without one, the request could be taken for the upload of a whole object. */
function requirePartNumber({ exchange, query }: OtherOperation): void {
  const partNumber = queryValue(query, 'partNumber');
  if (partNumber !== undefined) parsePartNumber(partNumber);
  else throw notAllowed({ method: exchange.method, resource: 'upload', allowed: ['DELETE', 'POST', 'GET'] });
}

function hasContent({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** A bucket that was made is told by the name that clients use. */
function locationOf({ operation, bucket }: OtherOperation): Pick<PassOptions, 'keep' | 'overrides'> {
  const isMade = operation === 'CreateBucket';
  return {
    keep: field => mayBePassed(field, bucket),
    overrides: isMade ? [['Location', `/${bucket.name}`]] : [],
  };
}

/** The checksums in the head of CompleteMultipartUpload are those of the object, not of the body, which is a list of parts. */
function fieldsOfBody(
  operation: OperationName,
  storeFields: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  if (operation !== 'CompleteMultipartUpload') return storeFields;
  return new Map([...storeFields].filter(([name]) => !name.startsWith('checksum-')));
}

/** What the request declares about its body. @throws S3Error those of `declaredPayload`; EntityTooLarge */
export function declaredOf(
  { exchange, request, bucket, caller, operation }: OtherOperation,
  storeFields: ReadonlyMap<string, string>,
): DeclaredPayload {
  const declared = declaredPayload({
    signed: caller.kind === 'client' ? caller.payload : undefined,
    store: storeFields,
    contentLength: request.headers['content-length'] ?? emptyLength(request, operation),
    contentMd5: onlyLine(request, 'content-md5'),
    prefix: exchange.prefix,
  });
  // https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-streaming.html: for objects and parts
  if (declared.coding !== 'none' && operation !== 'PutObject' && operation !== 'UploadPart')
    throw s3Error('InvalidRequest', { message: errorTexts.streamUnexpected });
  requireWithinLimit(bucket, declared.lengthBytes);
  return declared;
}

/**
 * RFC 9112 §6.3: a request without these fields has no body. Stores want the length of an object to be declared; of a
 * document that may be left out, such as that of CreateBucket, they do not.
 */
function emptyLength({ headers }: IncomingMessage, operation: OperationName): string | undefined {
  return operation === 'PutObject' || headers['transfer-encoding'] !== undefined ? undefined : '0';
}

function onlyLine({ headersDistinct }: IncomingMessage, name: string): string | undefined {
  return headersDistinct[name]?.join(', ');
}

function clientBody(
  { exchange, request, bucket, observer }: OtherOperation,
  declared: DeclaredPayload,
  refused: (error: unknown) => void,
): ClientBody {
  const prefixes = { client: exchange.prefix, store: bucket.headerPrefix };
  const received = observer.receives(exchange);
  return new ClientBody(request, {
    convert: pass => new VerifiedBody(declared, prefixes, pass),
    pace: paceOf(exchange, observer),
    arrived: lengthBytes => received.arrived(lengthBytes),
    refused,
  });
}

/** @param fields in the place of those with these names */
function withFields(request: StoreRequest, fields: readonly HeaderField[] = []): StoreRequest {
  const names = new Set(fields.map(({ name }) => name));
  return { ...request, fields: [...request.fields.filter(({ name }) => !names.has(name)), ...fields] };
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
