import { isGetOrHead } from '../http/get-or-head.ts';
import type { Address } from './address.ts';
import { bareName } from './dialect.ts';
import { notAllowed, s3Error } from './error.ts';
import { errorTexts, subResourceOfKeyText } from './error-texts.ts';
import { isPassed, plainParameters } from './operation-parameters.ts';
import {
  bucketOperations,
  type OperationName,
  objectOperations,
  serviceOperations,
} from './operation-table.ts';
import { type Query, queryValue } from './query.ts';

export type { OperationName } from './operation-table.ts';

/** Headers that distinguish operations. */
export interface OperationHeaders {
  /** The store field `copy-source`: with it, a PUT reads another object, possibly in another bucket. */
  readonly copySource: string | undefined;
  readonly contentType: string | undefined;
}

/** Methods used by the S3 API. */
const methods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'PUT', 'POST', 'DELETE', 'OPTIONS']);

type ByMethod = ReadonlyMap<string, OperationName>;
type Resource = Address['kind'];

const tables: Readonly<Record<Resource, ReadonlyMap<string, ByMethod>>> = {
  service: asMap(serviceOperations),
  bucket: asMap(bucketOperations),
  object: asMap(objectOperations),
};

/** Distinguishes operations with the same method and sub-resource. */
const refinements: Partial<
  Record<OperationName, (query: Query, headers: OperationHeaders) => OperationName>
> = {
  ListObjects: query => (queryValue(query, 'list-type') === '2' ? 'ListObjectsV2' : 'ListObjects'),
  PutObject: (_, { copySource }) => (copySource === undefined ? 'PutObject' : 'CopyObject'),
  UploadPart: (_, { copySource }) => (copySource === undefined ? 'UploadPart' : 'UploadPartCopy'),
  PostObject: (_, { contentType }) => postObject(contentType),
  GetBucketAnalyticsConfiguration: unlessListed(
    'GetBucketAnalyticsConfiguration',
    'ListBucketAnalyticsConfigurations',
  ),
  GetBucketIntelligentTieringConfiguration: unlessListed(
    'GetBucketIntelligentTieringConfiguration',
    'ListBucketIntelligentTieringConfigurations',
  ),
  GetBucketInventoryConfiguration: unlessListed(
    'GetBucketInventoryConfiguration',
    'ListBucketInventoryConfigurations',
  ),
  GetBucketMetricsConfiguration: unlessListed(
    'GetBucketMetricsConfiguration',
    'ListBucketMetricsConfigurations',
  ),
};

/**
 * Determines the operation of a request, by its name in the S3 API (docs/semantics.md 233 to 237, 268 to 270).
 *
 * Unknown parameters with a value are ignored. An unknown parameter without a value may be a sub-resource newer than
 * this table, so the operation is `Unknown`: treating it as the operation without the parameter could be wrong.
 *
 * @throws S3Error MethodNotAllowed, InvalidArgument (two sub-resources; a source for what is no copy), InvalidRequest (a
 *   bucket's sub-resource with a key), PreconditionFailed (a POST to a bucket that is not a form)
 */
export function detectOperation(
  method: string,
  address: Address,
  query: Query,
  headers: OperationHeaders,
): OperationName {
  if (method === 'OPTIONS') return 'Options';
  const resource = address.kind;
  const selector = selectorOf(query, resource);
  if (!methods.has(method)) throw refusedMethod(method, resource, selector);
  if (selector === undefined) return 'Unknown';
  const byMethod = tables[resource].get(selector);
  if (!byMethod && resource === 'object') throw notOfKeys(selector);
  const named = byMethod?.get(method);
  if (!named && resource === 'object' && selector === 'uploads' && method === 'GET')
    throw s3Error('InvalidRequest', { message: errorTexts.listWithKey });
  if (!named) throw refusedMethod(method, resource, selector);
  const operation = refinements[named]?.(query, headers) ?? named;
  const { copySource } = headers;
  if (copySource !== undefined && !copies.has(operation)) throw copySourceUnexpected(copySource);
  return operation;
}

function refusedMethod(method: string, resource: Resource, selector: string | undefined) {
  return notAllowed({ method, resource, allowed: methodsOf(resource, selector) });
}

/**
 * The methods that a resource takes, for `Allow` of a 405 (docs/semantics.md 207): those that change nothing, and those
 * of operations that are passed to stores, as others are refused.
 *
 * @throws S3Error InvalidArgument (two sub-resources)
 */
export function allowedMethods(resource: Resource, query: Query): readonly string[] {
  return methodsOf(resource, selectorOf(query, resource));
}

const copies: ReadonlySet<OperationName> = new Set<OperationName>(['CopyObject', 'UploadPartCopy']);

function copySourceUnexpected(value: string) {
  return s3Error('InvalidArgument', {
    message: errorTexts.copySourceUnexpected,
    fields: [
      ['ArgumentName', 'x-amz-copy-source'],
      ['ArgumentValue', value],
    ],
  });
}

/** Whether a query has parameters of the S3 API: what else it has says nothing to a store. */
export function hasStoreParameters(query: Query): boolean {
  return query.some(
    ({ name }) => isSubResource(name) || plainParameters.has(name) || bareName(name).prefix !== undefined,
  );
}

/** Whether an operation reads an object's data or headers, and so uses the cache. */
export function isObjectRead(operation: OperationName): operation is 'GetObject' | 'HeadObject' {
  return operation === 'GetObject' || operation === 'HeadObject';
}

/** The sub-resource of a query, empty for none; undefined for an unknown one. */
function selectorOf(query: Query, resource: Resource): string | undefined {
  let selector = '';
  let isUnknown = false;
  for (const { name, value } of query) {
    if (isSubResource(name)) {
      if (selector !== '' && selector !== name) throw conflicting(selector, name);
      selector = name;
    } else if (value === '' && !plainParameters.has(name) && bareName(name).prefix === undefined) {
      isUnknown = true;
    }
  }
  const isKnown = !isUnknown && (resource !== 'service' || selector === '');
  return isKnown ? selector : undefined;
}

/** @param selector undefined for a sub-resource that is not known, of which the resource's own methods are told */
function methodsOf(resource: Resource, selector = ''): readonly string[] {
  const operations = [...(tables[resource].get(selector) ?? [])];
  return operations
    .filter(([method, name]) => isGetOrHead(method) || isPassed(name))
    .map(([method]) => method);
}

function isSubResource(name: string): boolean {
  return name !== '' && (tables.object.has(name) || tables.bucket.has(name));
}

function conflicting(one: string, other: string) {
  return s3Error('InvalidArgument', {
    message: `Conflicting query string parameters: ${one}, ${other}`,
    fields: [
      ['ArgumentName', 'ResourceType'],
      ['ArgumentValue', one],
    ],
  });
}

function notOfKeys(selector: string) {
  return s3Error('InvalidRequest', { message: subResourceOfKeyText(selector) });
}

function postObject(contentType = ''): OperationName {
  if (/^multipart\/form-data\s*(?:;|$)/i.test(contentType)) return 'PostObject';
  const message = errorTexts.bucketPostNotForm;
  throw s3Error('PreconditionFailed', { message, fields: [['Condition', message]] });
}

/** With an id, one configuration is read; without, all are listed. */
function unlessListed(one: OperationName, all: OperationName) {
  return (query: Query) => (queryValue(query, 'id') === undefined ? all : one);
}

function asMap(
  table: Readonly<Record<string, Readonly<Record<string, OperationName>>>>,
): ReadonlyMap<string, ByMethod> {
  return new Map(
    Object.entries(table).map(([selector, names]) => [selector, new Map(Object.entries(names))]),
  );
}
