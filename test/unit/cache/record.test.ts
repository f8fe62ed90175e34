import { describe, expect, it } from 'vitest';
import type { Content } from '../../../src/cache/content.ts';
import { PartMap } from '../../../src/cache/part-map.ts';
import {
  getRecordName,
  knowsPart,
  type ObjectRecord,
  recordCostBytes,
  recordName,
  type Variant,
} from '../../../src/cache/record.ts';
import { nothingStated } from '../../../src/cache/stated-freshness.ts';
import { recordOf } from '../../support/records.ts';

function contentOf(sizeBytes: number, ...parts: readonly number[]): Content {
  const nothing = () => undefined;
  const map = new PartMap(parts.map(number => [number, { first: 0, last: 0, checksums: [] }]));
  const open = () => {
    throw new Error('nothing is read here');
  };
  return { sizeBytes, parts: map, coverage: () => 'none', lend: nothing, peekText: nothing, open };
}

const base = {
  ...{ fields: [], receivedMs: 0, directives: nothingStated },
  ...{ epoch: 0, barrier: 0, tagSlots: [], isUnsettled: false, isUsableForGet: true },
};
const refused = (body: string): ObjectRecord => ({
  ...{ ...base, kind: 'refused', isNegative: true, status: 404 },
  body: Buffer.from(body),
});
const uncacheable: ObjectRecord = {
  ...{ ...base, kind: 'uncacheable', isNegative: false },
  tooLargeBytes: undefined,
};

describe('the name of a record', () => {
  const none: Variant = { origin: undefined, expectedBucketOwner: undefined, requestPayer: undefined };

  it('is empty for most, and the same for GET and HEAD', () => {
    for (const method of ['GET', 'HEAD'] as const) expect(recordName(undefined, none, method)).toBe('');
    expect(recordName('v', none, 'GET')).toBe(recordName('v', none, 'HEAD'));
  });

  it('is one of its own for each version, variant and, with Origin, method', () => {
    const names = ['GET', 'HEAD'].flatMap(method =>
      [undefined, '', 'a', '1:a', '-'].flatMap(versionId =>
        [undefined, '', 'a', 'b'].flatMap(origin =>
          [undefined, '', 'a', 'b'].flatMap(expectedBucketOwner =>
            [undefined, 'a', 'requester'].map(requestPayer => ({
              asked: { method: origin === undefined ? '' : method, versionId, origin },
              ...{ expectedBucketOwner, requestPayer },
              name: recordName(
                versionId,
                { origin, expectedBucketOwner, requestPayer },
                method as 'GET' | 'HEAD',
              ),
            })),
          ),
        ),
      ),
    );
    const distinct = new Set(names.map(({ name, ...rest }) => JSON.stringify(rest, spelled)));
    expect(new Set(names.map(({ name }) => name)).size).toBe(distinct.size);
  });

  it('of a HEAD that has a GET of its own is another one', () => {
    for (const name of ['', 'GET', '3:GET', recordName('v', none, 'GET')])
      expect([name, '']).not.toContain(getRecordName(name));
    expect(getRecordName('a')).not.toBe(getRecordName('b'));
  });

  it('holds texts up to 512 characters, and of longer ones a digest that tells them apart', () => {
    const lengthOf = (length: number, character = 'a') =>
      recordName(character.repeat(length), none, 'GET').length;
    expect(lengthOf(512)).toBeGreaterThan(512);
    expect(lengthOf(513)).toBeLessThan(100);
    expect(lengthOf(100_000)).toBe(lengthOf(513));
    const long = 'x'.repeat(600);
    const names = [`${long}\ud800`, `${long}\udc00`, `${long}\ufffd`, long].map(text =>
      recordName(text, none, 'GET'),
    );
    expect(new Set(names).size).toBe(4);
  });
});

/** JSON leaves out what is undefined. */
const spelled = (_: string, value: unknown) => (value === undefined ? 'undefined' : value);

describe('where a part is', () => {
  it('is known of each part that was learned, and of no other', () => {
    const record = recordOf(contentOf(10, 1, 3));
    expect([1, 2, 3, 4].map(number => knowsPart(record, number))).toEqual([true, false, true, false]);
  });

  it('need not be known of what has no parts: an empty object, a refusal, what is not kept', () => {
    expect(knowsPart(recordOf(contentOf(0)), 1)).toBe(true);
    expect(knowsPart(refused(''), 1)).toBe(true);
    expect(knowsPart(uncacheable, 1)).toBe(true);
  });
});

describe('what a record costs', () => {
  it('grows with the body of a refusal and with each field, name and value', () => {
    const cost = (...fields: readonly (readonly [string, string])[]) =>
      recordCostBytes({
        ...uncacheable,
        fields: fields.map(([name, value]) => ({ name, value, store: false })),
      });
    expect(recordCostBytes(refused('x'.repeat(5_000))) - recordCostBytes(refused(''))).toBe(5_000);
    expect(cost()).toBeGreaterThan(500);
    expect(cost(['a', 'b'])).toBeGreaterThan(cost());
    expect(cost(['a'.repeat(1_000), 'b']) - cost(['a', 'b'])).toBeGreaterThan(999);
    expect(cost(['a', 'b'.repeat(1_000)]) - cost(['a', 'b'])).toBeGreaterThan(999);
    expect(cost(['a', 'b'], ['c', 'd']) - cost(['a', 'b'])).toBe(cost(['a', 'b']) - cost());
  });
});
