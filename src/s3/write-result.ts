import type { XmlElement } from './xml-reader.ts';
import {
  checksumElements,
  elementsOf,
  type KnownElements,
  knownElements,
  leaf,
  rootTags,
  writeKnown,
} from './xml-writer.ts';

/** What the client calls the object that was written. */
interface WrittenNames {
  readonly bucket: string;
  readonly key: string;
  /** Where the client finds it, in place of what the store says. */
  readonly location: string;
}

const ofContent = [...checksumElements, 'ChecksumType', 'ETag'];

/** The known elements of each result, other than names (https://docs.aws.amazon.com/AmazonS3/latest/API/). */
const results: ReadonlyMap<string, KnownElements> = new Map([
  ['CompleteMultipartUploadResult', knownElements(ofContent, {})],
  ['CopyObjectResult', knownElements([...ofContent, 'LastModified'], {})],
  ['CopyPartResult', knownElements([...ofContent, 'LastModified'], {})],
  ['InitiateMultipartUploadResult', knownElements(['UploadId'], {})],
]);

/**
 * The result of a write under the client's names. Unknown elements are left out, because they might contain names of the
 * store.
 *
 * @returns undefined for an element that is not the result of an upload or of a copy
 */
export function renameResult(root: XmlElement, names: WrittenNames): string | undefined {
  const known = results.get(root.name);
  if (!known) return undefined;
  const { start, end } = rootTags(root);
  return (
    start +
    elementsOf(root)
      .map(child => writeElement(child, known, names))
      .join('') +
    end
  );
}

function writeElement(element: XmlElement, known: KnownElements, names: WrittenNames): string {
  const { name } = element;
  if (name === 'Bucket') return leaf(name, names.bucket);
  if (name === 'Key') return leaf(name, names.key);
  if (name === 'Location') return leaf(name, names.location);
  return writeKnown(element, known);
}
