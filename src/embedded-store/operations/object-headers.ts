import { isPermitted } from '../access/permissions.ts';
import type { Encryption } from '../disk/object-attributes.ts';
import type { StoredObject } from '../disk/versions.ts';
import { formatDate, formatIsoDate } from '../protocol/dates.ts';
import type { DialectPrefix } from '../protocol/dialect.ts';
import { metadataHeaders } from '../protocol/user-metadata.ts';
import { archiveHeaders } from './archive.ts';
import { shownVersionId } from './find-object.ts';
import { expirationHeader } from './lifecycle.ts';
import type { ObjectCall } from './operation.ts';

/** Response headers; those with the dialect's prefix are separate. */
interface HeaderSets {
  readonly headers: Readonly<Record<string, string>>;
  readonly prefixed: Readonly<Record<string, string>>;
}

/**
 * The headers of every response about an object, whichever part of it is sent (docs/semantics.md, Response headers).
 */
export function objectHeaders(call: ObjectCall, object: StoredObject): HeaderSets {
  const { attributes } = object;
  return {
    headers: {
      'accept-ranges': 'bytes',
      ...attributes.contentHeaders,
      etag: `"${object.etag}"`,
      'last-modified': formatDate(object.lastModifiedMs),
    },
    prefixed: {
      ...present({
        'version-id': shownVersionId(call, object),
        'storage-class': object.storageClass === 'STANDARD' ? undefined : object.storageClass,
        'replication-status': attributes.replicationStatus,
        'website-redirect-location': attributes.websiteRedirect,
        expiration: expiration(call, object),
      }),
      ...archiveHeaders(object, call.store.clock.nowMs()),
      ...encryptionHeaders(attributes.encryption, call.request.prefix),
      ...lockHeaders(object),
      ...permittedHeaders(call, object),
      ...metadataHeaders(attributes.metadata),
    },
  };
}

/** docs/semantics.md, Decided 6. */
export function headersOfNotModified(call: ObjectCall, object: StoredObject): HeaderSets {
  const { contentHeaders } = object.attributes;
  return {
    headers: present({
      etag: `"${object.etag}"`,
      'last-modified': formatDate(object.lastModifiedMs),
      'cache-control': contentHeaders['cache-control'],
      expires: contentHeaders.expires,
    }),
    prefixed: present({ 'version-id': shownVersionId(call, object) }),
  };
}

/** Headers that describe the encryption (docs/semantics.md 156, 159, 160), without prefix. */
export function encryptionHeaders(encryption: Encryption, prefix: DialectPrefix): Record<string, string> {
  const name = 'server-side-encryption';
  switch (encryption.kind) {
    case 'managed':
      return { [name]: 'AES256' };
    case 'customer':
      return { [`${name}-customer-algorithm`]: 'AES256', [`${name}-customer-key-md5`]: encryption.keyMd5 };
    case 'kms':
      return {
        [name]: `${prefix === 'x-amz-' ? 'aws' : 'store'}:kms`,
        [`${name}-aws-kms-key-id`]: encryption.keyId,
        ...(encryption.isBucketKeyEnabled && { [`${name}-bucket-key-enabled`]: 'true' }),
      };
  }
}

/** Omitted for a version requested by its id (docs/semantics.md 108). */
function expiration({ request, bucket }: ObjectCall, object: StoredObject): string | undefined {
  return request.query.has('versionId') ? undefined : expirationHeader(bucket.settings.lifecycle, object);
}

/** Headers shown only to callers that may read the same data separately (docs/semantics.md 129, 131). */
function permittedHeaders(call: ObjectCall, object: StoredObject): Record<string, string> {
  const { tags, legalHold } = object.attributes;
  const may = (action: string) => isPermitted(call.caller, action, call);
  return present({
    'tagging-count': tags.length > 0 && may('GetObjectTagging') ? String(tags.length) : undefined,
    'object-lock-legal-hold': legalHold && may('GetObjectLegalHold') ? legalHold : undefined,
  });
}

/** Shown to every reader (docs/semantics.md, Decided 9). */
function lockHeaders({ attributes: { retention } }: StoredObject): Record<string, string> {
  if (!retention) return {};
  return {
    'object-lock-mode': retention.mode,
    'object-lock-retain-until-date': formatIsoDate(retention.untilMs),
  };
}

function present(headers: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const set: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) if (value !== undefined) set[name] = value;
  return set;
}
