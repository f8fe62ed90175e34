import { s3Error } from './error.ts';
import { readXml, textOf, type XmlElement } from './xml-reader.ts';
import { elementsOf } from './xml-writer.ts';

/** An object has ten tags of 128 and 256 characters at most. */
const limits = { length: 32 * 1024, depth: 8, nodes: 500, memberLength: 32 * 1024 };

/**
 * The tags of a document as the header `tagging` has them: in the form of a query.
 *
 * @throws S3Error MalformedXML
 */
export function readTagging(document: string): string {
  const root = readXml(document, limits);
  const [set, ...more] = root?.name === 'Tagging' ? elementsOf(root) : [];
  if (set?.name !== 'TagSet' || more.length > 0) throw s3Error('MalformedXML');
  return elementsOf(set).map(asPair).join('&');
}

function asPair(tag: XmlElement): string {
  const key = elementsOf(tag).find(({ name }) => name === 'Key');
  const value = elementsOf(tag).find(({ name }) => name === 'Value');
  if (tag.name !== 'Tag' || !key || !value) throw s3Error('MalformedXML');
  return `${encodeURIComponent(textOf(key))}=${encodeURIComponent(textOf(value))}`;
}
