import type { CannedAcl } from '../disk/object-attributes.ts';
import { parseAcl } from '../protocol/object-settings.ts';
import type { AnswerBody, OperationAnswer } from '../protocol/operation-answer.ts';
import { OperationError } from '../protocol/operation-error.ts';
import { type XmlElements, xmlResult } from '../protocol/xml.ts';
import { findObject } from './find-object.ts';
import type { BucketCall, ObjectCall } from './operation.ts';

const GROUPS = 'http://acs.amazonaws.com/groups/global';

export function getObjectAcl(call: ObjectCall): OperationAnswer {
  const object = findObject(call, { current: 'GetObjectAcl', version: 'GetObjectVersionAcl' });
  return { status: 200, body: aclDocument(call, object.attributes.acl) };
}

/** PutObjectAcl with a canned ACL; other ACLs are not implemented. */
export function putObjectAcl(call: ObjectCall): OperationAnswer {
  const object = findObject(call, { current: 'PutObjectAcl', version: 'PutObjectVersionAcl' });
  call.store.versions.change(object, { acl: cannedAcl(call) });
  return { status: 200 };
}

export function getBucketAcl(call: BucketCall): OperationAnswer {
  return { status: 200, body: aclDocument(call, call.bucket.settings.acl) };
}

/** PutBucketAcl with a canned ACL. */
export function putBucketAcl(call: BucketCall): OperationAnswer {
  call.store.buckets.change(call.bucket, { acl: cannedAcl(call) });
  return { status: 200 };
}

function cannedAcl({ request }: BucketCall): CannedAcl {
  if (request.prefixed('acl') === undefined) throw new OperationError('NotImplemented');
  return parseAcl(request);
}

function aclDocument({ bucket }: BucketCall, acl: CannedAcl): AnswerBody {
  const owner = { ID: bucket.settings.ownerId };
  const Grant = [grant('CanonicalUser', owner, 'FULL_CONTROL')];
  if (acl === 'authenticated-read') Grant.push(grant('Group', group('AuthenticatedUsers'), 'READ'));
  if (acl.startsWith('public-read')) Grant.push(grant('Group', group('AllUsers'), 'READ'));
  if (acl === 'public-read-write') Grant.push(grant('Group', group('AllUsers'), 'WRITE'));
  return xmlResult('AccessControlPolicy', { Owner: owner, AccessControlList: { Grant } });
}

function group(name: string): XmlElements {
  return { URI: `${GROUPS}/${name}` };
}

function grant(type: string, grantee: XmlElements, permission: string): XmlElements {
  const kind = { '@xmlns:xsi': 'http://www.w3.org/2001/XMLSchema-instance', '@xsi:type': type };
  return { Grantee: { ...kind, ...grantee }, Permission: permission };
}
