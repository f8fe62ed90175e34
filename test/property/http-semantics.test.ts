import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseEntityTagList } from '../../src/http/entity-tag.ts';
import { formatHttpDate, parseHttpDate } from '../../src/http/http-date.ts';
import { evaluatePreconditions } from '../../src/http/preconditions.ts';
import { formatContentRange, parseContentRange, parseRange, selectRange } from '../../src/http/range.ts';

const number = fc.oneof(fc.nat({ max: 12 }), fc.maxSafeNat());
const opaqueTag = fc.stringMatching(/^[\x21\x23-\x7e]{0,12}$/);

describe('ranges', () => {
  it('select bytes that exist, as many as were asked for unless the object ends', () => {
    fc.assert(
      fc.property(number, number, number, (a, b, sizeBytes) => {
        const [first, last] = [Math.min(a, b), Math.max(a, b)];
        const selection = selectRange(parseRange(`bytes=${first}-${last}`), sizeBytes);
        if (first >= sizeBytes) return selection.kind === 'unsatisfiable';
        expect(selection).toEqual({ kind: 'part', first, last: Math.min(last, sizeBytes - 1) });
        return true;
      }),
    );
  });

  it('that count from the end select the same bytes as the slice of that many last bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1 }), fc.integer({ min: 1, max: 40 }), (bytes, length) => {
        const selection = selectRange(parseRange(`bytes=-${length}`), bytes.length);
        if (selection.kind !== 'part') return false;
        expect(bytes.slice(selection.first, selection.last + 1)).toEqual(bytes.slice(-length));
        return true;
      }),
    );
  });

  it('of any text whatever are parsed without throwing, into whole non-negative numbers', () => {
    const text = fc.oneof(fc.string(), fc.stringMatching(/^bytes=[\d,+ -]{0,40}$/));
    fc.assert(
      fc.property(text, fc.nat(), (header, sizeBytes) => {
        const selection = selectRange(parseRange(header), sizeBytes);
        if (selection.kind !== 'part') return true;
        const { first, last } = selection;
        return Number.isSafeInteger(first) && 0 <= first && first <= last && last < sizeBytes;
      }),
    );
  });

  it('survive being written as Content-Range', () => {
    fc.assert(
      fc.property(number, number, number, (a, b, more) => {
        const [first, last] = [Math.min(a, b), Math.max(a, b)];
        const total = last + 1 + more;
        fc.pre(Number.isSafeInteger(total));
        expect(parseContentRange(formatContentRange(first, last, total))).toEqual({ first, last, total });
      }),
    );
  });
});

describe('dates', () => {
  it('survive being written, whole seconds', () => {
    const moment = fc.integer({ min: Date.UTC(1000, 0) / 1000, max: Date.UTC(9999, 11, 31) / 1000 });
    fc.assert(
      fc.property(moment, seconds => parseHttpDate(formatHttpDate(seconds * 1000)) === seconds * 1000),
    );
  });

  it('of any text whatever are parsed without throwing', () => {
    fc.assert(
      fc.property(fc.string(), text => {
        const parsed = parseHttpDate(text);
        return parsed === undefined || Number.isInteger(parsed);
      }),
    );
  });
});

describe('entity tags', () => {
  it('survive being written as a list', () => {
    const tags = fc.array(fc.record({ isWeak: fc.boolean(), opaque: opaqueTag }), { minLength: 1 });
    fc.assert(
      fc.property(tags, list => {
        const header = list.map(({ isWeak, opaque }) => `${isWeak ? 'W/' : ''}"${opaque}"`).join(', ');
        expect(parseEntityTagList(header)).toEqual({ kind: 'tags', tags: list });
      }),
    );
  });

  it('in If-Match and If-None-Match decide oppositely about a strong tag', () => {
    fc.assert(
      fc.property(fc.array(opaqueTag, { minLength: 1 }), opaqueTag, (names, opaque) => {
        const header = names.map(name => `"${name}"`).join(',');
        const validators = { entityTag: `"${opaque}"`, lastModifiedMs: undefined };
        const absent = { ifModifiedSince: undefined, ifUnmodifiedSince: undefined };
        const matches = evaluatePreconditions(
          { ...absent, ifMatch: header, ifNoneMatch: undefined },
          validators,
          0,
        );
        const noneMatches = evaluatePreconditions(
          { ...absent, ifMatch: undefined, ifNoneMatch: header },
          validators,
          0,
        );
        expect(matches.kind === 'proceed').toBe(names.includes(opaque));
        expect(noneMatches.kind === 'not-modified').toBe(names.includes(opaque));
      }),
    );
  });
});
