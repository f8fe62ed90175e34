import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ByteTextReader, ByteTextWriter, DamagedBytesError } from '../../src/cache/byte-text.ts';
import type { Content } from '../../src/cache/content.ts';
import { PartMap } from '../../src/cache/part-map.ts';
import type { ObjectRecord } from '../../src/cache/record.ts';
import { readRecord, writeRecord } from '../../src/cache/record-codec.ts';

const unused = (): never => {
  throw new Error('nothing is read here');
};
const content: Content = {
  ...{ sizeBytes: 1, parts: new PartMap(), coverage: unused, lend: unused, peekText: unused, open: unused },
};

const text = fc.oneof(
  fc.string({ maxLength: 40 }),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom('"etag"', 'x'.repeat(300), '\ud800'),
);
/** No time is -0. */
const nothingNegative = (value: number) => value + 0;
const count = fc.oneof(fc.nat(300), fc.maxSafeNat());
const number = fc.oneof(fc.maxSafeInteger(), fc.double({ noNaN: true }).map(nothingNegative), count);
const absent = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });
const fields = fc.array(
  fc.record({
    name: fc.oneof(text, fc.constantFrom('etag', 'content-type', 'version-id', 'restore')),
    value: text,
    store: fc.boolean(),
  }),
  { maxLength: 8 },
);
const directives = fc.record({
  ...{ maxAgeS: absent(number), sMaxAgeS: absent(number), noCache: fc.boolean(), noStore: fc.boolean() },
  ...{ mustRevalidate: fc.boolean(), staleIfErrorS: absent(number), expiresAfterMs: absent(number) },
  ...{ staleWhileRevalidateS: absent(number), unchangedForMs: absent(number), mayAssume: fc.boolean() },
  ...{ restoredUntilMs: absent(number), initialAgeMs: number },
});
const base = {
  ...{ barrier: count, staleFromMs: absent(number), tagSlots: fc.array(count, { maxLength: 5 }) },
  ...{ epoch: number, isUnsettled: fc.boolean(), isUsableForGet: fc.boolean(), fields, receivedMs: number },
  ...{ directives, isWithdrawn: fc.boolean() },
};
const record: fc.Arbitrary<ObjectRecord> = fc.oneof(
  fc.record({
    ...{ ...base, kind: fc.constant('readable' as const), isNegative: fc.constant(false as const) },
    ...{ entityTag: absent(text), lastModifiedMs: absent(number), sizeBytes: count, versionId: absent(text) },
    checksums: fc.constantFrom('known' as const, 'unknown' as const),
    ...{ isCharged: fc.boolean(), content: fc.constant(content) },
  }),
  fc.record({
    ...{ ...base, kind: fc.constant('refused' as const), isNegative: fc.constant(true as const) },
    status: count,
    body: fc.uint8Array({ maxLength: 300 }).map(bytes => Buffer.from(bytes)),
  }),
  fc.record({
    ...{ ...base, kind: fc.constant('uncacheable' as const), isNegative: fc.constant(false as const) },
    tooLargeBytes: absent(count),
  }),
);

function encoded(records: readonly ObjectRecord[], more = ''): string {
  const to = new ByteTextWriter();
  for (const one of records) writeRecord(to, one, 7);
  if (more !== '') to.text(more);
  return to.finish(3);
}

function decoded(bytes: string, length: number, version = 3): ObjectRecord[] {
  const from = new ByteTextReader(bytes, version);
  return Array.from({ length }, () =>
    readRecord(from, contentNumber => {
      expect(contentNumber).toBe(contentNumber === 7 ? 7 : 0);
      return content;
    }),
  );
}

describe('a record as bytes', () => {
  it('is the same after it was written and read', () => {
    fc.assert(
      fc.property(fc.array(record, { maxLength: 4 }), records => {
        const bytes = encoded(records);
        expect(Buffer.from(bytes, 'latin1').toString('latin1'), 'one byte a character').toBe(bytes);
        expect(decoded(bytes, records.length)).toEqual(records);
      }),
      { numRuns: 500 },
    );
  });

  it('may be followed by what a later writer knows besides', () => {
    fc.assert(
      fc.property(record, text, (one, more) => {
        expect(decoded(encoded([one], more), 1)).toEqual([one]);
      }),
    );
  });

  it('is refused when any of it was changed, cut off or added to, and when the version is another one', () => {
    fc.assert(
      fc.property(record, fc.nat(), fc.integer({ min: 1, max: 255 }), (one, place, flips) => {
        const bytes = encoded([one]);
        const at = place % bytes.length;
        const changed = String.fromCharCode(bytes.charCodeAt(at) ^ flips);
        const spoilt = [
          bytes.slice(0, at) + changed + bytes.slice(at + 1),
          bytes.slice(0, at),
          `${bytes}${changed}`,
        ];
        for (const wrong of spoilt) expect(() => decoded(wrong, 1)).toThrow(DamagedBytesError);
        expect(() => decoded(bytes, 1, 4)).toThrow(DamagedBytesError);
      }),
    );
  });

  it('is refused where it promises more than follows, even with a right hash', () => {
    const to = new ByteTextWriter();
    to.count(2);
    to.count(0);
    const bytes = to.finish(3);
    expect(() => decoded(bytes, 1)).toThrow(DamagedBytesError);
    expect(() => decoded(encoded([]), 1)).toThrow(DamagedBytesError);
  });
});
