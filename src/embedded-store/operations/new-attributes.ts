import type { ObjectAttributes } from '../disk/object-attributes.ts';
import { parseAcl, parseContentHeaders, parseLock } from '../protocol/object-settings.ts';
import { parseStagedState } from '../protocol/staged-state.ts';
import { parseTaggingHeader } from '../protocol/tags.ts';
import { parseMetadata } from '../protocol/user-metadata.ts';
import { requireObjectLock } from './lock.ts';
import type { ObjectCall } from './operation.ts';

/** The attributes of a new object from the headers of PutObject, CopyObject or CreateMultipartUpload. */
export function parseAttributes(call: ObjectCall): Omit<ObjectAttributes, 'encryption' | 'checksum'> {
  const { request } = call;
  const lock = parseLock(request);
  if (lock.retention || lock.legalHold) requireObjectLock(call);
  const { accessTier, replicationStatus } = parseStagedState(request);
  const websiteRedirect = request.prefixed('website-redirect-location');
  return {
    contentHeaders: parseContentHeaders(request),
    metadata: parseMetadata(request),
    tags: parseTaggingHeader(request),
    acl: parseAcl(request),
    ...(websiteRedirect && { websiteRedirect }),
    ...lock,
    ...(accessTier && { accessTier }),
    ...(replicationStatus && { replicationStatus }),
  };
}
