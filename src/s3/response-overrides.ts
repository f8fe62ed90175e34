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

/** RFC 9110 §5.5; a carriage return or line feed would allow header injection. */
const fieldValue = /^[\t\u0020-\u007e\u0080-\u00ff]*$/;

/**
 * The headers set by `response-*` parameters, by lower-case name, values unchanged (docs/semantics.md, Request
 * parameters, rule 3; docs/semantics.md 132 to 142). Empty parameters are ignored; the first of repeated ones counts.
 *
 * @throws S3Error InvalidRequest for an unsigned request, InvalidArgument for a value that a header cannot contain
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

/** docs/semantics.md 139 and 140. */
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
