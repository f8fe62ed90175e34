import { OperationError } from './operation-error.ts';

/** docs/semantics.md 217: the protocol's limit, in bytes of UTF-8. */
const MAX_KEY_BYTES = 1024;

/** What a request addresses: the service, a bucket, or a key. */
export type Target =
  | { readonly kind: 'service' }
  | { readonly kind: 'bucket'; readonly bucket: string }
  | { readonly kind: 'object'; readonly bucket: string; readonly key: string };

/** A parsed request line. */
interface RequestLine {
  readonly target: Target;
  /** Decoded parameters; the first one counts when a name is repeated. */
  readonly query: ReadonlyMap<string, string>;
}

/**
 * Parses a request target in path style, or with the bucket in `host` when that is below `domain`. Each part is decoded
 * once and otherwise unchanged: `//`, `..` and a trailing slash are part of a key (docs/semantics.md 218 to 226).
 *
 * @throws InvalidURI (docs/semantics.md 228) and KeyTooLongError
 */
export function parseRequestLine(url: string, host: string, domain: string | undefined): RequestLine {
  const [path = '', ...rest] = url.replace(/^https?:\/\/[^/?]*/i, '').split('?');
  return { target: parsePath(path, bucketInHost(host, domain)), query: parseQuery(rest.join('?')) };
}

function parsePath(path: string, hostBucket: string | undefined): Target {
  const resource = path.startsWith('/') ? path.slice(1) : path;
  if (hostBucket !== undefined) return targetOf(hostBucket, resource);
  const slash = resource.indexOf('/');
  if (slash < 0) return resource === '' ? { kind: 'service' } : targetOf(decode(resource), '');
  return targetOf(decode(resource.slice(0, slash)), resource.slice(slash + 1));
}

function targetOf(bucket: string, rawKey: string): Target {
  if (rawKey === '') return { kind: 'bucket', bucket };
  const key = decode(rawKey);
  const size = Buffer.byteLength(key);
  if (size > MAX_KEY_BYTES) {
    throw new OperationError('KeyTooLongError', { fields: { Size: size, MaxSizeAllowed: MAX_KEY_BYTES } });
  }
  return { kind: 'object', bucket, key };
}

function bucketInHost(host: string, domain: string | undefined): string | undefined {
  if (domain === undefined) return undefined;
  const name = host.replace(/:\d*$/, '').toLowerCase();
  const suffix = `.${domain.toLowerCase()}`;
  return name.endsWith(suffix) ? name.slice(0, -suffix.length) : undefined;
}

function parseQuery(text: string): ReadonlyMap<string, string> {
  const query = new Map<string, string>();
  for (const parameter of text.split('&')) {
    if (parameter === '') continue;
    const [name = '', ...value] = parameter.split('=');
    const decoded = decode(name);
    if (!query.has(decoded)) query.set(decoded, decode(value.join('=').replaceAll('+', ' ')));
  }
  return query;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (cause) {
    throw new OperationError('InvalidURI', { cause });
  }
}
