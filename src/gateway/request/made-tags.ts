import { uncodedTags } from '../../http/content-coding.ts';
import type { HeaderField } from '../../s3/dialect.ts';
import type { KeyRules } from '../request/key-rules.ts';
import { isRead } from './changed-keys.ts';
import type { WebFields } from './web-read.ts';

/**
 * Whether If-Match may name what was made here in another coding: it then stands for the content that this was made of, which is all
 * that the origin knows. Not where a part is read: of the content as it is, that would be put to bytes in a coding.
 */
export function mayDemandMade(
  method: string,
  { ifMatch, range }: WebFields,
  { compress = 'off' }: KeyRules,
): boolean {
  return ifMatch !== undefined && compress !== 'off' && !(isRead(method) && range !== undefined);
}

/** `fields` that demand the content as it is, for that which was made of it. */
export function demandAsIs<Fields extends WebFields>(fields: Fields): Fields {
  return { ...fields, ifMatch: fields.ifMatch && uncodedTags(fields.ifMatch) };
}

/** The same of what the origin gets. */
export function sentAsIs(sent: readonly HeaderField[]): readonly HeaderField[] {
  return sent.map(field =>
    field.name === 'if-match' ? { ...field, value: uncodedTags(field.value) } : field,
  );
}
