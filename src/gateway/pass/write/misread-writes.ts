import type { IncomingMessage } from 'node:http';
import { bareName } from '../../../s3/dialect.ts';
import { type S3Error, s3Error } from '../../../s3/error.ts';
import { errorTexts } from '../../../s3/error-texts.ts';
import { takesField } from '../../../s3/operation-parameters.ts';
import type { OperationName } from '../../../s3/operation-table.ts';
import type { Query } from '../../../s3/query.ts';
import { isCopy } from './source-of-copy.ts';

/**
 * Store fields that make another write of a request. They are not passed, and without them the store would replace the
 * object: by nothing, for the source of a copy, or by what should be appended to it. MinIO extracts an archive into
 * other keys of the bucket where metadata ask for it.
 */
const fieldsOfOtherWrites = /^(?:write-offset-bytes|meta-(?:snowball|minio)-.*)$/;

/** What concerns the source of a copy. */
const fieldsOfCopies = /^copy-source/;

/** Customer-provided keys in a URL are not passed, so that the object would not be encrypted. */
const fieldsOfCustomerKeys = /^(?:copy-source-)?server-side-encryption-customer-/;

/**
 * In other operations these name a part, an upload or a version, here in small letters and digits alone: written in
 * another way they would be ignored.
 */
const namesOfIds = /^(?:partnumber|uploadid|versionid)$/;

/** Without them a write would be done that its client wants only under a condition (RFC 9110 §13.1), or of a part (§14.5). */
const ofConditions = ['if-match', 'if-none-match', 'if-unmodified-since', 'content-range'];

/** The same as store fields. */
const ofStoreConditions = /^if-match-/;

/** By this parameter SDKs name the operation that they mean. */
const OPERATION_NAME = 'xid';

/**
 * Refuses a write that stores would misread, because what makes another operation of it is not passed to them.
 *
 * @param fields the store fields of headers and query, without prefix
 * @param own parameters that the operation takes
 * @throws S3Error NotImplemented, InvalidArgument
 */
export function refuseMisreadWrites(
  operation: OperationName,
  fields: ReadonlyMap<string, string>,
  query: Query,
  own: readonly { readonly name: string }[],
): void {
  for (const name of fields.keys())
    if (fieldsOfOtherWrites.test(name) || (fieldsOfCopies.test(name) && !isCopy(operation)))
      throw notImplemented(`x-store-${name}`);
  for (const { name: parameter, value } of query) {
    const { name, prefix } = bareName(parameter);
    if (prefix && fieldsOfCustomerKeys.test(name)) throw notImplemented(parameter);
    const plainName = parameter.replace(/[^a-z\d]/gi, '').toLowerCase();
    const isIgnored = namesOfIds.test(plainName) && !own.some(taken => taken.name === parameter);
    const isAnother = plainName === OPERATION_NAME && value !== '' && value !== operation;
    if (isIgnored || isAnother) throw ignored(parameter);
  }
}

function ignored(parameter: string) {
  if (parameter !== 'partNumber')
    return s3Error('InvalidArgument', { fields: [['ArgumentName', parameter]] });
  return s3Error('InvalidArgument', {
    message: errorTexts.partWithoutUpload,
    fields: [
      ['ArgumentName', parameter],
      ['ArgumentValue', parameter],
    ],
  });
}

/**
 * Refuses a write with a condition that the operation does not take: ignored, an object would be lost that the client
 * meant to keep.
 *
 * @param storeFields the store fields of headers and query, without prefix
 * @throws S3Error NotImplemented
 */
export function refuseIgnoredConditions(
  operation: OperationName,
  { headers }: Pick<IncomingMessage, 'headers'>,
  storeFields: ReadonlyMap<string, string>,
): void {
  const isIgnored = (name: string, store: boolean) => !takesField(operation, { name, store });
  const http = ofConditions.filter(name => headers[name] !== undefined && isIgnored(name, false));
  const ofStore = [...storeFields.keys()].filter(
    name => ofStoreConditions.test(name) && isIgnored(name, true),
  );
  const [first] = [...http, ...ofStore.map(name => `x-store-${name}`)];
  if (first !== undefined) throw notImplemented(first);
}

/** As Amazon S3 does, it names the field that is not taken. */
function notImplemented(header: string): S3Error {
  return s3Error('NotImplemented', { fields: [['Header', header]] });
}
