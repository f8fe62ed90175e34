import { hash } from 'node:crypto';
import { lengthPrefixed } from '../base/length-prefixed.ts';
import type { HeaderField } from '../s3/dialect.ts';
import type { Content } from './content.ts';
import type { FreshnessDirectives } from './stated-freshness.ts';

/** What the store answered for one version and variant of an object. */
export type ObjectRecord = ReadableRecord | RefusedRecord | UncacheableRecord;

/** What was known of an object's key when the store was asked. */
export interface Asked {
  /** `Epochs.current` */
  readonly epoch: number;
  /** `PurgeBarriers.latest`: later ones concern the record. */
  readonly barrier: number;
  /** `UnsettledKeys.has`: then the record is revalidated before each use. */
  readonly isUnsettled: boolean;
}

/** The same while there is no answer. */
export interface Asking extends Asked {
  /** Of all that was held of the object: a purge of one of these means the answer too, whatever that is tagged with. */
  readonly heldTags: HeldTags;
}

/** The `tagSlots` of several records, as far as they have any. */
export type HeldTags = readonly (readonly number[])[];

interface RecordBase extends Asked {
  /**
   * False for a HEAD answer about an object that GET refuses, and for a refusal stored without its body
   * (docs/semantics.md 168).
   */
  readonly isUsableForGet: boolean;
  /** Header fields of the object, without per-response ones (date, connection, request ids, lengths). */
  readonly fields: readonly HeaderField[];
  readonly receivedMs: number;
  readonly directives: FreshnessDirectives;
  /** From when it is stale whatever its lifetime is, such as by a soft purge, as milliseconds since the epoch. */
  readonly staleFromMs?: number | undefined;
  /** See `tagSlotsOf`. */
  readonly tagSlots: readonly number[];
  /**
   * Whether the store has refused the object since it confirmed this record. Then it is not served where the store fails: what
   * the store answers next makes a new record (docs/architecture.md, law 6).
   */
  readonly isWithdrawn?: boolean;
}

/** An object or version that can be read. */
export interface ReadableRecord extends RecordBase {
  readonly kind: 'readable';
  readonly isNegative: false;
  readonly entityTag: string | undefined;
  readonly lastModifiedMs: number | undefined;
  readonly sizeBytes: number;
  readonly versionId: string | undefined;
  /**
   * Whether the checksums in `fields` are complete; unknown after a partial response (docs/semantics.md, Decided 12).
   */
  readonly checksums: 'known' | 'unknown';
  /**
   * Whether the store charged for the answer that this is from, as it will for reading the bytes (docs/semantics.md 127).
   */
  readonly isCharged: boolean;
  readonly content: Content;
  /** Set for an answer of a web origin. */
  readonly answer?: StoredAnswer;
}

/** What is stored of a web origin's answer beside content, fields and validators. */
export interface StoredAnswer {
  readonly status: number;
  /** Names of the request fields that selected it (RFC 9111 §4.1), sorted. */
  readonly vary: readonly string[];
}

/** A cacheable refusal: a missing key, a delete marker or an archived object. */
export interface RefusedRecord extends RecordBase {
  readonly kind: 'refused';
  readonly isNegative: true;
  readonly status: number;
  /** The store's error body as received; empty for a HEAD. */
  readonly body: Buffer;
}

/**
 * An object that cannot be cached: the store sends no strong entity tag or no length, so contents cannot be told apart,
 * or the object is larger than the bucket's limit. Each read is forwarded as the client sent it and nothing of the
 * answer is stored.
 */
export interface UncacheableRecord extends RecordBase {
  readonly kind: 'uncacheable';
  readonly isNegative: false;
  /** The object's size, if only that prevents caching: another bucket with this object may have a higher limit. */
  readonly tooLargeBytes: number | undefined;
}

/** Request fields, besides key and version, that the store's answer can depend on. Absent fields are undefined. */
export interface Variant {
  /** CORS makes the answer depend on it (docs/semantics.md 198). */
  readonly origin: string | undefined;
  readonly expectedBucketOwner: string | undefined;
  readonly requestPayer: string | undefined;
}

/** Longer texts stand in names as a digest. */
const NAME_TEXT_LIMIT = 512;

/** Name of the record for GET only, used where HEAD has a different answer. */
export function getRecordName(name: string): string {
  return lengthPrefixed('GET') + lengthPrefixed(name);
}

/**
 * Names a record within its entry; most have the empty name. A CORS answer also depends on the method, so with `Origin`
 * GET and HEAD have separate records.
 */
export function recordName(
  versionId: string | undefined,
  { origin, expectedBucketOwner, requestPayer }: Variant,
  method: 'GET' | 'HEAD',
): string {
  const isPlain = versionId === undefined && origin === undefined;
  if (isPlain && expectedBucketOwner === undefined && requestPayer === undefined) return '';
  const asked = origin === undefined ? undefined : method;
  return [versionId, asked, origin, expectedBucketOwner, requestPayer].map(bounded).join('');
}

/** Whether a record of this name is of the version, or of the current one, whichever variant it is. */
export function isOfVersion(name: string, versionId: string | undefined): boolean {
  return name === '' ? versionId === undefined : name.startsWith(bounded(versionId));
}

/**
 * `text` as a part of a name that stays short, however long a client makes it: V8's hash of a string of more than 16 383
 * characters depends on the length alone, so that in a map each would be compared with all others of its length.
 */
export function bounded(text: string | undefined): string {
  if (text === undefined || text.length <= NAME_TEXT_LIMIT) return lengthPrefixed(text);
  // no length begins with `#`, and unlike UTF-8 this encoding keeps all UTF-16 units apart
  return `#${hash('sha256', Buffer.from(text, 'utf16le'), 'base64url')}`;
}

/**
 * Whether `record` is enough to locate part `number`. Part numbers may have gaps, so the number of parts does not tell
 * which exist (docs/semantics.md 55).
 */
export function knowsPart(record: ObjectRecord, number: number): boolean {
  if (record.kind !== 'readable' || record.sizeBytes === 0) return true;
  return record.content.parts.get(number) !== undefined;
}

/** Estimated heap cost of a record without its content; errs on the high side. */
export function recordCostBytes(record: ObjectRecord): number {
  let cost = 600 + (record.kind === 'refused' ? record.body.length : 400);
  for (const field of record.fields) cost += 64 + 2 * (field.name.length + field.value.length);
  return cost;
}
