/** A request as received: nothing decoded, joined or normalised. */
export interface SignedRequest {
  readonly method: string;
  /** The request target: path and query, possibly in absolute form. */
  readonly url: string;
  /** Names and values alternating, like `rawHeaders` of node:http. */
  readonly rawHeaders: readonly string[];
}

/** The same request, parsed as far as signatures need it. */
export interface RequestView {
  readonly method: string;
  readonly rawPath: string;
  /** Without the question mark. */
  readonly rawQuery: string;
  /** Lower-case names; repeated lines are joined with a comma, as in signatures. */
  readonly headers: ReadonlyMap<string, string>;
  /** The number of Authorization lines. */
  readonly authorizations: number;
}

/** Whether a request may contain credentials; most anonymous reads need no further parsing. */
export function mayShowCredentials({ url, rawHeaders }: SignedRequest): boolean {
  if (url.includes('?')) return true;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    if (name.length === 'authorization'.length && name.toLowerCase() === 'authorization') return true;
  }
  return false;
}

const absoluteForm = /^https?:\/\/([^/?]*)(.*)$/is;

/** Parses a request; never throws. */
export function viewRequest({ method, url, rawHeaders }: SignedRequest): RequestView {
  const { headers, authorizations } = collectHeaders(rawHeaders);
  const [, authority, rest] = url.startsWith('/') ? [] : (absoluteForm.exec(url) ?? []);
  // The authority of an absolute target overrides Host (RFC 9112 §3.2.2): a signature for one host must not be valid
  // for another.
  if (authority !== undefined) headers.set('host', authority);
  const target = rest ?? url;
  const mark = target.indexOf('?');
  return {
    method,
    rawPath: mark < 0 ? target : target.slice(0, mark),
    rawQuery: mark < 0 ? '' : target.slice(mark + 1),
    headers,
    authorizations,
  };
}

function collectHeaders(rawHeaders: readonly string[]) {
  const headers = new Map<string, string>();
  let authorizations = 0;
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] ?? '').toLowerCase();
    const value = rawHeaders[index + 1] ?? '';
    const before = headers.get(name);
    headers.set(name, before === undefined ? value : `${before},${value}`);
    if (name === 'authorization') authorizations += 1;
  }
  return { headers, authorizations };
}
