declare const markdown: unique symbol;
declare const plainText: unique symbol;

/** Text that a card shows as Markdown, and in which nothing from outside is taken for any. */
export type Markdown = string & { readonly [markdown]: true };

/** One line for places that know no Markdown, such as the list of a telephone’s notifications. */
export type PlainText = string & { readonly [plainText]: true };

/** C0 and C1 controls, and what turns the direction of the text that follows. */
const controls = /[\p{Cc}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

/**
 * What could begin something: emphasis, code, links, pictures, and at the start of a line headings, lists, rules;
 * dots within a name, of which clients make links. All of these every Markdown reader lets a backslash escape.
 */
const escapable = /[\\`*_[\]!]|^[#+-]|^\d+[.)]|(?<=[\p{L}\p{N}])\.(?=\p{L})/gu;

/**
 * What only some readers let a backslash escape: strike-through, tables, mentions, addresses, rules, and HTML; and the
 * braces of templates, which a card's reader fills in before it reads Markdown (`{{DATE(…)}}`, `${…}`).
 */
const unescapable = /[&<>~|@{}]|(?<=https?|ftp|mailto):|^=/gi;

/** What begins a template, and is shown the same with an invisible character inside that joins words. */
const template = /[{$](?=\{)/g;

/** Markdown as it is written here, with every value in it shown as the plain text it is: md`backend **${name}**`. */
export function md(parts: TemplateStringsArray, ...values: readonly string[]): Markdown {
  return String.raw({ raw: parts }, ...values.map(escapeText)) as Markdown;
}

/** Several pieces of Markdown as one. */
export function joinMarkdown(pieces: readonly Markdown[], separator: string): Markdown {
  return pieces.join(separator) as Markdown;
}

/** A link; `text` is shown as it is. */
export function markdownLink(text: string, url: string): Markdown {
  return `[${escapeText(text)}](<${url}>)` as Markdown;
}

/** One line without controls, at most `maxLength` characters. */
export function plain(text: string, maxLength: number): PlainText {
  return cut(oneLine(text).replace(template, '$&\u2060'), maxLength) as PlainText;
}

/** At most `maxLength` characters (of Unicode, so that none is halved); where some are missing it ends in `…`. */
export function cut(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const characters = [...text];
  return characters.length <= maxLength ? text : `${characters.slice(0, maxLength - 1).join('')}…`;
}

/** The text so that neither a Markdown nor an HTML reader finds anything in it but characters. */
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
