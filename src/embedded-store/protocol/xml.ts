import { XMLBuilder, XMLParser } from 'fast-xml-parser';
import { z } from 'zod';
import type { AnswerBody } from './operation-answer.ts';
import { OperationError } from './operation-error.ts';

/** Elements by name; an array repeats an element, `undefined` omits it, `@name` is an attribute. */
export interface XmlElements {
  readonly [name: string]: XmlContent;
}
type XmlContent = string | number | boolean | undefined | XmlElements | readonly XmlContent[];

const NAMESPACE = 'http://s3.amazonaws.com/doc/2006-03-01/';

const builder = new XMLBuilder({
  ignoreAttributes: false,
  attributeNamePrefix: '@',
  processEntities: false,
  tagValueProcessor: (_name, value) => escapeText(String(value)),
  attributeValueProcessor: (_name, value) => escapeText(String(value)),
});

/** The document of an operation's result, in the protocol's namespace. */
export function xmlResult(root: string, content: XmlElements): AnswerBody {
  return { kind: 'xml', document: xmlDocument(root, { '@xmlns': NAMESPACE, ...content }) };
}

/** A document of one root element. */
export function xmlDocument(root: string, content: XmlElements): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n${builder.build({ [root]: content })}`;
}

/** How to read one kind of client document. */
interface DocumentForm<Content> {
  readonly root: string;
  /** Elements that may be repeated; they are always given as arrays. */
  readonly repeated?: readonly string[];
  /** Validates the content of the root: text as strings, names without namespace prefixes. */
  readonly schema: z.ZodType<Content>;
}

/** Elements of a document, nested. No document of the protocol has more than six levels. */
const MAX_DEPTH = 16;

/** Start and end tags: enough for ten thousand parts of an upload with eight members each, written out. */
const MAX_TAGS = 200_000;

/** An element without content is read as an empty object. */
export const emptyElement = z.string().transform(() => ({}));

/**
 * @throws MalformedXML, also for documents that declare entities, since their expansion is unbounded, and for those with
 * more elements than a document of the protocol has, since each takes a hundred times its length in memory
 */
export function parseXml<Content>(text: string, form: DocumentForm<Content>): Content {
  if (/<!DOCTYPE/i.test(text) || hasTooManyTags(text)) throw new OperationError('MalformedXML');
  const parser = new XMLParser({
    removeNSPrefix: true,
    parseTagValue: false,
    trimValues: false,
    maxNestedTags: MAX_DEPTH,
    // otherwise numeric character references (`&#34;`) stay undecoded
    htmlEntities: true,
    isArray: name => form.repeated?.includes(name) ?? false,
  });
  try {
    const document = z.record(z.string(), z.unknown()).parse(parser.parse(text, true));
    return form.schema.parse(document[form.root]);
  } catch (cause) {
    throw new OperationError('MalformedXML', { cause });
  }
}

function hasTooManyTags(text: string): boolean {
  let count = 0;
  for (let at = text.indexOf('<'); at >= 0; at = text.indexOf('<', at + 1))
    if (++count > MAX_TAGS) return true;
  return false;
}

/** Escapes markup, and characters that a parser would change (carriage returns) or refuse (control characters). */
function escapeText(text: string): string {
  return text.replace(/[&<>"]|(?![\t\n])\p{Cc}/gu, character => {
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
