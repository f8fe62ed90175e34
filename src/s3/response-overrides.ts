import { type Pairs, type S3Error, s3Error } from './error.ts';
import { errorTexts } from './error-texts.ts';
import type { Query } from './query.ts';

const headerOf: ReadonlyMap<string, string> = new Map([
  ['response-cache-control', 'cache-control'],
  ['response-content-disposition', 'content-disposition'],
  ['response-content-encoding', 'content-encoding'],
  ['response-content-language', 'content-language'],
  ['response-content-type', 'content-type'],
  ['response-expires', 'expires'],
]);

const none: Pairs = Object.freeze([]);

/** RFC 9110 §5.5; a carriage return or line feed would begin a header of the caller's making. */
const fieldValue = /^[\t\u0020-\u007e\u0080-\u00ff]*$/;

/**
 * The headers that `response-*` parameters set, by lower-case name, values verbatim (object-retrieval.md, Request
 * parameters, rule 3; behaviours.md 132 to 142). An empty one sets nothing; of a repeated one the first counts.
 *
 * @throws S3Error InvalidRequest on a request that is not signed, InvalidArgument for what no header can carry
 */
export function readResponseOverrides(query: Query, isSigned: boolean): Pairs {
  let overrides: Map<string, string> | undefined;
  for (const { name, value } of query) {
    const header = headerOf.get(name);
    if (header === undefined) continue;
    if (!isSigned) throw s3Error('InvalidRequest', { message: errorTexts.anonymousOverride });
    if (!fieldValue.test(value)) throw unusable(name, value);
    overrides ??= new Map();
    if (value !== '' && !overrides.has(header)) overrides.set(header, value);
  }
  return overrides ? [...overrides] : none;
}

/** behaviours.md 139 and 140. */
function unusable(name: string, value: string): S3Error {
  const message = /[\u0100-\uffff]/.test(value)
    ? errorTexts.overrideNotLatin1
    : 'Header value cannot contain control characters.';
  return s3Error('InvalidArgument', {
    message,
    fields: [
      ['ArgumentName', name],
      ['ArgumentValue', value],
    ],
  });
}
