import type { Pairs } from './error.ts';
import { usualMessage } from './error-codes.ts';
import { isElement, readXml, textOf, type XmlElement, type XmlLimits, type XmlNode } from './xml-reader.ts';
import { escapeText } from './xml-text.ts';

/** The content of an error body. */
interface ErrorBody {
  readonly code: string;
  readonly message: string;
  readonly fields: Pairs;
  /** Equal to the response header `<prefix>request-id`. */
  readonly requestId: string;
  /** Equal to the response header `<prefix>id-2`. */
  readonly hostId: string;
}

/** What is cached of a store's error: everything except the ids of that one response. */
export type RememberedError = Pick<ErrorBody, 'code' | 'message' | 'fields'>;

/** Elements that are specific to one response, or that the gateway does not send (Decided 11). */
const notRemembered: ReadonlySet<string> = new Set(['Code', 'Message', 'RequestId', 'HostId', 'Resource']);

/**
 * Elements that quote how a request was signed: for a request to the store, that would reveal details of the gateway's
 * own signature (docs/architecture.md, law 7).
 */
const ofSignatures: ReadonlySet<string> = new Set([
  'AWSAccessKeyId',
  'CanonicalRequest',
  'CanonicalRequestBytes',
  'SignatureProvided',
  'StringToSign',
  'StringToSignBytes',
  'Token-0',
]);

/** Begins whatever says how a request was signed: its header, and what the signature is over. */
const SIGNATURE_MARK = 'AWS4-HMAC-SHA256';

const elementName = /^[A-Za-z_][\w.-]*$/;

/**
 * Formats the XML of an error: Code, Message, the code's own fields, RequestId, HostId (docs/semantics.md, Decided 11;
 * rows 202 to 204). Values are escaped; characters that XML does not allow become U+FFFD. A field whose name is not a
 * valid element name is left out.
 */
export function errorBody({ code, message, fields, requestId, hostId }: ErrorBody): string {
  const own = fields.filter(([name]) => elementName.test(name)).map(([name, value]) => element(name, value));
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

/** Error bodies of stores are a few hundred bytes, ten elements and two levels deep; these limits are far above that. */
const limits: XmlLimits = { length: 64 * 1024, depth: 16, nodes: 1000, memberLength: 64 * 1024 };

/**
 * Parses a store's error body so that it can be sent again with other ids. Never throws. Gives undefined for anything
 * but the XML of an error with a code. Fields with nested elements and fields that quote a signature are left
 * out, and a message that does is replaced by the usual one. Clients can have their own words quoted, so this alone does not
 * say that the gateway's signature was refused.
 */
export function parseErrorBody(body: string | Uint8Array): RememberedError | undefined {
  if (body.length > limits.length) return undefined;
  const root = readXml(typeof body === 'string' ? body : new TextDecoder().decode(body), limits);
  if (root?.name !== 'Error') return undefined;
  const pairs = root.children.filter(isLeaf).map((element): Pair => [element.name, textOf(element)]);
  const code = pairs.find(([name]) => name === 'Code')?.[1].trim();
  if (!code) return undefined;
  const message = pairs.find(([name]) => name === 'Message')?.[1] ?? '';
  return {
    code,
    message: message.includes(SIGNATURE_MARK) ? usualMessage(code) : message,
    fields: pairs.filter(pair => !notRemembered.has(pair[0]) && !quotesSignature(pair)),
  };
}

function quotesSignature([name, value]: Pair): boolean {
  return ofSignatures.has(name) || value.includes(SIGNATURE_MARK);
}

type Pair = [name: string, value: string];

function isLeaf(node: XmlNode): node is XmlElement {
  return isElement(node) && !node.children.some(isElement);
}
