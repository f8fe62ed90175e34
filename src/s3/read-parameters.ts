import { type CustomerKey, readCustomerKey } from './customer-key.ts';
import { bareName } from './dialect.ts';
import { type Pairs, type S3Error, s3Error } from './error.ts';
import { bucketOwnerText, errorTexts } from './error-texts.ts';
import { parsePartNumber } from './part-number.ts';
import { type Query, queryValue } from './query.ts';
import { readResponseOverrides } from './response-overrides.ts';

/** The parameters of a GetObject or HeadObject other than address, range and conditions. */
interface ReadParameters {
  /** Opaque; `null` is the version written while versioning was off. */
  readonly versionId: string | undefined;
  /** 1 to 10000; never together with a Range. */
  readonly partNumber: number | undefined;
  /** Headers, by lower-case name, that replace those of a 200 only (docs/semantics.md, Decided 1). */
  readonly overrides: Pairs;
  /** Whether checksums are wanted. */
  readonly checksumMode: boolean;
  /** Twelve digits. */
  readonly expectedBucketOwner: string | undefined;
  /** Whether the caller accepted to be charged. */
  readonly requestPayer: 'requester' | undefined;
  readonly customerKey: CustomerKey | undefined;
}

/** The parts of a request that `readParameters` uses. */
export interface ReadParametersSource {
  readonly query: Query;
  /** Values by the lower-case names of store fields, without prefix; undefined when there are none. */
  readonly storeFields: ReadonlyMap<string, string> | undefined;
  /** The Range header. */
  readonly range: string | undefined;
  /** Signed by header or by presigned URL. */
  readonly isSigned: boolean;
  /** Whether customer-provided keys are accepted on this connection: over TLS, or over plain HTTP if configured. */
  readonly takesCustomerKeys: boolean;
}

/** Shared by the many reads without parameters. */
const nothing: ReadParameters = Object.freeze({
  versionId: undefined,
  partNumber: undefined,
  overrides: [],
  checksumMode: false,
  expectedBucketOwner: undefined,
  requestPayer: undefined,
  customerKey: undefined,
});

/** Headers that specify the encryption of written objects (docs/semantics.md, Request parameters, rule 2). */
const encryptionFields = [
  'server-side-encryption',
  'server-side-encryption-aws-kms-key-id',
  'server-side-encryption-bucket-key-enabled',
  'server-side-encryption-context',
];

/** https://docs.aws.amazon.com/AmazonS3/latest/userguide/versioning-workflows.html: at most 1024 bytes. */
const MAX_VERSION_ID_LENGTH = 1024;

/**
 * Reads and validates the parameters of a GetObject or HeadObject (docs/semantics.md, Request parameters;
 * docs/semantics.md 43 to 46, 100, 124 to 128, 132 to 142, 147 to 158, 183, 184). The first of repeated query
 * parameters counts.
 *
 * Three headers may also be in the query, with either prefix, as presigned URLs carry them there.
 *
 * @throws S3Error with the code of the row
 */
export function readParameters(request: ReadParametersSource): ReadParameters {
  const { query, storeFields, range, isSigned, takesCustomerKeys } = request;
  if (query.length === 0 && storeFields === undefined) return nothing;
  if (encryptionFields.some(name => storeFields?.has(name))) throw s3Error('BadRequest');
  return {
    versionId: readVersionId(query),
    partNumber: readPartNumber(query, range),
    overrides: readResponseOverrides(query, isSigned),
    checksumMode: readChecksumMode(storeValue(request, 'checksum-mode')),
    expectedBucketOwner: readBucketOwner(storeValue(request, 'expected-bucket-owner')),
    requestPayer: readRequestPayer(request),
    customerKey: storeFields && readCustomerKey(storeFields, takesCustomerKeys, 'read'),
  };
}

function storeValue({ storeFields, query }: ReadParametersSource, name: string): string | undefined {
  const value = storeFields?.get(name);
  if (value !== undefined) return value;
  for (const parameter of query) {
    const { name: bare, prefix } = bareName(parameter.name);
    if (prefix && bare === name) return parameter.value;
  }
  return undefined;
}

/** docs/semantics.md 98 and 100. Only the store knows whether an id is well-formed, except when it is too long. */
function readVersionId(query: Query): string | undefined {
  const versionId = queryValue(query, 'versionId');
  if (versionId === '') throw invalidArgument('versionId', versionId, errorTexts.versionIdEmpty);
  if (versionId !== undefined && versionId.length > MAX_VERSION_ID_LENGTH)
    throw invalidArgument('versionId', versionId, errorTexts.versionIdMalformed);
  return versionId;
}

/** docs/semantics.md 43 to 46. */
function readPartNumber(query: Query, range: string | undefined): number | undefined {
  const text = queryValue(query, 'partNumber');
  if (text === undefined) return undefined;
  const partNumber = parsePartNumber(text);
  if (range !== undefined) throw s3Error('InvalidRequest', { message: errorTexts.rangeWithPartNumber });
  return partNumber;
}

/** docs/semantics.md 183 and 184. */
function readChecksumMode(value: string | undefined): boolean {
  if (value === undefined) return false;
  if (value.toUpperCase() === 'ENABLED') return true;
  throw s3Error('InvalidRequest', { message: errorTexts.checksumModeInvalid });
}

/** docs/semantics.md 126 to 128; anonymous callers cannot be charged. */
function readRequestPayer(request: ReadParametersSource): 'requester' | undefined {
  return request.isSigned && storeValue(request, 'request-payer') === 'requester' ? 'requester' : undefined;
}

/** docs/semantics.md 124; only the store knows the actual owner (123). */
function readBucketOwner(value: string | undefined): string | undefined {
  if (value === undefined || /^\d{12}$/.test(value)) return value;
  throw s3Error('InvalidBucketOwnerAWSAccountID', { message: bucketOwnerText(value) });
}

function invalidArgument(name: string, value: string, message: string): S3Error {
  return s3Error('InvalidArgument', {
    message,
    fields: [
      ['ArgumentName', name],
      ['ArgumentValue', value],
    ],
  });
}
