import { tagFieldNames } from './cache-tags.ts';
import { type HeaderList, headerLines, isHeaderLine } from './header-lines.ts';
import { withoutHopByHop } from './hop-by-hop.ts';
import { targetedFields } from './targeted-cache-control.ts';

/**
 * Fields that mean nothing behind the content, or whose meaning comes too late there: about routing, requests, who may have an
 * answer, and how it is used and kept (RFC 9110 §6.5.1).
 */
const forbidden: ReadonlySet<string> = new Set([
  ...['age', 'cache-control', 'date', 'expires', 'location', 'pragma', 'retry-after', 'vary', 'warning'],
  ...['surrogate-control', 'cache-status', 'x-cache', 'clear-site-data', 'strict-transport-security'],
  ...['cache-group-invalidation', 'no-vary-search', ...tagFieldNames],
  ...['report-to', 'reporting-endpoints', 'nel', 'permissions-policy', 'referrer-policy'],
  ...['accept-ranges', 'allow', 'refresh', 'alt-svc', 'via', 'host', 'cookie', 'set-cookie', 'set-cookie2'],
  ...['authorization', 'www-authenticate', 'expect', 'max-forwards', 'range', 'forwarded', 'link'],
  ...targetedFields,
]);

/** Of the content's fields a digest is known only behind it (RFC 9530 §2). */
const ofContent = /^content-(?!digest$)/;

const ofRequestsAndScripts = /^(?:if-|access-control-|cross-origin-|x-forwarded-|x-accel-)/;

/** The trailer fields that are passed on. @param raw names and values alternating, as received */
export function passedTrailers(raw: HeaderList): HeaderList {
  const passed: string[] = [];
  for (const [rawName, value] of headerLines(withoutHopByHop(raw))) {
    const name = rawName.toLowerCase();
    const isForbidden = forbidden.has(name) || ofContent.test(name) || ofRequestsAndScripts.test(name);
    if (!isForbidden && isHeaderLine(name, value)) passed.push(name, value);
  }
  return passed;
}

/** Whether a request with this TE field takes trailers (RFC 9110 §10.1.4). */
export function takesTrailers(te: string | undefined): boolean {
  return te !== undefined && /(?:^|,)[\t ]*trailers[\t ]*(?:,|$)/i.test(te);
}
