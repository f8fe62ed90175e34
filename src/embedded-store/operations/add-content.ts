import type { StoredContent } from '../disk/content.ts';
import type { NewObject, ObjectContent } from '../disk/versions.ts';
import { addObject } from './add-object.ts';
import type { ObjectCall } from './operation.ts';
import { requireWriteConditions } from './write-conditions.ts';

/** Creates an object from one blob; if that fails, the blob is discarded. */
export function addContent(call: ObjectCall, stored: StoredContent, content: ObjectContent): NewObject {
  try {
    const demand = () => requireWriteConditions(call);
    return addObject(call, [{ ...stored, partNumber: 1 }], { content, demand });
  } catch (error) {
    call.store.blobs.discard([stored.blobId]);
    throw error;
  }
}
