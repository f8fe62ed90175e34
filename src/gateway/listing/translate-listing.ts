import { XMLBuilder, XMLParser } from 'fast-xml-parser';
import { escapeText, unescapeText } from '../../s3/xml-text.ts';
import { WrongAnswerError } from '../fill/fill-error.ts';

/** How a listing looks to a client. */
export interface ListingView {
  /** The bucket's name as clients use it. */
  readonly bucket: string;
  /** What stands before every key at the store. */
  readonly keyPrefix: string;
  readonly mayList: (key: string) => boolean;
}

/** An element as the parser gives it: one property with its children, or text. */
type Node = Readonly<Record<string, readonly Node[] | string | undefined>>;

/** Entities stay as the store wrote them: what is not translated goes on as it came. */
const options = {
  preserveOrder: true,
  ignoreAttributes: false,
  parseTagValue: false,
  trimValues: false,
  processEntities: false,
} as const;

/** What listings of objects, versions and uploads are called. */
const listings = new Set(['ListBucketResult', 'ListMultipartUploadsResult', 'ListVersionsResult']);

/** Elements of a listing that stand for something listed, and what in them holds its key or the beginning of one. */
const listed: ReadonlyMap<string, 'Key' | 'Prefix'> = new Map([
  ['CommonPrefixes', 'Prefix'],
  ['Contents', 'Key'],
  ['DeleteMarker', 'Key'],
  ['Upload', 'Key'],
  ['Version', 'Key'],
]);

/** Further elements of a listing that hold a key or the beginning of one. */
const holdingKeys = new Set(['KeyMarker', 'Marker', 'NextKeyMarker', 'NextMarker', 'Prefix', 'StartAfter']);

/** Translates the XML of a listing from the store's names to the client's. */
export function translateListing(body: Buffer, view: ListingView): Buffer {
  const document: unknown = new XMLParser(options).parse(body);
  if (!Array.isArray(document)) throw new WrongAnswerError('a listing that is no XML');
  const translated = document.map((node: Node) =>
    listings.has(nameOf(node)) ? translateResult(node, view) : node,
  );
  return Buffer.from(new XMLBuilder(options).build(translated));
}

function translateResult(node: Node, view: ListingView): Node {
  const children = childrenOf(node);
  const isEncoded = children.some(child => nameOf(child) === 'EncodingType' && textOf(child) === 'url');
  const key = new KeyView(view, isEncoded);
  const kept = children.filter(child => isListed(child, key)).map(child => translateChild(child, view, key));
  const count = kept.filter(child => listed.has(nameOf(child))).length;
  const counted = kept.map(child =>
    nameOf(child) === 'KeyCount' ? element('KeyCount', String(count)) : child,
  );
  return { ...node, [nameOf(node)]: counted };
}

function isListed(node: Node, key: KeyView): boolean {
  const inner = listed.get(nameOf(node));
  return inner === undefined || key.mayList(textIn(node, inner));
}

function translateChild(node: Node, view: ListingView, key: KeyView): Node {
  const name = nameOf(node);
  if (name === 'Name' || name === 'Bucket') return element(name, view.bucket);
  if (holdingKeys.has(name)) return key.translate(node);
  const inner = listed.get(name);
  if (inner === undefined) return node;
  const children = childrenOf(node).map(child => (nameOf(child) === inner ? key.translate(child) : child));
  return { ...node, [name]: children };
}

/** Keys of a listing, which are percent-encoded where the client asked for that. */
class KeyView {
  readonly #view: ListingView;
  readonly #isEncoded: boolean;

  constructor(view: ListingView, isEncoded: boolean) {
    this.#view = view;
    this.#isEncoded = isEncoded;
  }

  mayList(listed: string): boolean {
    const key = this.#isEncoded ? decodeURIComponent(listed.replaceAll('+', ' ')) : listed;
    return this.#view.mayList(key.slice(this.#view.keyPrefix.length));
  }

  /** An element that holds a key, without what stands before every key at the store. */
  translate(node: Node): Node {
    const listed = textOf(node);
    const shown = this.#shown(listed);
    return shown === listed ? node : element(nameOf(node), shown);
  }

  /** The prefix is the operator's, and stands before the escapes of the rest. */
  #shown(listed: string): string {
    const prefix = this.#isEncoded
      ? encodeURIComponent(this.#view.keyPrefix).replaceAll('%2F', '/')
      : this.#view.keyPrefix;
    return listed.startsWith(prefix) ? listed.slice(prefix.length) : listed;
  }
}

function element(name: string, text: string): Node {
  return { [name]: text === '' ? [] : [{ '#text': escapeText(text) }] };
}

function nameOf(node: Node): string {
  return Object.keys(node).find(key => key !== ':@') ?? '';
}

function childrenOf(node: Node): readonly Node[] {
  const children = node[nameOf(node)];
  return Array.isArray(children) ? children : [];
}

function textOf(node: Node): string {
  const texts = childrenOf(node).map(child => child['#text']);
  return unescapeText(texts.filter(text => typeof text === 'string').join(''));
}

function textIn(node: Node, name: string): string {
  const child = childrenOf(node).find(one => nameOf(one) === name);
  return child ? textOf(child) : '';
}
