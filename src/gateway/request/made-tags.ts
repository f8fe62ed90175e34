import { uncodedTags, withUncodedTags } from '../../http/content-coding.ts';
import type { HeaderField } from '../../s3/dialect.ts';
import { isReading } from '../../s3/operation-table.ts';
import type { KeyRules } from './key-rules.ts';

interface Demands {
  readonly ifMatch?: string | undefined;
  readonly range?: string | undefined;
}

/**
 * Whether If-Match may name what was made here in another coding: it then stands for the content that this was made of, which is all
 * that the origin knows. Not where a part is read: of the content as it is, that would be put to bytes in a coding.
 */
export function mayDemandMade(
  method: string,
  { ifMatch, range }: Demands,
  { compress = 'off' }: KeyRules,
): boolean {
  return ifMatch !== undefined && compress !== 'off' && !(isReading(method) && range !== undefined);
}

/** `fields` that demand the content as it is as well, for that which was made of it. */
export function demandAsIs<Fields extends Demands>(fields: Fields): Fields {
  return { ...fields, ifMatch: fields.ifMatch && withUncodedTags(fields.ifMatch) };
}

/** What the origin gets: it knows the content as it is alone. */
export function sentAsIs(sent: readonly HeaderField[]): readonly HeaderField[] {
  return sent.map(field =>
    field.name === 'if-match' ? { ...field, value: uncodedTags(field.value) } : field,
  );
}
