import { bareName } from '../../../s3/dialect.ts';
import { s3Error } from '../../../s3/error.ts';
import type { Query } from '../../../s3/query.ts';

/**
 * Store fields that make another write of a request. They are not passed, and without them the store would replace the
 * object: by nothing, for the source of a copy, or by what should be appended to it. MinIO extracts an archive into
 * other keys of the bucket where metadata ask for it.
 */
const otherWrites = /^(?:write-offset-bytes|meta-(?:snowball|minio)-.*)$/;

/** What concerns the source of a copy. */
const ofCopies = /^copy-source/;

/** Customer-provided keys in a URL are not passed, so that the object would not be encrypted. */
const customerKey = /^(?:copy-source-)?server-side-encryption-customer-/;

/** In other operations these name a part, an upload or a version: written in another way they would be ignored. */
const ofOthers = /^(?:part-?number|upload-?id|version-?id)$/i;

/**
 * Refuses a write of an object that says in a way which is not passed that something else is meant.
 *
 * @param fields the store fields of headers and query, without prefix
 * @param own parameters that the operation takes
 * @param isCopy whether it is a copy, whose source is in a header
 * @throws S3Error NotImplemented, InvalidArgument
 */
export function refuseOtherWrites(
  fields: ReadonlyMap<string, string>,
  query: Query,
  own: readonly { readonly name: string }[],
  isCopy: boolean,
): void {
  for (const name of fields.keys())
    if (otherWrites.test(name) || (ofCopies.test(name) && !isCopy)) throw s3Error('NotImplemented');
  for (const { name: parameter } of query) {
    const { name, prefix } = bareName(parameter);
    if (prefix && customerKey.test(name)) throw s3Error('NotImplemented');
    if (ofOthers.test(parameter) && !own.some(taken => taken.name === parameter))
      throw s3Error('InvalidArgument', { fields: [['ArgumentName', parameter]] });
  }
}
