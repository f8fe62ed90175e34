import { StringDecoder } from 'node:string_decoder';
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
  const reader = new DocumentReader(limits.depth);
  try {
    // half of a surrogate pair would hide the character behind it from the parser
    reader.read(text.toWellFormed());
    return reader.end();
  } catch {
    return undefined;
  }
}

/** How much is read in one step: about a millisecond. */
const STEP_BYTES = 8 * 1024;

/** The same for a document in UTF-8 that may be long: each step reads a piece of it. */
export function* readXmlInSteps(
  bytes: Uint8Array,
  limits: XmlLimits,
): Generator<undefined, XmlElement | undefined> {
  if (bytes.length > limits.length) return undefined;
  const reader = new DocumentReader(limits.depth);
  const decoder = new StringDecoder('utf8');
  let text = '';
  try {
    for (let at = 0; at < bytes.length; at += STEP_BYTES) {
      text += decoder.write(bytes.subarray(at, at + STEP_BYTES));
      const end = endOfWhole(text);
      reader.read(text.slice(0, end));
      text = text.slice(end);
      yield;
    }
    reader.read(text + decoder.end());
    return reader.end();
  } catch {
    return undefined;
  }
}

/** The longest reference to a character, but for its end. */
const referenceLength = '&#1114111'.length;

/** Where a piece of a document can end: not within a reference. */
function endOfWhole(text: string): number {
  const reference = text.lastIndexOf('&');
  return reference >= 0 && text.length - reference <= referenceLength ? reference : text.length;
}

/** All text directly inside of an element. */
export function textOf({ children }: XmlElement): string {
  return children.filter(child => !isElement(child)).join('');
}

export function isElement(node: XmlNode): node is XmlElement {
  return typeof node !== 'string';
}

/** Builds the elements of a document from its pieces. @throws Error for what `readXml` does not read */
class DocumentReader {
  readonly #document: OpenElement = { name: '', attributes: new Map(), children: [] };
  /** The elements around the current place, outermost first. */
  readonly #open = [this.#document];
  readonly #parser = new LenientParser();

  constructor(depthLimit: number) {
    const add = (node: XmlNode) => void this.#open.at(-1)?.children.push(node);
    this.#parser.on('doctype', () => {
      throw new RangeError('a document type');
    });
    this.#parser.on('opentag', ({ name, attributes }) => {
      if (this.#open.length > depthLimit) throw new RangeError('nested too deep');
      const element = { name, attributes: new Map(Object.entries(attributes)), children: [] };
      add(element);
      this.#open.push(element);
    });
    this.#parser.on('closetag', () => void this.#open.pop());
    this.#parser.on('text', add);
    this.#parser.on('cdata', add);
  }

  /** @param text no piece ends within a reference. */
  read(text: string): void {
    if (text !== '') this.#parser.write(withoutOddReferences(text));
  }

  end(): XmlElement | undefined {
    this.#parser.close();
    return this.#document.children.find(isElement);
  }
}

/** Takes characters that XML 1.0 does not have and gives them on; there may be a million, so no error is made for each. */
class LenientParser extends SaxesParser {
  override fail(message: string): this {
    if (message.endsWith('disallowed character.')) return this;
    throw new SyntaxError(message);
  }
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
