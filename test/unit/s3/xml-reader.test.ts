import fc from 'fast-check';
import { XMLValidator } from 'fast-xml-parser';
import { SaxesParser } from 'saxes';
import { describe, expect, it, vi } from 'vitest';
import { isElement, readXml, readXmlInSteps, textOf } from '../../../src/s3/xml-reader.ts';

const limits = { length: 10_000, depth: 10, nodes: 10_000, memberLength: 10_000 };

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
    expect(
      readXml(nested(100_000), { ...limits, length: 10_000_000, memberLength: 10_000_000 }),
    ).toBeUndefined();
    expect(readXml(`<a>${'x'.repeat(10_000)}</a>`, limits)).toBeUndefined();
  });

  it.each([
    ['elements', '<b/>', 1],
    ['attributes', '<b c="" d=""/>', 3],
    ['pieces of text', 'x<!---->', 1],
    ['character data', '<![CDATA[x]]>', 1],
  ])('does not read more %s than there may be', (_, piece, nodes) => {
    const text = (count: number) => `<a>${piece.repeat(count)}</a>`;
    const within = { ...limits, nodes: 1 + 100 * nodes };
    expect(readXml(text(100), within)).toBeDefined();
    expect(readXml(text(101), within)).toBeUndefined();
  });

  it.each([
    ['an element', '<b>', '</b>'],
    ['an element within it', '<b><c>', '</c></b>'],
    ['elements', '<b>', '<c/></b>'],
    ['an attribute', '<b c="', '"/>'],
    ['a comment', '<!--', '--><b/>'],
    ['text of the root', '', '<b/>'],
  ])('does not read a child of the root that is longer than it may be: %s', (_, start, end) => {
    const text = (filled: number) => {
      const child = start + 'x'.repeat(filled - start.length - end.length) + end;
      return `<a>${child.repeat(20)}</a>`;
    };
    const within = { ...limits, memberLength: 100 };
    expect(readXml(text(100), within)).toBeDefined();
    expect(readXml(text(101), within)).toBeUndefined();
  });

  it('makes no map of attributes for an element without any', () => {
    const root = readXml('<a><b/><c/></a>', limits);
    const [b, c] = root?.children.filter(isElement) ?? [];
    expect(b?.attributes).toBe(c?.attributes);
    expect(b?.attributes.size).toBe(0);
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
        readXml(`<r>${piece.repeat(1_000_000 / piece.length)}`, {
          length: 2_000_000,
          depth: 5,
          nodes: 2_000_000,
          memberLength: 2_000_000,
        }),
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

describe('readXmlInSteps', () => {
  const wide = { length: 1_000_000, depth: 10, nodes: 100_000, memberLength: 1_000_000 };

  /** What is read, and in how many steps. */
  function read(bytes: Uint8Array, within = wide) {
    const steps = readXmlInSteps(bytes, within);
    let count = 0;
    let step = steps.next();
    for (; !step.done; step = steps.next()) count++;
    return { root: step.value, count };
  }

  it('reads the same as in one step, wherever a step ends', () => {
    const odd =
      '<b c="&quot;é&#x1;">ü😀&amp;&#x1F600;\r\n&#0000031;&#x0FFFF;\u0001<![CDATA[]]&gt;]]></b>&#9;<!-- & -->';
    for (let shift = 0; shift <= Buffer.byteLength(odd); shift++) {
      const text = `<?xml version="1.0"?><a>${'x'.repeat(8192 - 24 - shift)}${odd.repeat(300)}</a>`;
      const { root, count } = read(Buffer.from(text));
      expect(root).toEqual(readXml(text, wide));
      expect(root).toBeDefined();
      expect(count).toBe(Math.ceil(Buffer.byteLength(text) / 8192));
    }
  });

  it('reads no more than may be, and nothing that is not well-formed', () => {
    const long = Buffer.from(`<a>${'x'.repeat(20_000)}</a>`);
    expect(read(long, { ...wide, length: 10_000 })).toEqual({ root: undefined, count: 0 });
    for (const text of ['', '<a>', `<a>${'x'.repeat(9000)}`, `<a>${'x'.repeat(9000)}&`, '<!DOCTYPE a><a/>'])
      expect(read(Buffer.from(text)).root).toBeUndefined();
  });

  it.each(['x', '&amp;', '&#x1;', '<b/>', '<![CDATA[x]]>', '<!---->'])(
    'reads no further than a step behind what a child of the root may be long: %s',
    piece => {
      const bytes = Buffer.from(`<a><b>${piece.repeat(900_000 / piece.length)}</b></a>`);
      const { root, count } = read(bytes, { ...wide, memberLength: 16 * 1024 });
      expect(root).toBeUndefined();
      // `&#x1;` is five characters of which one is left
      expect(count).toBeLessThanOrEqual(11);
    },
  );

  it('makes no error of each of the characters that XML does not have', () => {
    const made = vi.spyOn(SaxesParser.prototype as unknown as { makeError: () => Error }, 'makeError');
    const { root } = read(Buffer.from(`<a>${'&#x1;'.repeat(10_000)}</a>`));
    expect(root && textOf(root)).toBe('\u0001'.repeat(10_000));
    expect(made).not.toHaveBeenCalled();
    made.mockRestore();
  });
});
