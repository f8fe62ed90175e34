import type { Content } from '../../cache/content.ts';
import type { ReadableRecord } from '../../cache/record.ts';
import { CodingChoice } from '../../http/accept-encoding.ts';
import { splitDirectives } from '../../http/cache-control.ts';
import { type ContentCoding, codedTag, varyByEncoding } from '../../http/content-coding.ts';
import { contentDigests } from '../../http/content-digests.ts';
import { equalsWeakly, parseEntityTag, parseEntityTagList } from '../../http/entity-tag.ts';
import { isDated } from '../../http/preconditions.ts';
import { fieldValue, type HeaderField } from '../../s3/dialect.ts';
import type { RequestFields } from '../../s3/request-fields.ts';
import { isChecksum } from '../fill/content-head.ts';
import type { ClientRead } from '../request/client-read.ts';
import { type CompressionRules, compileTypes } from '../request/compression-rules.ts';
import { isReadAsIs } from '../request/made-tags.ts';

/** A record as one client gets it. */
export interface Representation {
  readonly record: ReadableRecord;
  /** The coding that was made here; undefined for the content as the store has it. */
  readonly coding: ContentCoding | undefined;
  /** Whether a date in If-Range does not hold: it may be of another representation (RFC 9110 §13.1.5). */
  readonly isUndated?: boolean;
}

type Asked = Pick<
  RequestFields,
  'acceptEncoding' | 'range' | 'ifRange' | 'ifMatch' | 'ifNoneMatch' | 'cacheControl'
>;

/** A record with what is made of it, by rules that concern it. */
interface Negotiable {
  readonly asIs: Representation;
  /** The same for who resumes by a date, which several representations have. */
  readonly undated: Representation;
  readonly coded: Map<ContentCoding, Representation>;
}

/** The same for one set of rules. */
interface Compiled {
  readonly choice: CodingChoice;
  readonly isOfType: (contentType: string) => boolean;
  /** Of records that the rules do not concern: undefined. Freed with the record. */
  readonly known: WeakMap<ReadableRecord, Negotiable | undefined>;
}

/** Chooses in which coding a client gets a content (RFC 9110 §12.5.3). One instance in a worker. */
export class Representations {
  readonly #compiled = new WeakMap<CompressionRules, Compiled>();

  /**
   * What the client of a GET or HEAD gets of `record`: the best coding that is at hand, otherwise the content as it is. That
   * is also what ranges are of, and what a request gets that names an entity tag in If-Match or does not want the content
   * changed (RFC 9111 §5.2.1.6). An answer that is one of several says so in Vary.
   *
   * @param mayMake whether the coding that the client likes best may be made for later readers
   */
  of(record: ReadableRecord, rules: CompressionRules, asked: Asked, mayMake: boolean): Representation {
    const compiled = this.#compile(rules);
    const negotiable = negotiableOf(record, rules, compiled);
    if (!negotiable) return { record, coding: undefined };
    const { asIs } = negotiable;
    if (resumesByDate(asked) && compiled.choice.of(asked.acceptEncoding).length > 0)
      return negotiable.undated;
    const accepted = wantsAsIs(asked) ? [] : compiled.choice.of(asked.acceptEncoding);
    const [best] = accepted;
    if (best === undefined) return asIs;
    const { encodings } = record.content;
    for (const coding of accepted) {
      const content = encodings?.in(coding);
      if (!content && coding === best && mayMake) encodings?.make(best);
      if (content) return codedFrom(negotiable, coding, content);
    }
    const had = codingOfTag(asked.ifNoneMatch, record, accepted);
    return had ? coded(asIs.record, had, record.content) : asIs;
  }

  /**
   * The same for a read of an object. Programs that sign get what the store has, unless it is configured otherwise, and so
   * does who asks for parts, checksums or other header fields.
   */
  ofObject(
    record: ReadableRecord,
    rules: CompressionRules,
    client: ClientRead,
    mayMake: boolean,
  ): Representation {
    if (isReadAsIs(client, rules)) return { record, coding: undefined };
    return this.of(record, rules, client.fields, mayMake && !client.exchange.isHead);
  }

