/** A request as it came off the wire: nothing decoded, joined or normalised. */
export interface RawRequest {
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
export function mayShowCredentials({ url, rawHeaders }: RawRequest): boolean {
  if (url.includes('?')) return true;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    if (name.length === 'authorization'.length && name.toLowerCase() === 'authorization') return true;
  }
  return false;
}

/** Takes a request apart; nothing is thrown, whatever it holds. */
export function viewRequest({ method, url, rawHeaders }: RawRequest): RequestView {
  const target = url.startsWith('/') ? url : url.replace(/^[a-z][a-z\d+.-]*:\/\/[^/?]*/i, '');
  const mark = target.indexOf('?');
  const headers = new Map<string, string>();
  let authorizations = 0;
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] ?? '').toLowerCase();
    const value = rawHeaders[index + 1] ?? '';
    const before = headers.get(name);
    headers.set(name, before === undefined ? value : `${before},${value}`);
    if (name === 'authorization') authorizations += 1;
  }
  return {
    method,
    rawPath: mark < 0 ? target : target.slice(0, mark),
    rawQuery: mark < 0 ? '' : target.slice(mark + 1),
    headers,
    authorizations,
  };
}

/** The parameters of a query by their decoded names; of several with one name the first counts. */
export function queryParameters(rawQuery: string): ReadonlyMap<string, string> {
  const parameters = new Map<string, string>();
  if (rawQuery === '') return parameters;
  for (const parameter of rawQuery.split('&')) {
    const equals = parameter.indexOf('=');
    const name = decode(equals < 0 ? parameter : parameter.slice(0, equals));
    if (!parameters.has(name)) parameters.set(name, equals < 0 ? '' : decode(parameter.slice(equals + 1)));
  }
  return parameters;
}

/** Decodes byte by byte: what is not ASCII has no place in a signature's parameters and need not be understood. */
function decode(raw: string): string {
  if (!raw.includes('%') && !raw.includes('+')) return raw;
  return raw.replace(/%([\da-f]{2})|\+/gi, (_, hex) =>
    hex ? String.fromCharCode(Number.parseInt(hex, 16)) : ' ',
  );
}
