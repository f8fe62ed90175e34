import fc from 'fast-check';
import { expect, it } from 'vitest';
import { lengthPrefixed } from '../../src/base/length-prefixed.ts';
import { Metrics } from '../../src/base/metrics.ts';
import { isTextInRange } from '../../src/cache/object-key.ts';
import { getRecordName, recordName } from '../../src/cache/record.ts';
import { flightName, recordId } from '../../src/gateway/request/object-read.ts';
import { testKey } from '../support/object-keys.ts';

/** What a client, an operator and a store choose, all of it. */
interface Asked {
  readonly backend: string;
  readonly bucket: string;
  readonly key: string;
  readonly versionId: string | undefined;
  readonly origin: string | undefined;
  readonly expectedBucketOwner: string | undefined;
  readonly requestPayer: string | undefined;
  readonly method: 'GET' | 'HEAD';
  readonly isGetOnly: boolean;
  readonly question: string;
}

/** Whatever a name could be put together with, so that two that are cut elsewhere look alike. */
const separators = ['\n', '-', ':', '/', '\0', '0', '1', '2:', '3:GET', '\nGET', 'GET ', 'HEAD '];
const piece = fc.oneof(
  fc.constantFrom(
    ...separators,
    '',
    'main',
    'b',
    'é',
    '\u2028',
    '\ud800',
    '\udc00',
    '\ud83d\ude00',
    '__proto__',
  ),
  fc.constantFrom('x'.repeat(1024), 'x'.repeat(512)),
  fc.string({ maxLength: 3 }),
);
const text = fc.array(piece, { maxLength: 4 }).map(pieces => pieces.join(''));
const optional = fc.option(text, { nil: undefined });
const method = fc.constantFrom('GET' as const, 'HEAD' as const);
const question = fc.oneof(text, fc.constantFrom('GET ', 'HEAD ', 'GET 1', 'revalidate'));
const asked: fc.Arbitrary<Asked> = fc.record({
  ...{ backend: text, bucket: text, key: text, versionId: optional, origin: optional },
  ...{ expectedBucketOwner: optional, requestPayer: optional, method, isGetOnly: fc.boolean(), question },
});

/** The texts of `one` in a row, cut at other places: what names that only join them take for the same. */
function cutAnew(one: Asked, separator: string, picks: readonly number[]): Asked {
  const { method, isGetOnly, ...texts } = one;
  const row = Object.values(texts)
    .map(value => value ?? '')
    .join(separator);
  const cuts = picks.map(pick => pick % (row.length + 1)).sort((a, b) => a - b);
  const part = (index: number) => row.slice(cuts[index - 1] ?? 0, cuts[index]);
  return {
    ...{ backend: part(0), bucket: part(1), key: part(2), versionId: part(3), origin: part(4) },
    ...{ expectedBucketOwner: part(5), requestPayer: part(6), question: part(7), method, isGetOnly },
  };
}

const pair = fc.oneof(
  fc.tuple(asked, asked),
  fc
    .tuple(asked, fc.constantFrom('', ...separators), fc.array(fc.nat(), { minLength: 7, maxLength: 7 }))
    .map(([one, separator, picks]): [Asked, Asked] => [one, cutAnew(one, separator, picks)]),
  fc
    .tuple(asked, fc.constantFrom('key', 'versionId', 'origin', 'question'), text)
    .map(([one, field, other]): [Asked, Asked] => [one, { ...one, [field]: other }]),
);

function recordOf({ versionId, method, isGetOnly, ...variant }: Asked): string {
  const name = recordName(versionId, variant, method);
  return isGetOnly ? getRecordName(name) : name;
}

const keyOf = ({ backend, bucket, key }: Asked) => testKey(backend, bucket, key);
const texts = ({ backend, bucket, key }: Asked) => [backend, bucket, key];

/** What makes a record another: the method only where the answer depends on the origin. */
function record(one: Asked) {
  const { versionId, origin, expectedBucketOwner, requestPayer, isGetOnly } = one;
  const asMethod = origin === undefined ? undefined : one.method;
  return [versionId, origin, expectedBucketOwner, requestPayer, asMethod, isGetOnly];
}

const same = (one: readonly unknown[], other: readonly unknown[]) =>
  one.every((value, index) => value === other[index]);

it('two different objects, records, near records or questions never share a name', () => {
  fc.assert(
    fc.property(pair, ([one, other]) => {
      const [key, otherKey] = [keyOf(one), keyOf(other)];
      expect(key.text === otherKey.text).toBe(same(texts(one), texts(other)));
      expect(recordOf(one) === recordOf(other)).toBe(same(record(one), record(other)));
      const isSameAnswer = same([...texts(one), ...record(one)], [...texts(other), ...record(other)]);
      const near = recordId({ objectKey: key }, recordOf(one));
      const otherNear = recordId({ objectKey: otherKey }, recordOf(other));
      expect(near === otherNear).toBe(isSameAnswer);
      const flight = flightName({ objectKey: key, recordName: recordOf(one) }, one.question);
      const otherFlight = flightName({ objectKey: otherKey, recordName: recordOf(other) }, other.question);
      expect(flight === otherFlight).toBe(isSameAnswer && one.question === other.question);
    }),
    { numRuns: 3_000 },
  );
});

it('lists of texts that differ anywhere, in number too, have different names', () => {
  const list = fc.array(optional, { maxLength: 5 });
  const nameOf = (parts: readonly (string | undefined)[]) => parts.map(lengthPrefixed).join('');
  fc.assert(
    fc.property(list, list, (one, other) => {
      const isSame = one.length === other.length && same(one, other);
      expect(nameOf(one) === nameOf(other)).toBe(isSame);
    }),
    { numRuns: 2_000 },
  );
});

it('a range holds the keys of its bucket that begin as it says, whatever other names look like', () => {
  fc.assert(
    fc.property(pair, ([one, other]) => {
      const range = { backend: other.backend, bucket: other.bucket, keyPrefix: other.key };
      const isMeant =
        one.backend === other.backend && one.bucket === other.bucket && one.key.startsWith(other.key);
      expect(isTextInRange(keyOf(one).text, range)).toBe(isMeant);
    }),
  );
});

it('metrics count label values apart that look alike when they are joined', () => {
  const family = new Metrics().counter('tidegate_test_total', 'Test.', ['one', 'other']);
  family.cell('a\nb', 'c').add(1);
  family.cell('a', 'b\nc').add(2);
  expect(family.cell('a\nb', 'c').value).toBe(1);
  expect(family.cell('a', 'b\nc').value).toBe(2);
});

it('a name stays shorter than what V8 hashes, however long the fields of a request are', () => {
  const long = 'o'.repeat(30_000);
  const variant = { origin: long, expectedBucketOwner: long, requestPayer: long };
  const name = recordName(long, variant, 'GET');
  // a digest has another mark than a length
  expect(name).toMatch(/^(#[\w-]{43})(3:GET)(\1){3}$/);
  // the texts that are cut, one that is like a digest, and one more character each
  const others = [
    `${long}o`,
    long.replace(/.$/, 'p'),
    name,
    name.slice(1),
    'o'.repeat(512),
    `${long}\ud800`,
    `${long}\udc00`,
  ];
  const names = others.map(origin => recordName(long, { ...variant, origin }, 'GET'));
  expect(new Set([name, ...names]).size).toBe(others.length + 1);
});
