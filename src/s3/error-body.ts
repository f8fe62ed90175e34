import { XMLParser, XMLValidator } from 'fast-xml-parser';
import type { Pairs } from './error.ts';
import { escapeText, unescapeText } from './xml-text.ts';

/** What the body of an error answer says. */
export interface ErrorBody {
  readonly code: string;
  readonly message: string;
  readonly fields: Pairs;
  /** Equal to the response header `<prefix>request-id`. */
  readonly requestId: string;
  /** Equal to the response header `<prefix>id-2`. */
  readonly hostId: string;
}

/** What a store's error said, without the ids of that one answer. */
export type RememberedError = Pick<ErrorBody, 'code' | 'message' | 'fields'>;

/** Elements that belong to one answer, or that the gateway does not send (Decided 11). */
const NOT_REMEMBERED: ReadonlySet<string> = new Set(['Code', 'Message', 'RequestId', 'HostId', 'Resource']);

const ELEMENT_NAME = /^[A-Za-z_][\w.-]*$/;

/**
 * The XML of an error: Code, Message, the code's own fields, RequestId, HostId (behaviours.md, Decided 11; rows
 * 202 to 204). Values are escaped; what XML cannot carry becomes U+FFFD. A field whose name is no element name is
 * left out.
 */
export function errorBody({ code, message, fields, requestId, hostId }: ErrorBody): string {
  const own = fields.filter(([name]) => ELEMENT_NAME.test(name)).map(([name, value]) => element(name, value));
  return [
    '<?xml version="1.0" encoding="UTF-8"?>\n<Error>',
    element('Code', code),
    element('Message', message),
    ...own,
    element('RequestId', requestId),
    element('HostId', hostId),
    '</Error>',
  ].join('');
}

function element(name: string, value: string): string {
  return `<${name}>${escapeText(value)}</${name}>`;
}

const parser = new XMLParser({
  ignoreAttributes: true,
  ignoreDeclaration: true,
  ignorePiTags: true,
  parseTagValue: false,
  trimValues: false,
  preserveOrder: true,
  processEntities: false,
});

/**
 * Reads a store's error body, so that it can be sent again under other ids.
 * Gives undefined when it is not the XML of an error with a code; fields with elements of their own are left out.
 */
export function parseErrorBody(body: string | Uint8Array): RememberedError | undefined {
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  if (/<!DOCTYPE/i.test(text) || XMLValidator.validate(text) !== true) return undefined;
  const root = childrenOf(parser.parse(text), 'Error');
  if (!root) return undefined;
  const pairs = root.flatMap(leaf);
  const code = pairs.find(([name]) => name === 'Code')?.[1];
  if (!code) return undefined;
  const message = pairs.find(([name]) => name === 'Message')?.[1] ?? '';
  return { code, message, fields: pairs.filter(([name]) => !NOT_REMEMBERED.has(name)) };
}

/** The children of the first element called `name` in a list as the parser gives it. */
function childrenOf(nodes: unknown, name: string): readonly unknown[] | undefined {
  if (!Array.isArray(nodes)) return undefined;
  for (const node of nodes) {
    if (isRecord(node) && Array.isArray(node[name])) return node[name];
  }
  return undefined;
}

/** An element with nothing but text in it, as one pair; anything else as none. */
function leaf(node: unknown): [name: string, value: string][] {
  if (!isRecord(node)) return [];
  const [entry] = Object.entries(node);
  if (!entry || !Array.isArray(entry[1])) return [];
  const [name, parts] = entry;
  const texts = parts.map(part => (isRecord(part) ? part['#text'] : undefined));
  return texts.every(text => typeof text === 'string') ? [[name, unescapeText(texts.join(''))]] : [];
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
