declare const markdown: unique symbol;
declare const plainText: unique symbol;

/** Markdown in which text from outside has been escaped. */
export type Markdown = string & { readonly [markdown]: true };

/** One line for places without Markdown, such as notifications on phones. */
export type PlainText = string & { readonly [plainText]: true };

/** C0 and C1 control characters, and characters that change the text direction. */
const controls = /[\p{Cc}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

/**
 * Characters that could start Markdown syntax: emphasis, code, links, images; at the start of a line, headings, lists,
 * rules; dots within a name, from which clients make links. A backslash escapes these in every Markdown parser.
 */
const escapable = /[\\`*_[\]!]|^[#+-]|^\d+[.)]|(?<=[\p{L}\p{N}])\.(?=\p{L})/gu;

/**
 * Characters for which not every parser supports a backslash: strike-through, tables, mentions, addresses, rules and
 * HTML; and the braces of templates, which clients expand before they parse Markdown (`{{DATE(…)}}`, `${…}`).
 */
const unescapable = /[&<>~|@{}]|(?<=https?|ftp|mailto):|^=/gi;

/** The start of a template; an invisible word joiner is inserted to break it. */
const template = /[{$](?=\{)/g;

/** Builds Markdown with every value escaped: md`backend **${name}**`. */
export function md(parts: TemplateStringsArray, ...values: readonly string[]): Markdown {
  return String.raw({ raw: parts }, ...values.map(escapeText)) as Markdown;
}

/** Joins pieces of Markdown. */
export function joinMarkdown(pieces: readonly Markdown[], separator: string): Markdown {
  return pieces.join(separator) as Markdown;
}

/** A link; `text` is escaped. */
export function markdownLink(text: string, url: string): Markdown {
  return `[${escapeText(text)}](<${url}>)` as Markdown;
}

/** One line without control characters, at most `maxLength` characters. */
export function plain(text: string, maxLength: number): PlainText {
  return cut(oneLine(text).replace(template, '$&\u2060'), maxLength) as PlainText;
}

/** Shortens to `maxLength` Unicode characters, ending in `…` when shortened; surrogate pairs are not split. */
export function cut(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const characters = [...text];
  return characters.length <= maxLength ? text : `${characters.slice(0, maxLength - 1).join('')}…`;
}

/** Escapes text for Markdown and HTML parsers. */
function escapeText(text: string): string {
  const escaped = oneLine(text)
    .trim()
    .replace(escapable, found => `${found.slice(0, -1)}\\${found.slice(-1)}`);
  return escaped.replace(
    unescapable,
    found => `${found.slice(0, -1)}&#${found.charCodeAt(found.length - 1)};`,
  );
}

function oneLine(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\t\r\n]+/g, ' ')
    .replace(controls, '\uFFFD');
}
