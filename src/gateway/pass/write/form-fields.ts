import { isHeaderLine } from '../../../http/header-lines.ts';
import type { HeaderField } from '../../../s3/dialect.ts';
import { bareName } from '../../../s3/dialect.ts';
import { s3Error } from '../../../s3/error.ts';
import { takesField } from '../../../s3/operation-parameters.ts';
import { readTagging } from '../../../s3/tagging.ts';

/** Header fields of a form. Those of the store are by their names without prefix. */
export interface FormFields {
  /** What PutObject is sent with. */
  readonly passed: readonly HeaderField[];
  /** The store fields among them, and others that say something of the body. */
  readonly store: ReadonlyMap<string, string>;
  readonly contentMd5: string | undefined;
}

/** Fields without a store's prefix that are store fields of PutObject. */
const ofStores: ReadonlySet<string> = new Set(['acl', 'tagging']);

/**
 * The header fields of PutObject that the fields of a form stand for. Fields that it does not take are dropped.
 *
 * @param fields by lower-case name
 * @param isAnonymous callers without a signature may not have the gateway charged (docs/semantics.md 126)
 * @throws S3Error InvalidArgument for a name or value that cannot be a header's; MalformedPOSTRequest for a field under
 *   two names, such as `acl` and `x-amz-acl`; MalformedXML for tags
 */
export function readFormFields(fields: ReadonlyMap<string, string>, isAnonymous: boolean): FormFields {
  const passed: HeaderField[] = [];
  const store = new Map<string, string>();
  for (const [formName, text] of fields) {
    const { name, prefix } = bareName(formName);
    const isOfStore = prefix !== undefined || ofStores.has(name);
    if (isOfStore && store.has(name))
      throw s3Error('MalformedPOSTRequest', { reason: 'a field is given twice, under two names' });
    if (isOfStore) store.set(name, text);
    if (text === '' || !takesField('PutObject', { name, store: isOfStore })) continue;
    if (isAnonymous && name === 'request-payer') continue;
    passed.push({ name, value: headerOf(formName, text), store: isOfStore });
  }
  return { passed, store, contentMd5: fields.get('content-md5') };
}

function headerOf(name: string, text: string): string {
  if (name === 'tagging') return readTagging(text);
  // the bytes of a header are those of its UTF-8, each one character
  const value = Buffer.from(text).toString('latin1');
  if (!isHeaderLine(name, value))
    throw s3Error('InvalidArgument', { fields: [['ArgumentName', name]], reason: 'a field is no header' });
  return value;
}
