import { checksumSizes } from './checksum.ts';
import { isElement, textOf, type XmlElement } from './xml-reader.ts';
import { escapeName } from './xml-text.ts';

/** The known elements of a document, each with its known children. */
export type KnownElements = ReadonlyMap<string, readonly string[]>;

/** The checksums that answers about objects and parts contain. */
export const checksumElements = Object.keys(checksumSizes).map(name => `Checksum${name.toUpperCase()}`);

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

/** The start and end tags of a root element, with its namespace. */
export function rootTags({ name, attributes }: Pick<XmlElement, 'name' | 'attributes'>): {
  readonly start: string;
  readonly end: string;
} {
  const namespace = attributes.get('xmlns');
  const written = namespace === undefined ? '' : ` xmlns="${escapeName(namespace)}"`;
  return { start: `<${name}${written}>`, end: `</${name}>` };
}

/** The same for a whole document, with its XML declaration. */
export function documentTags(root: Pick<XmlElement, 'name' | 'attributes'>): {
  readonly start: string;
  readonly end: string;
} {
  const { start, end } = rootTags(root);
  return { start: `<?xml version="1.0" encoding="UTF-8"?>\n${start}`, end };
}
