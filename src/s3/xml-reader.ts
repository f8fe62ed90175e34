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

/**
 * How large a document may be; a larger one is not read. A document needs up to about 150 bytes of heap for each node,
 * and twice its length for its text.
 */
export interface XmlLimits {
  /** In characters. */
  readonly length: number;
  /** Of elements within elements; the root counts. */
  readonly depth: number;
  /** Elements, attributes and pieces of text: four characters of text can be one element. */
  readonly nodes: number;
  /**
   * In characters, of each child element of the root and the text before it. Such a child is processed in one step, so
   * this bounds the step.
   */
  readonly memberLength: number;
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
  const reader = new DocumentReader(limits);
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
  const reader = new DocumentReader(limits);
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

/** Shared: most elements have no attributes, and a map for each would triple the heap that a document needs. */
const noAttributes: ReadonlyMap<string, string> = new Map();

/** Open elements around a child of the root: the document and the root. */
const MEMBER_DEPTH = 2;

/** Builds the elements of a document from its pieces. @throws Error for what `readXml` does not read */
class DocumentReader {
  readonly #limits: XmlLimits;
  readonly #document: OpenElement = { name: '', attributes: noAttributes, children: [] };
  /** The elements around the current place, outermost first. */
  readonly #open = [this.#document];
  readonly #parser = new LenientParser();

  #nodes = 0;
  /** Characters read so far. */
  #length = 0;
  /** Position of the end of the last child of the root. */
  #memberEnd = 0;

  constructor(limits: XmlLimits) {
    this.#limits = limits;
    const add = (node: XmlNode) => this.#add(node);
    this.#parser.on('doctype', () => {
      throw new RangeError('a document type');
    });
    this.#parser.on('opentag', ({ name, attributes }) => {
      const element = { name, attributes: this.#attributes(attributes), children: [] };
      add(element);
      this.#open.push(element);
      if (this.#open.length > limits.depth + 1) throw new RangeError('nested too deep');
      this.#endMember();
    });
    this.#parser.on('closetag', () => {
      this.#open.pop();
      this.#endMember();
    });
    this.#parser.on('text', add);
    this.#parser.on('cdata', add);
  }

  /** @param text no piece ends within a reference. */
  read(text: string): void {
    if (text === '') return;
    const plain = withoutOddReferences(text);
    this.#parser.write(plain);
    this.#length += plain.length;
    // a child that has not ended yet: the parser keeps its text and attributes until then
    this.#checkMember(this.#length);
  }

  end(): XmlElement | undefined {
    this.#parser.close();
    return this.#document.children.find(isElement);
  }

  #add(node: XmlNode): void {
    this.#count(1);
    this.#open.at(-1)?.children.push(node);
  }

  #attributes(written: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
    const pairs = Object.entries(written);
    this.#count(pairs.length);
    return pairs.length === 0 ? noAttributes : new Map(pairs);
  }

  #count(nodes: number): void {
    this.#nodes += nodes;
    if (this.#nodes > this.#limits.nodes) throw new RangeError('too many nodes');
  }

  #endMember(): void {
    if (this.#open.length !== MEMBER_DEPTH) return;
    this.#checkMember(this.#parser.position);
    this.#memberEnd = this.#parser.position;
  }

  #checkMember(end: number): void {
    if (end - this.#memberEnd > this.#limits.memberLength)
      throw new RangeError('a child of the root is too long');
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
