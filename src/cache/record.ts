import { lengthPrefixed } from '../base/length-prefixed.ts';
import type { HeaderField } from '../s3/dialect.ts';
import type { Content } from './content.ts';
import type { FreshnessDirectives } from './freshness.ts';

/** What the store said of one version and variant of an object. */
export type ObjectRecord = ReadableRecord | RefusedRecord | UncacheableRecord;

interface RecordBase {
  /** False for what HEAD said of an object that GET refuses, and for a refusal that came without its body (behaviours.md 168). */
  readonly answersGet: boolean;
  /** Header fields that belong to the object, without those of one reply (date, connection, ids, lengths). */
  readonly fields: readonly HeaderField[];
  readonly receivedMs: number;
  readonly directives: FreshnessDirectives;
  /** `Epochs.current` when the store was asked. */
  readonly epoch: number;
}

/** An object or version whose bytes can be had. */
export interface ReadableRecord extends RecordBase {
  readonly kind: 'readable';
  readonly isNegative: false;
  readonly entityTag: string | undefined;
  readonly lastModifiedMs: number | undefined;
  readonly sizeBytes: number;
  readonly versionId: string | undefined;
  /** Whether the checksums among `fields` are all there are; unknown after a partial answer (behaviours.md, Decided 12). */
  readonly checksums: 'known' | 'unknown';
  readonly content: Content;
}

/** A missing key, a delete marker, an archived object: a refusal that may be remembered for a while. */
export interface RefusedRecord extends RecordBase {
  readonly kind: 'refused';
  readonly isNegative: true;
  readonly status: number;
  /** The store's error body as it was sent; empty for the answer to a HEAD. */
  readonly body: Buffer;
}

/**
 * An object that is not kept: its content cannot be told from another, since the store names no strong entity tag or no
 * length, or it is said to be longer than what its bucket keeps. Every read of it goes to the store as the client asked, and
 * nothing of the answer is kept.
 */
export interface UncacheableRecord extends RecordBase {
  readonly kind: 'passed';
  readonly isNegative: false;
}

/** What a store's answer can depend on besides key and version. Absent fields are undefined. */
export interface Variant {
  /** CORS makes the answer depend on it (behaviours.md 198). */
  readonly origin: string | undefined;
  readonly expectedBucketOwner: string | undefined;
  readonly requestPayer: string | undefined;
}

/** The record that answers only GET, where the one that answers HEAD says something else. */
export function getRecordName(name: string): string {
  return lengthPrefixed('GET') + lengthPrefixed(name);
}

/**
 * Names a record within its entry; most have the empty name. What a page of another origin is told depends on its method
 * too, so that GET and HEAD have records of their own then.
 */
export function recordName(
  versionId: string | undefined,
  { origin, expectedBucketOwner, requestPayer }: Variant,
  method: 'GET' | 'HEAD',
): string {
  const isPlain = versionId === undefined && origin === undefined;
  if (isPlain && expectedBucketOwner === undefined && requestPayer === undefined) return '';
  const asked = origin === undefined ? undefined : method;
  return [versionId, asked, origin, expectedBucketOwner, requestPayer].map(lengthPrefixed).join('');
}

/**
 * Whether `record` says where part `number` lies, or needs not to. Part numbers may leave gaps, so that the count of parts
 * does not tell which there are (behaviours.md 55).
 */
export function knowsPart(record: ObjectRecord, number: number | undefined): boolean {
  if (number === undefined || record.kind !== 'readable' || record.sizeBytes === 0) return true;
  return record.content.parts.get(number) !== undefined;
}

/** Bytes of heap that a record is taken to cost without its content; an estimate that errs upwards. */
export function recordCostBytes(record: ObjectRecord): number {
  let cost = 600 + (record.kind === 'refused' ? record.body.length : 400);
  for (const field of record.fields) cost += 64 + 2 * (field.name.length + field.value.length);
  return cost;
}
