import { XMLBuilder, XMLParser } from 'fast-xml-parser';
import { z } from 'zod';
import { StoreError } from './store-error.ts';

/** Elements by name; an array repeats its element, `undefined` leaves it out, `@name` is an attribute. */
export interface XmlElements {
  readonly [name: string]: XmlContent;
}
export type XmlContent = string | number | boolean | undefined | XmlElements | readonly XmlContent[];

const NAMESPACE = 'http://s3.amazonaws.com/doc/2006-03-01/';

const builder = new XMLBuilder({
  ignoreAttributes: false,
  attributeNamePrefix: '@',
  processEntities: false,
  tagValueProcessor: (_name, value) => escapeText(String(value)),
  attributeValueProcessor: (_name, value) => escapeText(String(value)),
});

/** A document of one root element; the results of operations carry the protocol's namespace, errors none. */
export function xmlDocument(root: string, content: XmlElements, kind: 'result' | 'error' = 'result'): string {
  const namespace = kind === 'result' ? { '@xmlns': NAMESPACE } : {};
  return `<?xml version="1.0" encoding="UTF-8"?>\n${builder.build({ [root]: { ...namespace, ...content } })}`;
}

/**
 * The elements of a request's document, below its root: text as strings, names without namespace prefixes, and
 * elements named in `repeated` always as arrays. Throws MalformedXML.
 */
export function parseXml(text: string, root: string, repeated: readonly string[]): unknown {
  const parser = new XMLParser({
    removeNSPrefix: true,
    parseTagValue: false,
    isArray: name => repeated.includes(name),
  });
  try {
    const document = z.record(z.string(), z.unknown()).parse(parser.parse(text, true));
    if (root in document) return document[root];
  } catch (cause) {
    throw new StoreError('MalformedXML', { cause });
  }
  throw new StoreError('MalformedXML');
}

/** Markup, and characters that a reader would change (carriage returns) or refuse (controls), as references. */
function escapeText(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that need it
  return text.replace(/[&<>"\u0000-\u0008\u000b-\u001f]/g, character => {
    switch (character) {
      case '&':
        return '&amp;';
      case '<':
        return '&lt;';
      case '>':
        return '&gt;';
      case '"':
        return '&quot;';
      default:
        return `&#x${character.charCodeAt(0).toString(16)};`;
    }
  });
}
