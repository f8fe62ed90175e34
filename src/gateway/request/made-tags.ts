import { acceptedCodings } from '../../http/accept-encoding.ts';
import { uncodedTags, withUncodedTags } from '../../http/content-coding.ts';
import { isGetOrHead } from '../../http/get-or-head.ts';
import { isDated } from '../../http/preconditions.ts';
import type { HeaderField } from '../../s3/dialect.ts';
import type { ClientRead } from './client-read.ts';
import type { CompressionRules } from './compression-rules.ts';
import type { KeyRules } from './key-rules.ts';

interface Resumption {
  readonly range: string | undefined;
  readonly ifRange: string | undefined;
  readonly acceptEncoding: string | undefined;
}

interface Demands {
  readonly ifMatch?: string | undefined;
  readonly range?: string | undefined;
}

/**
 * Whether If-Match may name what was made here in another coding: it then stands for the content that this was made of, which is all
 * that the origin knows. Not where a part is read: of the content as it is, that would be put to bytes in a coding.
 */
export function mayDemandMade(method: string, { ifMatch, range }: Demands, rules: KeyRules): boolean {
  return ifMatch !== undefined && mayBeMade(rules) && !(isGetOrHead(method) && range !== undefined);
}

/** Whether something in another coding may be made of what these rules concern. */
export function mayBeMade({ compress = 'off' }: KeyRules): boolean {
  return compress !== 'off';
}

/**
 * Whether a client goes on by a date with what may have been made here: that names no representation, so it gets all (RFC 9110 §13.1.5).
 */
export function mayResumeMade(
  method: string,
  { range, ifRange, acceptEncoding }: Resumption,
  { compress = 'off' }: KeyRules,
): boolean {
  if (compress === 'off' || !isGetOrHead(method) || range === undefined || ifRange === undefined)
    return false;
  if (acceptEncoding === undefined || !isDated(ifRange)) return false;
  return acceptedCodings(acceptEncoding, compress.codings).length > 0;
}

/** Whether who reads an object so never gets anything else than what the store has. */
export function isReadAsIs(
  { exchange, overrides, read, visibility, customerKey }: ClientRead,
  { signed }: CompressionRules,
): boolean {
  if (overrides.length > 0 || visibility.checksums || read.partNumber !== undefined) return true;
  return customerKey !== undefined || (exchange.caller !== undefined && !signed);
}

/** `mayResumeMade` of a read of an object. */
export function resumesMade(client: ClientRead): boolean {
  const { read, fields, rules } = client;
  const { compress = 'off' } = rules;
  return compress !== 'off' && !isReadAsIs(client, compress) && mayResumeMade(read.method, fields, rules);
}

/** `mayDemandMade` of a read of an object; parts are of what the store has. */
export function readsMade({ read, fields, rules }: ClientRead): boolean {
  return read.partNumber === undefined && mayDemandMade(read.method, fields, rules);
}

/** `fields` that demand the content as it is as well, for that which was made of it. */
export function demandAsIs<Fields extends Demands>(fields: Fields): Fields {
  return { ...fields, ifMatch: fields.ifMatch && withUncodedTags(fields.ifMatch) };
}

/** What the origin gets: it knows the content as it is alone. */
export function sentAsIs(sent: readonly HeaderField[]): readonly HeaderField[] {
  return sent.map(field =>
    field.name === 'if-match' && !field.store ? { ...field, value: uncodedTags(field.value) } : field,
  );
}
