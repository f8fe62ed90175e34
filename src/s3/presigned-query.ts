import { isHeaderLine } from '../http/header-lines.ts';
import { bareName, type HeaderField } from './dialect.ts';
import { s3Error } from './error.ts';
import type { Query } from './query.ts';

/** Names of signature parameters, without prefix. */
const ofSignature = new Set([
  'algorithm',
  'content-sha256',
  'credential',
  'date',
  'expires',
  'security-token',
  'signature',
  'signedheaders',
]);

/**
 * Customer-provided keys and codes of multi-factor authentication are not accepted in a URL, since they would appear in
 * every log on the way.
 */
const secret = /^(?:mfa$|(?:copy-source-)?server-side-encryption-customer-)/;

/**
 * The headers that signers moved into the query, to be forwarded to the store; parameters of the signature are left
 * out. When there is also a header of this name, the header takes precedence (docs/semantics.md 127).
 *
 * @throws S3Error InvalidArgument for what no header can carry, such as a line feed
 */
export function fieldsOfQuery(query: Query): readonly HeaderField[] {
  return query.flatMap(({ name: parameter, value }) => {
    const { name, prefix } = bareName(parameter);
    if (!prefix || ofSignature.has(name) || secret.test(name)) return [];
    const bytes = Buffer.from(value).toString('latin1');
    if (!isHeaderLine(parameter, bytes))
      throw s3Error('InvalidArgument', {
        fields: [
          ['ArgumentName', parameter],
          ['ArgumentValue', value],
        ],
      });
    return [{ name, value: bytes, store: true }];
  });
}
