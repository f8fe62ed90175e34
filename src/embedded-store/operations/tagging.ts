import { z } from 'zod';
import type { StoredObject } from '../disk/versions.ts';
import type { OperationAnswer } from '../protocol/operation-answer.ts';
import { receiveDocument } from '../protocol/received-document.ts';
import { checkedTags } from '../protocol/tags.ts';
import { emptyElement, parseXml, xmlResult } from '../protocol/xml.ts';
import { findObject, shownVersionId } from './find-object.ts';
import type { ObjectCall } from './operation.ts';

const form = {
  root: 'Tagging',
  repeated: ['Tag'],
  schema: z.object({
    TagSet: emptyElement.or(z.object({ Tag: z.array(z.object({ Key: z.string(), Value: z.string() })) })),
  }),
};

export function getObjectTagging(call: ObjectCall): OperationAnswer {
  const object = findObject(call, { current: 'GetObjectTagging', version: 'GetObjectVersionTagging' });
  const Tag = object.attributes.tags.map(([Key, Value]) => ({ Key, Value }));
  return { ...named(call, object), body: xmlResult('Tagging', { TagSet: { Tag } }) };
}

/** PutObjectTagging: replaces all tags. */
export async function putObjectTagging(call: ObjectCall): Promise<OperationAnswer> {
  const { TagSet } = parseXml(await receiveDocument(call), form);
  const tags = 'Tag' in TagSet ? TagSet.Tag : [];
  const object = findObject(call, { current: 'PutObjectTagging', version: 'PutObjectVersionTagging' });
  call.store.versions.change(object, {
    tags: checkedTags(tags.map(({ Key, Value }) => [Key, Value])),
  });
  return named(call, object);
}

export function deleteObjectTagging(call: ObjectCall): OperationAnswer {
  const actions = { current: 'DeleteObjectTagging', version: 'DeleteObjectVersionTagging' };
  const object = findObject(call, actions);
  call.store.versions.change(object, { tags: [] });
  return { ...named(call, object), status: 204 };
}

function named(call: ObjectCall, object: StoredObject): OperationAnswer {
  const versionId = shownVersionId(call, object);
  return { status: 200, prefixed: { ...(versionId && { 'version-id': versionId }) } };
}
