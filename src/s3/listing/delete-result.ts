import type { Steps } from '../../base/sliced-work.ts';
import { readXmlInSteps, textOf, type XmlElement } from '../xml-reader.ts';
import { NAMESPACE } from '../xml-text.ts';
import { documentTags, elementsOf, inTags, leaf } from '../xml-writer.ts';
import { InvalidListError, joined } from './listing-xml.ts';

/** What became of one object of DeleteObjects, with the elements that the answer has of it. */
export interface DeletedObject {
  readonly kind: 'Deleted' | 'Error';
  readonly key: string;
  /** All other elements, by name. */
  readonly elements: readonly (readonly [name: string, value: string])[];
}

/** 1000 objects, of whose keys each byte may be written as a reference. */
export const DELETE_RESULT_LIMIT_BYTES = 8 * 1024 * 1024;
const limits = { length: DELETE_RESULT_LIMIT_BYTES, depth: 8, nodes: 40_000, memberLength: 64 * 1024 };

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_DeleteObjects.html; others may contain names. */
const known: Readonly<Record<DeletedObject['kind'], ReadonlySet<string>>> = {
  Deleted: new Set(['DeleteMarker', 'DeleteMarkerVersionId', 'VersionId']),
  Error: new Set(['Code', 'Message', 'VersionId']),
};

/** Results that are written in one step. */
const RESULTS_PER_STEP = 50;

/**
 * Reads a store's answer to DeleteObjects.
 *
 * @throws InvalidListError if it is none
 */
export function* readDeleteResult(body: Buffer): Steps<DeletedObject[]> {
  const root = body.length < DELETE_RESULT_LIMIT_BYTES ? yield* readXmlInSteps(body, limits) : undefined;
  if (root?.name !== 'DeleteResult') throw new InvalidListError('it is not a DeleteResult');
  const results: DeletedObject[] = [];
  for (const element of elementsOf(root)) {
    const kind = kindOf(element);
    if (!kind) continue;
    const pairs = elementsOf(element).map((child): [string, string] => [child.name, textOf(child)]);
    const key = pairs.find(([name]) => name === 'Key')?.[1];
    if (key === undefined) throw new InvalidListError('a result names no key');
    results.push({ kind, key, elements: pairs.filter(([name]) => known[kind].has(name)) });
    if (results.length % RESULTS_PER_STEP === 0) yield;
  }
  return results;
}

function kindOf({ name }: XmlElement): DeletedObject['kind'] | undefined {
  return name === 'Deleted' || name === 'Error' ? name : undefined;
}

/** Formats an answer to DeleteObjects. */
export function* formatDeleteResult(results: readonly DeletedObject[]): Steps<Buffer> {
  const { start, end } = documentTags({
    name: 'DeleteResult',
    attributes: new Map([['xmlns', NAMESPACE]]),
  });
  const pieces = [Buffer.from(start)];
  for (const [index, { kind, key, elements }] of results.entries()) {
    const others = elements.map(([name, value]) => leaf(name, value));
    pieces.push(Buffer.from(inTags(kind, leaf('Key', key) + others.join(''))));
    if (index % RESULTS_PER_STEP === 0) yield;
  }
  pieces.push(Buffer.from(end));
  return yield* joined(pieces);
}
