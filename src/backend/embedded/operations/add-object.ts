import type { StoredContent } from '../disk/content.ts';
import type { Piece } from '../disk/pieces.ts';
import type { NewObject, ObjectContent } from '../disk/versions.ts';
import type { ObjectCall } from './operation.ts';
import { newVersionId } from './version-id.ts';
import { demandWriteConditions } from './write-conditions.ts';

/** Content on the disk that shall be a part of an object (the only one, if it is number 1 of one). */
export interface PartContent extends StoredContent {
  readonly partNumber: number;
  readonly checksum?: string;
}

/**
 * Makes an object of `parts` (ascending) the current version of the key, in one step; its conditions are judged at that
 * very moment. When it cannot be, the parts' blobs are discarded.
 */
export function addObject(
  call: ObjectCall,
  parts: readonly PartContent[],
  content: ObjectContent,
): NewObject {
  const { store, bucket, key } = call;
  const version = {
    ...content,
    kind: 'object' as const,
    bucket: bucket.name,
    key,
    versionId: newVersionId(bucket),
    lastModifiedMs: store.clock.nowMs(),
  };
  try {
    demandWriteConditions(call);
    store.blobs.discard(store.versions.add(version, piecesOf(parts)));
  } catch (error) {
    store.blobs.discard(parts.map(part => part.blobId));
    throw error;
  }
  return version;
}

function piecesOf(parts: readonly PartContent[]): Piece[] {
  let firstByte = 0;
  return parts.map(part => {
    const piece = { ...part, firstByte };
    firstByte += part.sizeBytes;
    return piece;
  });
}
