import type { Steps } from '../../base/sliced-work.ts';
import { readXmlInSteps, textOf } from '../xml-reader.ts';
import { elementsOf } from '../xml-writer.ts';
import { InvalidListError } from './listing-xml.ts';

/** Amazon lists ten thousand buckets at once; each takes about 150 bytes, and 10 nodes. */
export const BUCKETS_LIMIT_BYTES = 4 * 1024 * 1024;
const limits = {
  ...{ length: BUCKETS_LIMIT_BYTES, depth: 8, nodes: 150_000 },
  // all of them are in one child of the root
  memberLength: BUCKETS_LIMIT_BYTES,
};

/** Names that are read in one step. */
const NAMES_PER_STEP = 100;

/**
 * The buckets of a store.
 *
 * @param body its answer to ListBuckets
 * @throws InvalidListError if it is none, or is too large
 */
export function* readStoreBuckets(body: Buffer): Steps<{ name: string; created: string | undefined }[]> {
  const root = body.length < BUCKETS_LIMIT_BYTES ? yield* readXmlInSteps(body, limits) : undefined;
  const list = root && elementsOf(root).find(({ name }) => name === 'Buckets');
  if (root?.name !== 'ListAllMyBucketsResult' || !list) throw new InvalidListError('it has no buckets');
  const buckets = [];
  for (const [index, bucket] of elementsOf(list).entries()) {
    const texts = new Map(elementsOf(bucket).map(element => [element.name, textOf(element)]));
    buckets.push({ name: texts.get('Name') ?? '', created: texts.get('CreationDate') });
    if (index % NAMES_PER_STEP === 0) yield;
  }
  return buckets;
}
