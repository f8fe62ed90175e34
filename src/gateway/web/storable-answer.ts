import { mayStore } from '../../http/storability.ts';
import type { HeaderField } from '../../s3/dialect.ts';
import { isPartAsWhole, readContentHead } from '../fill/content-head.ts';
import type { CachePolicy } from '../request/cache-policy.ts';
import type { WebHead } from './stored-answer.ts';
import type { WebRead } from './web-read.ts';

/**
 * Whether an answer to `method` may be stored for others (RFC 9111 §3). One that sets a cookie is stored only where that is
 * configured. One that does not say for how long it is fresh may be for its client alone where that has sent a cookie.
 */
export function isStorable(
  read: WebRead,
  method: string,
  head: WebHead,
  isRefusedByRequest: boolean,
): boolean {
  return refusalToStore(read, method, head, isRefusedByRequest) === undefined;
}

/** Why it may not be, as a token; undefined where it may. */
export function refusalToStore(
  read: WebRead,
  method: string,
  head: WebHead,
  isRefusedByRequest: boolean,
): string | undefined {
  const { control, status, fields, vary } = head;
  const hasExpires = head.expires !== undefined;
  const { isAuthorized } = read;
  const isConfigured = isNamedStatus(status, read.policy);
  const asked = { method, status, control, hasExpires, isConfigured, isAuthorized, isRefusedByRequest };
  const verdict = mayStore({ ...asked, variesByAll: vary === '*' });
  if (verdict.kind !== 'storable') return verdict.why;
  if (isPartAsWhole(readContentHead(head))) return 'partial';
  if (!read.bucket.web.storesCookies && setsCookie(fields)) return 'set-cookie';
  const isStated = hasExpires || control.maxAgeS !== undefined || control.sMaxAgeS !== undefined;
  return isStated || control.public || !read.isPersonal ? undefined : 'personal';
}

/** Whether it is configured for how long answers of this status are fresh. */
export function isNamedStatus(status: number, { namedTtls = [] }: CachePolicy): boolean {
  return namedTtls.some(named => 'status' in named && named.status === status);
}

function setsCookie(fields: readonly HeaderField[]): boolean {
  return fields.some(({ name }) => name === 'set-cookie' || name === 'set-cookie2');
}
