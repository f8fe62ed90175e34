import type { ObjectAttributes } from '../disk/object-attributes.ts';
import type { OperationAnswer } from '../protocol/operation-answer.ts';
import { parseStagedState } from '../protocol/staged-state.ts';
import { findObject } from './find-object.ts';
import type { ObjectCall } from './operation.ts';

/**
 * `PUT /<bucket>/<key>?embedded-state`, an extension of this store: sets states that a real store reaches by itself;
 * bytes, tag and date of the object stay (docs/semantics.md 178, 179).
 */
export function putStagedState(call: ObjectCall): OperationAnswer {
  const object = findObject(call, { current: 'PutObject', version: 'PutObject' });
  const { kmsKeyState, storageClass, ...states } = parseStagedState(call.request);
  const { encryption } = object.attributes;
  const changes: Partial<ObjectAttributes> = {
    ...states,
    ...(encryption.kind === 'kms' && kmsKeyState && { encryption: { ...encryption, keyState: kmsKeyState } }),
  };
  call.store.versions.change(object, changes, storageClass);
  return { status: 200 };
}
