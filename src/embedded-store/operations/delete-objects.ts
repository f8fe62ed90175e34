import { z } from 'zod';
import type { OperationAnswer } from '../protocol/operation-answer.ts';
import { OperationError } from '../protocol/operation-error.ts';
import { receiveDocument } from '../protocol/received-document.ts';
import { parseXml, type XmlElements, xmlResult } from '../protocol/xml.ts';
import { deleteKey } from './delete-object.ts';
import type { BucketCall } from './operation.ts';
import { checkedVersionId } from './version-id.ts';

const objectSchema = z.object({
  Key: z.string().min(1),
  VersionId: z.string().optional(),
  ETag: z.string().optional(),
  LastModifiedTime: z.string().optional(),
  Size: z.string().optional(),
});
const form = {
  root: 'Delete',
  repeated: ['Object'],
  schema: z.object({ Object: z.array(objectSchema).max(1000), Quiet: z.string().optional() }),
};

/** DeleteObjects: deletes each key independently and reports each result. */
export async function deleteObjects(call: BucketCall): Promise<OperationAnswer> {
  const { Object: objects, Quiet } = parseXml(await receiveDocument(call), form);
  const Deleted: XmlElements[] = [];
  const Failed: XmlElements[] = [];
  for (const { Key, VersionId, ETag, LastModifiedTime, Size } of objects) {
    try {
      const conditions = { ifMatch: ETag, hasOthers: LastModifiedTime !== undefined || Size !== undefined };
      const version = checkedVersionId(VersionId, call.bucket);
      const { versionId, isMarker } = deleteKey(call, Key, version, conditions);
      const marker = isMarker ? { DeleteMarker: true, DeleteMarkerVersionId: versionId } : {};
      Deleted.push({ Key, VersionId, ...marker });
    } catch (error) {
      if (!(error instanceof OperationError)) throw error;
      Failed.push({ Key, VersionId, Code: error.code, Message: error.message });
    }
  }
  const content = { Deleted: Quiet === 'true' ? undefined : Deleted, Error: Failed };
  return { status: 200, body: xmlResult('DeleteResult', content) };
}
