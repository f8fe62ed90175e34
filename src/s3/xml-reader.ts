import { escapeText, unescapeText } from './xml-text.ts';

/** An element of a document. Namespaces are not told apart: stores write one or none. */
export interface XmlElement {
  /** As written, with its namespace prefix if it has one. */
  readonly name: string;
  /** What stands behind the name in its tag, as written. */
  readonly attributes: string;
  /** Elements, and text as written: its escapes are still in it. Comments and instructions are left out. */
  readonly children: readonly XmlNode[];
}

export type XmlNode = XmlElement | string;

/** How large a document may be; one that is larger is not read. */
export interface XmlLimits {
  /** In characters. */
  readonly length: number;
  /** Of elements within elements; the root counts. */
  readonly depth: number;
}

interface OpenElement extends XmlElement {
  readonly children: XmlNode[];
}

const declaration = /\s*<\?[^>]*\?>/y;
const textUntilTag = /[^<]+/y;
const startTag = /<([A-Za-z_][\w.:-]*)((?:\s+[A-Za-z_][\w.:-]*\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(\/?)>/y;
const endTag = /<\/([A-Za-z_][\w.:-]*)\s*>/y;

/**
 * Reads a document that somebody else wrote, such as a store. Never throws: what is not well-formed, has a document type
 * (which could define entities) or exceeds `limits` gives undefined. Names are values and never property names, so that
 * none of them means anything here. Takes time in proportion to the text.
 */
export function readXml(text: string, limits: XmlLimits): XmlElement | undefined {
  return text.length > limits.length ? undefined : new DocumentReader(text, limits.depth).read();
}

/** All text directly inside of an element, without escapes. */
export function textOf({ children }: XmlElement): string {
  return unescapeText(children.filter(child => typeof child === 'string').join(''));
}

class DocumentReader {
  readonly #text: string;
  readonly #depthLimit: number;
  /** The elements around the current place, outermost first. */
  readonly #open: OpenElement[] = [];
  #position = 0;
  #root: XmlElement | undefined;

  constructor(text: string, depthLimit: number) {
    this.#text = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
    this.#depthLimit = depthLimit;
  }

  read(): XmlElement | undefined {
    this.#match(declaration);
    while (this.#position < this.#text.length) if (!this.#step()) return undefined;
    return this.#open.length === 0 ? this.#root : undefined;
  }

  /** Reads one piece; false where there is none that may stand here. */
  #step(): boolean {
    const text = this.#match(textUntilTag);
    if (text) return this.#addText(text[0]);
    if (this.#text.startsWith('<!--', this.#position)) return this.#skipBehind('-->');
    if (this.#text.startsWith('<![CDATA[', this.#position)) return this.#addCharacterData();
    if (this.#text.startsWith('<?', this.#position)) return this.#skipBehind('?>');
    const end = this.#match(endTag);
    return end ? this.#end(end[1]) : this.#begin();
  }

  #begin(): boolean {
    const tag = this.#match(startTag);
    if (!tag || this.#open.length >= this.#depthLimit) return false;
    const [, name = '', attributes = '', slash] = tag;
    const element: OpenElement = { name, attributes, children: [] };
    const parent = this.#open.at(-1);
    if (parent) parent.children.push(element);
    else if (this.#root) return false;
    else this.#root = element;
    if (!slash) this.#open.push(element);
    return true;
  }

  #end(name: string | undefined): boolean {
    return this.#open.pop()?.name === name;
  }

  /** Outside of the root there is only space between pieces. */
  #addText(text: string): boolean {
    const parent = this.#open.at(-1);
    if (!parent) return text.trim() === '';
    parent.children.push(text);
    return true;
  }

  #addCharacterData(): boolean {
    const start = this.#position + '<![CDATA['.length;
    if (this.#open.length === 0 || !this.#skipBehind(']]>')) return false;
    return this.#addText(escapeText(this.#text.slice(start, this.#position - ']]>'.length)));
  }

  #skipBehind(mark: string): boolean {
    const at = this.#text.indexOf(mark, this.#position + 2);
    this.#position = at + mark.length;
    return at >= 0;
  }

  #match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#position;
    const match = pattern.exec(this.#text);
    if (match) this.#position = pattern.lastIndex;
    return match;
  }
}
