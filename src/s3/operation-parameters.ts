import type { HeaderField } from './dialect.ts';
import { s3Error } from './error.ts';
import { bucketOperations, type OperationName, objectOperations } from './operation-table.ts';
import { passed, type Takes } from './passed-operations.ts';
import type { KeyKind } from './path-key.ts';
import type { Query } from './query.ts';
import { mayBePath, requireId } from './store-id.ts';

/** Parameters of reads and write operations, and those that signatures and tools add. */
const ofOthers = [
  ...['AWSAccessKeyId', 'Expires', 'Signature', 'x-id', 'bucket-region', 'max-buckets', 'partNumber'],
  ...['response-cache-control', 'response-content-disposition', 'response-content-encoding'],
  ...['response-content-language', 'response-content-type', 'response-expires', 'select-type', 'versionId'],
];

/** Parameters whose values are keys or parts of keys. All other values are ids, numbers or words. */
const ofKeys: ReadonlySet<string> = new Set(['delimiter', 'key-marker', 'marker', 'prefix', 'start-after']);

const subResources: ReadonlySet<string> = new Set(
  [bucketOperations, objectOperations].flatMap(table => Object.keys(table)).filter(Boolean),
);

/** Parameters that select no operation even when empty; those with a store prefix do not either. */
export const plainParameters: ReadonlySet<string> = new Set(
  [...ofOthers, ...Object.values(passed).flatMap(({ parameters }) => parameters)].filter(
    name => !subResources.has(name),
  ),
);

/**
 * The query parameters that `operation` knows, in the order of the table. Sub-resources lose their value, except for
 * the upload id.
 *
 * @param keys whether the store may interpret ids as paths.
 * @throws S3Error InvalidArgument for a repeated parameter, of which gateway and store might read different ones, and
 *   for an id that may be a path; NoSuchUpload for such an id of an upload, or an empty one; NotImplemented for an operation
 *   that is not passed to stores
 */
export function knownParameters(operation: OperationName, query: Query, keys: KeyKind): Query {
  return takenBy(operation).parameters.flatMap(name => {
    const [parameter, another] = query.filter(each => each.name === name);
    if (another) throw repeated(name, another.value);
    if (!parameter) return [];
    if (subResources.has(name) && name !== 'uploadId') return [{ name, value: '' }];
    // a store of files may take an empty id for all uploads of the key
    if (name === 'uploadId' && (parameter.value === '' || mayBePath(keys, parameter.value)))
      throw s3Error('NoSuchUpload', { fields: [['UploadId', parameter.value]] });
    if (!ofKeys.has(name)) requireId(keys, parameter.value, name);
    return [parameter];
  });
}

/** Whether requests for `operation` are passed to stores; what is not may be answered by the gateway itself. */
export function isPassed(operation: OperationName): boolean {
  return passed[operation] !== undefined;
}

/** Whether requests for `operation` have a body that is sent on to the store. */
export function passesBody(operation: OperationName): boolean {
  return passed[operation]?.hasBody === true;
}

/** Whether a field is forwarded for `operation`; a store field by its name without prefix. */
export function takesField(operation: OperationName, { name, store }: Omit<HeaderField, 'value'>): boolean {
  const { fields, httpFields = [] } = takenBy(operation);
  if (!store) return httpFields.includes(name);
  return fields.some(taken => (taken.endsWith('*') ? name.startsWith(taken.slice(0, -1)) : taken === name));
}

/** Formats a query for a URL (RFC 3986 §3.4). */
export function formatQuery(query: Query): string {
  return query
    .map(({ name, value }) =>
      value === '' && subResources.has(name)
        ? name
        : `${encodeURIComponent(name)}=${encodeURIComponent(value)}`,
    )
    .join('&');
}

function takenBy(operation: OperationName): Takes {
  const taken = passed[operation];
  if (!taken) throw s3Error('NotImplemented');
  return taken;
}

function repeated(name: string, value: string) {
  return s3Error('InvalidArgument', {
    message: `The query string parameter ${name} is given more than once.`,
    fields: [
      ['ArgumentName', name],
      ['ArgumentValue', value],
    ],
  });
}
