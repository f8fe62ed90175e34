import type { HeaderField } from '../s3/dialect.ts';
import { type ByteTextReader, type ByteTextWriter, DamagedBytesError } from './byte-text.ts';
import type { Content } from './content.ts';
import type {
  ObjectRecord,
  ReadableRecord,
  RefusedRecord,
  StoredAnswer,
  UncacheableRecord,
} from './record.ts';
import type { FreshnessDirectives } from './stated-freshness.ts';

const kinds = ['readable', 'refused', 'uncacheable'] as const;

/** Names that stores send often, each written as its place here: part of the format, so none may move. */
const commonFields: readonly Omit<HeaderField, 'value'>[] = [
  ...[
    'content-type',
    'etag',
    'last-modified',
    'cache-control',
    'content-encoding',
    'content-disposition',
    'content-language',
    'expires',
    'vary',
  ].map(name => ({ name, store: false })),
  ...[
    'version-id',
    'checksum-crc32',
    'checksum-crc32c',
    'checksum-crc64nvme',
    'checksum-sha1',
    'checksum-sha256',
    'checksum-type',
    'server-side-encryption',
    'storage-class',
    'replication-status',
    'tagging-count',
    'expiration',
    'restore',
  ].map(name => ({ name, store: true })),
];
const commonPlaces = new Map(
  commonFields.map(({ name, store }, place) => [`${Number(store)}${name}`, place]),
);

/** What stands in front of a field whose name is spelled out: a store field, or another one. */
const SPELLED_STORE = 0;
const SPELLED_OTHER = 1;
const FIRST_COMMON = 2;

/** Writes `record`. @param contentNumber what stands for the content of a readable one */
export function writeRecord(to: ByteTextWriter, record: ObjectRecord, contentNumber: number): void {
  to.count(kinds.indexOf(record.kind));
  to.count(flagsOf(record));
  to.number(record.receivedMs);
  to.number(record.epoch);
  to.number(record.barrier);
  to.number(record.staleFromMs);
  to.count(record.tagSlots.length);
  for (const slot of record.tagSlots) to.count(slot);
  writeDirectives(to, record.directives);
  writeFields(to, record.fields);
  if (record.kind === 'readable') {
    to.text(record.entityTag);
    to.number(record.lastModifiedMs);
    to.number(record.sizeBytes);
    to.text(record.versionId);
    to.count(contentNumber);
    if (record.answer) writeAnswer(to, record.answer);
  } else if (record.kind === 'refused') {
    to.number(record.status);
    to.text(record.body.toString('latin1'));
  } else to.number(record.tooLargeBytes);
}

/** Reads a record. @param contentOf the content that a number stands for. @throws DamagedBytesError */
export function readRecord(
  from: ByteTextReader,
  contentOf: (contentNumber: number) => Content,
): ObjectRecord {
  const kind = kinds[from.count()];
  const flags = from.count();
  const base = {
    isUsableForGet: (flags & 1) !== 0,
    isUnsettled: (flags & 2) !== 0,
    isWithdrawn: (flags & 16) !== 0,
    receivedMs: from.value(),
    epoch: from.value(),
    barrier: from.value(),
    staleFromMs: from.number(),
    tagSlots: Array.from({ length: from.count() }, () => from.count()),
    directives: readDirectives(from),
    fields: readFields(from),
  };
  if (kind === 'readable') return { ...base, ...readReadable(from, flags, contentOf) };
  if (kind === 'refused') {
    const [status, body] = [from.value(), Buffer.from(from.name(), 'latin1')];
    return { ...base, kind, isNegative: true, status, body } satisfies RefusedRecord;
  }
  if (kind !== 'uncacheable') throw new DamagedBytesError('no kind of record');
  return { ...base, kind, isNegative: false, tooLargeBytes: from.number() } satisfies UncacheableRecord;
}

function readReadable(from: ByteTextReader, flags: number, contentOf: (contentNumber: number) => Content) {
  return {
    kind: 'readable',
    isNegative: false,
    checksums: (flags & 4) !== 0 ? 'known' : 'unknown',
    isCharged: (flags & 8) !== 0,
    entityTag: from.text(),
    lastModifiedMs: from.number(),
    sizeBytes: from.value(),
    versionId: from.text(),
    content: contentOf(from.count()),
    ...((flags & 32) !== 0 && { answer: readAnswer(from) }),
  } as const satisfies Partial<ReadableRecord>;
}

function flagsOf(record: ObjectRecord): number {
  const isReadable = record.kind === 'readable';
  return (
    (record.isUsableForGet ? 1 : 0) +
    (record.isUnsettled ? 2 : 0) +
    (isReadable && record.checksums === 'known' ? 4 : 0) +
    (isReadable && record.isCharged ? 8 : 0) +
    (record.isWithdrawn ? 16 : 0) +
    (isReadable && record.answer ? 32 : 0)
  );
}

function writeAnswer(to: ByteTextWriter, { status, vary }: StoredAnswer): void {
  to.count(status);
  to.count(vary.length);
  for (const name of vary) to.text(name);
}

function readAnswer(from: ByteTextReader): StoredAnswer {
  const status = from.count();
  return { status, vary: Array.from({ length: from.count() }, () => from.name()) };
}

function writeDirectives(to: ByteTextWriter, directives: FreshnessDirectives): void {
  const { noCache, noStore, mustRevalidate, mayAssume } = directives;
  to.count((noCache ? 1 : 0) + (noStore ? 2 : 0) + (mustRevalidate ? 4 : 0) + (mayAssume ? 8 : 0));
  to.number(directives.maxAgeS);
  to.number(directives.sMaxAgeS);
  to.number(directives.staleWhileRevalidateS);
  to.number(directives.staleIfErrorS);
  to.number(directives.expiresAfterMs);
  to.number(directives.unchangedForMs);
  to.number(directives.restoredUntilMs);
  to.number(directives.initialAgeMs);
}

function readDirectives(from: ByteTextReader): FreshnessDirectives {
  const flags = from.count();
  return {
    noCache: (flags & 1) !== 0,
    noStore: (flags & 2) !== 0,
    mustRevalidate: (flags & 4) !== 0,
    mayAssume: (flags & 8) !== 0,
    maxAgeS: from.number(),
    sMaxAgeS: from.number(),
    staleWhileRevalidateS: from.number(),
    staleIfErrorS: from.number(),
    expiresAfterMs: from.number(),
    unchangedForMs: from.number(),
    restoredUntilMs: from.number(),
    initialAgeMs: from.value(),
  };
}

/** Writes fields in their order. */
export function writeFields(to: ByteTextWriter, fields: readonly HeaderField[]): void {
  to.count(fields.length);
  for (const { name, value, store } of fields) {
    const place = commonPlaces.get(`${Number(store)}${name}`);
    to.count(place === undefined ? (store ? SPELLED_STORE : SPELLED_OTHER) : FIRST_COMMON + place);
    if (place === undefined) to.text(name);
    to.text(value);
  }
}

/** @throws DamagedBytesError */
export function readFields(from: ByteTextReader): HeaderField[] {
  const fields: HeaderField[] = [];
  for (let left = from.count(); left > 0; left--) {
    const head = from.count();
    const isSpelled = head < FIRST_COMMON;
    const known = isSpelled
      ? { name: from.name(), store: head === SPELLED_STORE }
      : commonFields[head - FIRST_COMMON];
    if (!known) throw new DamagedBytesError('no field has this number');
    fields.push({ ...known, value: from.name() });
  }
  return fields;
}