  /** The content as it is, for who was to get a coding that could not be read. */
  asIs(record: ReadableRecord, rules: CompressionRules): ReadableRecord {
    return negotiableOf(record, rules, this.#compile(rules))?.asIs.record ?? record;
  }

  #compile(rules: CompressionRules): Compiled {
    const known = this.#compiled.get(rules);
    if (known) return known;
    const compiled = {
      choice: new CodingChoice(rules.codings),
      isOfType: compileTypes(rules.types),
      known: new WeakMap(),
    };
    this.#compiled.set(rules, compiled);
    return compiled;
  }
}

function negotiableOf(
  record: ReadableRecord,
  rules: CompressionRules,
  { known, isOfType }: Compiled,
): Negotiable | undefined {
  if (known.has(record)) return known.get(record);
  const negotiable = isCompressible(record, rules, isOfType) ? negotiableFrom(record) : undefined;
  known.set(record, negotiable);
  return negotiable;
}

function negotiableFrom(record: ReadableRecord): Negotiable {
  const asIs = { ...record, fields: varied(record.fields) };
  return {
    asIs: { record: asIs, coding: undefined },
    undated: { record: asIs, coding: undefined, isUndated: true },
    coded: new Map(),
  };
}

/** What has a coding already is left as it is, and what must not be changed (RFC 9110 §7.7; RFC 9111 §5.2.2.6). */
function isCompressible(
  { sizeBytes, fields, answer }: ReadableRecord,
  { minSizeBytes, maxSizeBytes }: CompressionRules,
  isOfType: (contentType: string) => boolean,
): boolean {
  if (sizeBytes < minSizeBytes || sizeBytes > maxSizeBytes) return false;
  if (answer && answer.status !== 200) return false;
  if ((fieldValue(fields, 'content-encoding') ?? '').trim() !== '') return false;
  return (
    !forbidsChange(fieldValue(fields, 'cache-control') ?? '') &&
    isOfType(fieldValue(fields, 'content-type') ?? '')
  );
}

function wantsAsIs({ range, ifMatch, cacheControl }: Asked): boolean {
  if (range !== undefined || ifMatch !== undefined) return true;
  return cacheControl !== undefined && forbidsChange(cacheControl);
}

function resumesByDate({ range, ifRange }: Asked): boolean {
  return range !== undefined && ifRange !== undefined && isDated(ifRange);
}

function forbidsChange(cacheControl: string): boolean {
  return splitDirectives(cacheControl).has('no-transform');
}

/**
 * Of which coding If-None-Match names the tag: a client that has it needs nothing else while the content is the same, also
 * where it would have to be made anew.
 */
function codingOfTag(
  ifNoneMatch: string | undefined,
  { entityTag }: ReadableRecord,
  accepted: readonly ContentCoding[],
): ContentCoding | undefined {
  if (ifNoneMatch === undefined || entityTag === undefined) return undefined;
  const list = parseEntityTagList(ifNoneMatch);
  if (list.kind === 'any') return undefined;
  return accepted.find(coding => {
    const own = parseEntityTag(codedTag(entityTag, coding));
    return list.tags.some(tag => equalsWeakly(tag, own));
  });
}

function codedFrom(
  { asIs, coded: known }: Negotiable,
  coding: ContentCoding,
  content: Content,
): Representation {
  const before = known.get(coding);
  if (before?.record.content === content) return before;
  const made = coded(asIs.record, coding, content);
  known.set(coding, made);
  return made;
}

/** Digests of what the store has, which this is not (RFC 9530 §3). */
const ofContentAsIs: ReadonlySet<string> = new Set([
  ...contentDigests,
  'digest',
  'repr-digest',
  'content-encoding',
]);

function coded(asIs: ReadableRecord, coding: ContentCoding, content: Content): Representation {
  const entityTag = asIs.entityTag && codedTag(asIs.entityTag, coding);
  const fields = asIs.fields
    .filter(field => (field.store ? !isChecksum(field) : !ofContentAsIs.has(field.name)))
    .map(field =>
      !field.store && field.name === 'etag' && entityTag ? { ...field, value: entityTag } : field,
    );
  fields.push({ name: 'content-encoding', value: coding, store: false });
  return { record: { ...asIs, fields, entityTag, sizeBytes: content.sizeBytes, content }, coding };
}

/** `fields` of an answer that Accept-Encoding has chosen, or might have. */
export function varied(fields: readonly HeaderField[]): readonly HeaderField[] {
  const others = fields.filter(({ name, store }) => store || name !== 'vary');
  const vary = varyByEncoding(fieldValue(fields, 'vary') ?? '');
  return [...others, { name: 'vary', value: vary, store: false }];
}
