import fc from 'fast-check';
import { XMLValidator } from 'fast-xml-parser';
import { describe, expect, it } from 'vitest';
import { readXml, textOf } from '../../../src/s3/xml-reader.ts';

const limits = { length: 10_000, depth: 10 };

describe('readXml', () => {
  it('gives elements, attributes and text', () => {
    const text =
      '\ufeff<?xml version="1.0"?>\n<!-- x --><a xmlns="n" b=\'1>2\'>one &amp; <b/><c>two</c ><?p?>three<![CDATA[<4>&]]></a>\n';
    expect(readXml(text, limits)).toEqual({
      name: 'a',
      attributes: new Map([
        ['xmlns', 'n'],
        ['b', '1>2'],
      ]),
      children: [
        'one & ',
        { name: 'b', attributes: new Map(), children: [] },
        { name: 'c', attributes: new Map(), children: ['two'] },
        'three',
        '<4>&',
      ],
    });
  });

  it('reads characters that XML 1.0 does not have, raw and as references: keys may hold them', () => {
    const root = readXml('<a>\u0001&#x1;&#31;&#xFFFF;\uffff&#x0;&#9;&#xA;\u2028</a>', limits);
    expect(root && textOf(root)).toBe('\u0001\u0001\u001f\uffff\uffff\0\t\n\u2028');
  });

  it('takes escapes out of the text of an element', () => {
    const root = readXml('<a>one &amp; &#x32;<b>other</b><![CDATA[&lt;]]></a>', limits);
    expect(root && textOf(root)).toBe('one & 2&lt;');
  });

  it.each([
    ['nothing', ''],
    ['text alone', 'upstream connect error'],
    ['two roots', '<a/><b/>'],
    ['text behind the root', '<a/>x'],
    ['an element that is not ended', '<a><b></a>'],
    ['an element that ends another', '<a><b></a></b>'],
    ['an end without a beginning', '</a>'],
    ['a tag cut short', '<a'],
    ['a comment cut short', '<a><!--'],
    ['character data cut short', '<a><![CDATA[x]]</a>'],
    ['a document type', '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'],
    ['attributes without quotes', '<a b=c/>'],
  ])('does not read %s', (_, text) => {
    expect(readXml(text, limits)).toBeUndefined();
  });

  it('does not read what is nested deeper or longer than it may be', () => {
    const nested = (depth: number) => '<a>'.repeat(depth) + '</a>'.repeat(depth);
    expect(readXml(nested(10), limits)).toBeDefined();
    expect(readXml(nested(11), limits)).toBeUndefined();
    expect(readXml(nested(100_000), { ...limits, length: 10_000_000 })).toBeUndefined();
    expect(readXml(`<a>${'x'.repeat(10_000)}</a>`, limits)).toBeUndefined();
  });

  it('knows no names: those of every object are as good as others', () => {
    const root = readXml(
      '<__proto__ __proto__="x"><constructor>a</constructor><toString/></__proto__>',
      limits,
    );
    expect(root).toEqual({
      name: '__proto__',
      attributes: new Map([['__proto__', 'x']]),
      children: [
        { name: 'constructor', attributes: new Map(), children: ['a'] },
        { name: 'toString', attributes: new Map(), children: [] },
      ],
    });
  });

  it('reads in time proportional to the text', () => {
    for (const piece of ['<a ', '<a b', '<!', '<a b="', '&', '<a b = "" ', '<a>'])
      expect(
        readXml(`<r>${piece.repeat(1_000_000 / piece.length)}`, { length: 2_000_000, depth: 5 }),
      ).toBeUndefined();
  });

  it('never throws, and what it reads is well-formed', () => {
    const piece = fc.constantFrom(
      ...[
        '<a>',
        '</a>',
        '<b c="d">',
        '</b>',
        '<__proto__>',
        '</__proto__>',
        '<e/>',
        'text',
        '&amp;',
        '&',
        '<',
        '>',
      ],
      ...['<!--', '-->', '<![CDATA[', ']]>', '<?', '?>', '<!DOCTYPE', '"', "'", ' ', '\0', '\ud800', '\n'],
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), pieces => {
        const text = pieces.join('');
        const root = readXml(text, limits);
        if (root && !/<[!?]/.test(text)) expect(XMLValidator.validate(text)).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });
});
