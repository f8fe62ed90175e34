/** A request as it came off the wire: nothing decoded, joined or normalised. */
export interface SignedRequest {
  readonly method: string;
  /** The request target: path and query, in absolute form perhaps. */
  readonly url: string;
  /** Names and values alternating, as node:http's `rawHeaders`. */
  readonly rawHeaders: readonly string[];
}

/** The same request, taken apart as far as signatures need it. */
export interface RequestView {
  readonly method: string;
  readonly rawPath: string;
  /** Without the question mark. */
  readonly rawQuery: string;
  /** Lower-case names; several lines of one name are joined by a comma, as they are signed. */
  readonly headers: ReadonlyMap<string, string>;
  /** How many lines of Authorization there are. */
  readonly authorizations: number;
}

/** Whether a request has a place for credentials at all; most anonymous reads need no closer look. */
export function mayShowCredentials({ url, rawHeaders }: SignedRequest): boolean {
  if (url.includes('?')) return true;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    if (name.length === 'authorization'.length && name.toLowerCase() === 'authorization') return true;
  }
  return false;
}

const absoluteForm = /^https?:\/\/([^/?]*)(.*)$/is;

/** Takes a request apart; nothing is thrown, whatever it holds. */
export function viewRequest({ method, url, rawHeaders }: SignedRequest): RequestView {
  const { headers, authorizations } = collectHeaders(rawHeaders);
  const [, authority, rest] = url.startsWith('/') ? [] : (absoluteForm.exec(url) ?? []);
  // The authority of a target in absolute form is what is addressed, whatever Host says (RFC 9112 §3.2.2): a
  // signature for one host must not open another.
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
