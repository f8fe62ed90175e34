import type { Steps } from '../../base/sliced-work.ts';
import { isElement, textOf, type XmlElement } from '../xml-reader.ts';
import { escapeName } from '../xml-text.ts';

/** A store's list is not one of its protocol, or is too large. */
export class InvalidListError extends Error {
  readonly code = 'INVALID_LIST';

  constructor(what: string) {
    super(`the store's list cannot be read: ${what}`);
  }
}

/** The known elements of a document, each with its known children. */
type KnownElements = ReadonlyMap<string, readonly string[]>;

const person = ['DisplayName', 'ID'];

/** @param plain elements that have no children */
export function knownElements(
  plain: readonly string[],
  nested: Record<string, readonly string[]>,
): KnownElements {
  return new Map([
    ...plain.map((name): [string, string[]] => [name, []]),
    ['Initiator', person],
    ['Owner', person],
    ...Object.entries(nested),
  ]);
}

/** The children of an element that are elements. */
export function elementsOf({ children }: XmlElement): XmlElement[] {
  return children.filter(isElement);
}

/** An element without attributes. */
export function inTags(name: string, content: string): string {
  return `<${name}>${content}</${name}>`;
}

/** An element with a text that may contain names. */
export function leaf(name: string, text: string): string {
  return inTags(name, escapeName(text));
}

/**
 * A known element without attributes, with its text or its known children. Nothing for an unknown one, because it might
 * contain names.
 */
export function writeKnown(element: XmlElement, known: KnownElements): string {
  const members = known.get(element.name);
  if (members === undefined) return '';
  if (members.length === 0) return leaf(element.name, textOf(element));
  const written = elementsOf(element).filter(({ name }) => members.includes(name));
  return inTags(element.name, written.map(child => leaf(child.name, textOf(child))).join(''));
}

/** The start and end tags of a document with the root element `root`. */
export function documentTags({ name, attributes }: Pick<XmlElement, 'name' | 'attributes'>): {
  readonly start: string;
  readonly end: string;
} {
  const namespace = attributes.get('xmlns');
  const written = namespace === undefined ? '' : ` xmlns="${escapeName(namespace)}"`;
  return { start: `<?xml version="1.0" encoding="UTF-8"?>\n<${name}${written}>`, end: `</${name}>` };
}

/** Pieces that are copied in one step. */
const PIECES_PER_STEP = 100;

/** Joins the pieces of a document. */
export function* joined(pieces: readonly Buffer[]): Steps<Buffer> {
  const whole = Buffer.allocUnsafeSlow(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const [index, piece] of pieces.entries()) {
    whole.set(piece, at);
    at += piece.length;
    if (index % PIECES_PER_STEP === 0) yield;
  }
  return whole;
}

/** A name as a list contains it. @param isEncoded whether names are percent-encoded (`encoding-type=url`) */
export function encodeName(name: string, isEncoded: boolean): string {
  return isEncoded ? encodeURIComponent(name).replaceAll('%2F', '/') : name;
}

/** The opposite of `encodeName`. @throws InvalidListError */
export function decodeName(text: string, isEncoded: boolean): string {
  if (!isEncoded) return text;
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw new InvalidListError('a name has an invalid percent-encoding');
  }
}
