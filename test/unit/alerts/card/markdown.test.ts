import fc from 'fast-check';
import markdownIt from 'markdown-it';
import { describe, expect, it } from 'vitest';
import { cut, joinMarkdown, markdownLink, md, plain } from '../../../../src/alerts/card/markdown.ts';

/** The most generous reader there is: it takes HTML and makes links of addresses. */
const reader = markdownIt({ html: true, linkify: true });

/** What a reader of the rendered card sees, with every tag that the text brought along still visible as a tag. */
function rendered(text: string): string {
  return reader.render(text);
}

function decoded(html: string): string {
  return html
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&quot;/g, '"')
    .replace(/&amp;/g, '&');
}

const hostile = [
  '**bold** _it_ ~~gone~~ `code`',
  '[click](https://evil.example)',
  '![x](https://evil.example/x.png)',
  '<img src=x onerror=alert(1)>',
  '<script>alert(1)</script>',
  '&lt;b&gt; &#60; &amp;',
  '# heading',
  '- list',
  '1. numbered',
  '1) numbered',
  '> quoted',
  '=== rule',
  '--- rule',
  'a | b | c',
  'https://evil.example/login www.evil.example mailto:a@evil.example ftp://evil.example',
  '<https://evil.example>',
  '\\*escaped\\*',
  '@everyone',
  'https\\://evil.example',
  '{{why.value}}',
  '{{DATE(2026-01-01T00:00:00Z, SHORT)}} {{TIME(2026-01-01T00:00:00Z)}}',
  `{{{DATE()}}} \${name} $\${{x}}`,
  'evil.com/login and a.b.evil.com',
  '    - indented, which would be code',
];

describe('what comes from outside', () => {
  it.each(hostile)('%s begins no template, which is filled in before Markdown is read', text => {
    for (const written of [md`${text}`, plain(text, 200)]) expect(written).not.toMatch(/[{$]\{/);
    expect(plain(text, 200).replaceAll('\u2060', '')).toBe(text);
  });

  it.each(hostile)('%s is shown as it is, on its own', text => {
    expect(decoded(rendered(md`${text}`))).toBe(`<p>${text.trim()}</p>\n`);
    expect(rendered(md`${text}`)).not.toMatch(/<(?!\/?p>)/);
  });

  it.each(hostile)('%s is shown as it is, in a sentence', text => {
    expect(decoded(rendered(md`backend **${text}** fails`))).toBe(
      `<p>backend <strong>${text.trim()}</strong> fails</p>\n`,
    );
  });

  it('is shown as it is, whatever it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), text => {
        fc.pre(text.trim() === text && !/\p{Cc}|[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/u.test(text));
        const html = rendered(md`${text}`);
        expect(html).not.toMatch(/<(?!\/?p>)/);
        expect(decoded(html)).toBe(`<p>${text}</p>\n`);
      }),
      { numRuns: 2_000 },
    );
  });

  it('is one line, and turns no other text around', () => {
    expect(md`${'a\r\nb\tc\u0000d\u202ee\u2066f\u0085'}`).toBe('a b c\uFFFDd\uFFFDe\uFFFDf\uFFFD');
  });

  it('has no half characters', () => {
    expect(md`${'a\uD83D'}`).toBe('a\uFFFD');
  });
});

it('writes links that lead where they say', () => {
  const link = markdownLink('Status [page]', 'https://gateway.example/a(b)?c=d');
  expect(rendered(link)).toBe('<p><a href="https://gateway.example/a(b)?c=d">Status [page]</a></p>\n');
});

it('joins pieces without escaping them again', () => {
  expect(joinMarkdown([md`**a**`, md`${'*'}`], '\n\n')).toBe('**a**\n\n\\*');
});

it('cuts between characters, never within one', () => {
  expect(cut('🦀🦀🦀', 3)).toBe('🦀🦀🦀');
  expect(cut('🦀🦀🦀🦀', 3)).toBe('🦀🦀…');
  expect(plain('one\ntwo three', 8)).toBe('one two…');
});
