import { StringDecoder } from 'node:string_decoder';
import { SaxesParser } from 'saxes';

/** An XML element. Namespaces are not resolved: stores use a single one or none. */
export interface XmlElement {
  /** As written, including a namespace prefix. */
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  /** Elements and text, with references resolved. Comments and processing instructions are left out. */
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
  /** Depth of nested elements, including the root. */
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
 * Parses an untrusted document, such as one from a store. Never throws: undefined when it is not well-formed, has a
 * document type (which could define entities) or exceeds `limits`. Element names are stored as values, never as
 * property names, so that special names have no effect.
 *
 * Keys may contain any character, and stores also write characters that XML 1.0 does not allow: these are accepted.
 */
export function readXml(text: string, limits: XmlLimits): XmlElement | undefined {
  if (text.length > limits.length) return undefined;
  const reader = new DocumentReader(limits);
  try {
    // an unpaired surrogate would make the parser skip the next character
    reader.read(text.toWellFormed());
    return reader.end();
  } catch {
    return undefined;
  }
}

/** The number of bytes parsed per step: about a millisecond. */
const STEP_BYTES = 8 * 1024;

/** The same for a possibly long document in UTF-8: each step parses one piece. */
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

/** The length of the longest character reference, without its semicolon. */
const referenceLength = '&#1114111'.length;

/** Where a piece of a document may end: not within a reference. */
function endOfWhole(text: string): number {
  const reference = text.lastIndexOf('&');
  return reference >= 0 && text.length - reference <= referenceLength ? reference : text.length;
}

/** The text directly inside an element, without that of its children. */
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

/** Builds the elements of a document from its pieces. @throws Error for documents that `readXml` does not accept */
class DocumentReader {
  readonly #limits: XmlLimits;
  readonly #document: OpenElement = { name: '', attributes: noAttributes, children: [] };
  /** The currently open elements, outermost first. */
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

  /** @param text does not end within a reference. */
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

/** Accepts characters that XML 1.0 does not allow, without creating an error for each, as there may be a million. */
class LenientParser extends SaxesParser {
  override fail(message: string): this {
    if (message.endsWith('disallowed character.')) return this;
    throw new SyntaxError(message);
  }
}

/**
 * Replaces references to characters that XML 1.0 §2.2 does not allow by the characters themselves, which the parser
 * accepts.
 */
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
