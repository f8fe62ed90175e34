import type { StoredBucket } from '../disk/buckets.ts';
import type { StoredContent } from '../disk/content.ts';
import type { Piece } from '../disk/pieces.ts';
import type { NewObject, ObjectContent } from '../disk/versions.ts';
import type { StoreParts } from '../store.ts';
import { newVersionId } from './version-id.ts';

/** Where an object goes. */
export interface ObjectLocation {
  readonly store: StoreParts;
  readonly bucket: StoredBucket;
  readonly key: string;
}

/** Content on the disk that shall be a part of an object, the only one or one of several. */
export interface PartContent extends StoredContent {
  readonly partNumber: number;
  /** Base64. */
  readonly checksum?: string;
}

export interface Addition {
  readonly content: ObjectContent;
  /** Judged at the very moment the object comes into being; what it throws prevents it. */
  readonly demand?: () => void;
  /** Happens together with the addition or not at all; gives blobs that become free by it. */
  readonly alongside?: () => readonly string[];
}

/** Makes an object of `parts` (in order) the current version of the key, in one step. */
export function addObject(
  { store, bucket, key }: ObjectLocation,
  parts: readonly PartContent[],
  { content, demand, alongside }: Addition,
): NewObject {
  const object: NewObject = {
    ...content,
    kind: 'object',
    bucket: bucket.name,
    key,
    versionId: newVersionId(bucket),
    lastModifiedMs: store.clock.nowMs(),
  };
  const freed = store.catalogue.transaction(() => {
    demand?.();
    return [...store.versions.add(object, piecesOf(parts)), ...(alongside?.() ?? [])];
  });
  store.blobs.discard(freed);
  return object;
}

function piecesOf(parts: readonly PartContent[]): Piece[] {
  let firstByte = 0;
  return parts.map(part => {
    const piece = { ...part, firstByte };
    firstByte += part.sizeBytes;
    return piece;
  });
}
