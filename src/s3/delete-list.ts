import { isUtf8 } from 'node:buffer';
import type { Steps } from '../base/sliced-work.ts';
import { s3Error } from './error.ts';
import { readXmlInSteps, textOf, type XmlElement } from './xml-reader.ts';
import { NAMESPACE } from './xml-text.ts';
import { elementsOf, inTags, leaf } from './xml-writer.ts';

/** An object that DeleteObjects names. */
export interface ObjectToDelete {
  readonly key: string;
  readonly versionId: string | undefined;
  /** Conditions on the object, such as its entity tag, by the names of their elements. */
  readonly conditions: readonly (readonly [name: string, value: string])[];
}

/** The body of DeleteObjects (https://docs.aws.amazon.com/AmazonS3/latest/API/API_DeleteObjects.html). */
export interface DeleteList {
  readonly objects: readonly ObjectToDelete[];
  /** Whether the answer names only objects that could not be deleted. */
  readonly isQuiet: boolean;
}

/** The most that Amazon takes. */
export const DELETE_LIST_LIMIT_BYTES = 2 * 1024 * 1024;
const MAX_OBJECTS = 1000;

/** A key has 1024 bytes, of which each may be written as a reference of up to ten characters. */
const limits = { length: DELETE_LIST_LIMIT_BYTES, depth: 8, nodes: 20_000, memberLength: 16 * 1024 };

const conditionNames: ReadonlySet<string> = new Set(['ETag', 'LastModifiedTime', 'Size']);

const booleans: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
]);

/**
 * Reads the body of DeleteObjects. What is not known is refused: ignored, it could be a condition.
 *
 * @throws S3Error MalformedXML
 */
export function* readDeleteList(body: Buffer): Steps<DeleteList> {
  const root = isUtf8(body) ? yield* readXmlInSteps(body, limits) : undefined;
  if (root?.name !== 'Delete') throw malformed('the document is no Delete');
  const objects: ObjectToDelete[] = [];
  let isQuiet: boolean | undefined;
  for (const element of elementsOf(root)) {
    if (element.name === 'Object') objects.push(objectOf(element));
    else if (element.name === 'Quiet' && isQuiet === undefined) isQuiet = quietOf(element);
    else throw malformed('an element is unknown or repeated');
  }
  if (objects.length > MAX_OBJECTS) throw malformed(`there are ${objects.length} objects`);
  return { objects, isQuiet: isQuiet ?? false };
}

function objectOf(element: XmlElement): ObjectToDelete {
  const values = new Map<string, string>();
  for (const child of elementsOf(element)) {
    if (values.has(child.name)) throw malformed('an element of an object is repeated');
    values.set(child.name, textOf(child));
  }
  const key = values.get('Key');
  if (!key) throw malformed('an object has no key');
  const conditions = [...values].filter(([name]) => name !== 'Key' && name !== 'VersionId');
  if (conditions.some(([name]) => !conditionNames.has(name)))
    throw malformed('an element of an object is unknown');
  return { key, versionId: values.get('VersionId'), conditions };
}

function quietOf(element: XmlElement): boolean {
  const isQuiet = booleans.get(textOf(element).trim().toLowerCase());
  if (isQuiet === undefined) throw malformed('Quiet is neither true nor false');
  return isQuiet;
}

function malformed(reason: string) {
  return s3Error('MalformedXML', { reason });
}

/** Formats the body of DeleteObjects, which `objects` may be named in differently. */
export function formatDeleteList({ objects, isQuiet }: DeleteList): Buffer {
  const written = objects.map(({ key, versionId, conditions }) =>
    inTags(
      'Object',
      [
        leaf('Key', key),
        versionId === undefined ? '' : leaf('VersionId', versionId),
        ...conditions.map(([name, value]) => leaf(name, value)),
      ].join(''),
    ),
  );
  return Buffer.from(
    `<Delete xmlns="${NAMESPACE}">${leaf('Quiet', String(isQuiet))}${written.join('')}</Delete>`,
  );
}
