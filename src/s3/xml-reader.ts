import { SaxesParser } from 'saxes';

/** An element of a document. Namespaces are not told apart: stores write one or none. */
export interface XmlElement {
  /** As written, with its namespace prefix if it has one. */
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  /** Elements and text, the text without escapes. Comments and instructions are left out. */
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

/**
 * Reads a document that somebody else wrote, such as a store. Never throws: what is not well-formed, has a document type
 * (which could define entities) or exceeds `limits` gives undefined. Names are values and never property names, so that
 * none of them means anything here.
 *
 * Keys may hold any character, and stores write those that XML 1.0 does not have too: they are read as they are.
 */
export function readXml(text: string, limits: XmlLimits): XmlElement | undefined {
  if (text.length > limits.length) return undefined;
  try {
    // half of a surrogate pair would hide the character behind it from the parser
    return parse(withoutOddReferences(text.toWellFormed()), limits.depth);
  } catch {
    return undefined;
  }
}

/** All text directly inside of an element. */
export function textOf({ children }: XmlElement): string {
  return children.filter(child => !isElement(child)).join('');
}

export function isElement(node: XmlNode): node is XmlElement {
  return typeof node !== 'string';
}

/** @throws Error for what `readXml` does not read. */
function parse(text: string, depthLimit: number): XmlElement | undefined {
  const document: OpenElement = { name: '', attributes: new Map(), children: [] };
  /** The elements around the current place, outermost first. */
  const open = [document];
  const add = (node: XmlNode) => void open.at(-1)?.children.push(node);
  const parser = new SaxesParser();
  parser.on('error', error => {
    // the character is given on
    if (!error.message.endsWith('disallowed character.')) throw error;
  });
  parser.on('doctype', () => {
    throw new RangeError('a document type');
  });
  parser.on('opentag', ({ name, attributes }) => {
    if (open.length > depthLimit) throw new RangeError('nested too deep');
    const element = { name, attributes: new Map(Object.entries(attributes)), children: [] };
    add(element);
    open.push(element);
  });
  parser.on('closetag', () => void open.pop());
  parser.on('text', add);
  parser.on('cdata', add);
  parser.write(text).close();
  return document.children.find(isElement);
}

/** References to characters that XML 1.0 §2.2 does not have, as the characters themselves: as such the parser gives them on. */
function withoutOddReferences(text: string): string {
  return text.replace(
    /&#(?:x([0-9a-f]{1,6})|([0-9]{1,7}));/gi,
    (reference, hex: string | undefined, decimal) => {
      const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
      const isOdd = code === 0xfffe || code === 0xffff || (code < 0x20 && ![0x9, 0xa, 0xd].includes(code));
      return isOdd ? String.fromCharCode(code) : reference;
    },
  );
}
