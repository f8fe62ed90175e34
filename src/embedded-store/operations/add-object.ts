import type { StoredBucket } from '../disk/buckets.ts';
import type { StoredContent } from '../disk/content.ts';
import type { Piece } from '../disk/pieces.ts';
import type { NewObject, ObjectContent } from '../disk/versions.ts';
import type { StoreParts } from '../store.ts';
import { newVersionId } from './version-id.ts';

/** The location of an object. */
export interface ObjectLocation {
  readonly store: StoreParts;
  readonly bucket: StoredBucket;
  readonly key: string;
}

/** Stored content that becomes an object, or one part of it. */
export interface PartContent extends StoredContent {
  readonly partNumber: number;
  /** Base64. */
  readonly checksum?: string;
}

interface Addition {
  readonly content: ObjectContent;
  /** Checked within the transaction that creates the object; throws to prevent it. */
  readonly demand?: () => void;
  /** Runs in the same transaction; returns blobs that become unreferenced by it. */
  readonly alongside?: () => readonly string[];
}

/** Creates an object from `parts` (in order) as the current version of the key, in one transaction. */
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
