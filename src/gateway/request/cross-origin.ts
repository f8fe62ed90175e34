import { isToken } from '../../http/token.ts';
import { compileKeyPatterns } from '../../s3/key-pattern.ts';

/** Which pages of other origins may read answers (Fetch standard, CORS protocol), as S3 and CDNs call it. */
export interface CorsPolicy {
  /** Patterns of origins; `*` alone is every one. */
  readonly allowOrigins: readonly string[];
  /** HEAD goes with GET. */
  readonly allowMethods: readonly string[];
  /** Names of request fields in lower case, or `*` for any. */
  readonly allowHeaders: readonly string[];
  readonly exposeHeaders: readonly string[];
  readonly allowCredentials: boolean;
  /** For how long a preflight may be remembered. */
  readonly maxAgeMs?: number | undefined;
}

/** What a preflight asks: values of its fields. */
export interface Preflight {
  readonly origin: string;
  readonly method: string;
  readonly headers: string | undefined;
}

type RawFields = readonly string[];

const none: RawFields = [];

/** Origins whose fields are remembered: pages of an origin send many requests. */
const REMEMBERED_LIMIT = 100;

const ORIGIN_LIMIT = 512;
const HEADERS_LIMIT = 4_096;

/** Answers for one `CorsPolicy`. Names and values of fields alternate. */
export class CrossOrigin {
  readonly #policy: CorsPolicy;
  readonly #isOpen: boolean;
  readonly #matches: (origin: string) => boolean;
  readonly #remembered = new Map<string, RawFields>();

  constructor(policy: CorsPolicy) {
    this.#policy = policy;
    this.#isOpen = policy.allowOrigins.includes('*');
    this.#matches = compileKeyPatterns(policy.allowOrigins);
  }

  /** Whether answers differ by Origin, so that caches must be told (Fetch standard, CORS protocol and HTTP caches). */
  get varies(): boolean {
    return !this.#isOpen;
  }

  /** The fields of an answer; the same array each time for one origin. Where all may read it, all are told, with Origin or not. */
  fieldsFor(origin: string | undefined, method: string): RawFields {
    if (!this.#allowsMethod(method)) return none;
    const name = this.#isOpen ? '*' : origin;
    if (name === undefined) return none;
    const known = this.#remembered.get(name);
    if (known) return known;
    const fields = this.#isOpen || this.#allowsOrigin(name) ? this.#fieldsOf(name) : none;
    if (this.#remembered.size >= REMEMBERED_LIMIT) this.#remembered.clear();
    if (name.length <= ORIGIN_LIMIT) this.#remembered.set(name, fields);
    return fields;
  }

  /** The fields that allow what a preflight asks; undefined where it is not allowed. */
  preflight({ origin, method, headers }: Preflight): RawFields | undefined {
    const { allowMethods, maxAgeMs } = this.#policy;
    const asked = namesIn(headers);
    const isAllowed = this.#allowsMethod(method) && (this.#isOpen || this.#allowsOrigin(origin));
    if (!isAllowed || !asked?.every(name => this.#allowsHeader(name))) return undefined;
    const fields = [...this.#allowed(this.#isOpen ? '*' : origin)];
    fields.push('access-control-allow-methods', allowMethods.join(', '));
    if (asked.length > 0) fields.push('access-control-allow-headers', asked.join(', '));
    if (maxAgeMs !== undefined) fields.push('access-control-max-age', String(Math.floor(maxAgeMs / 1000)));
    return fields;
  }

  #fieldsOf(origin: string): RawFields {
    const { exposeHeaders } = this.#policy;
    const exposed =
      exposeHeaders.length > 0 ? ['access-control-expose-headers', exposeHeaders.join(', ')] : [];
    return [...this.#allowed(origin), ...exposed];
  }

  #allowed(origin: string): RawFields {
    const credentials = this.#policy.allowCredentials ? ['access-control-allow-credentials', 'true'] : [];
    return ['access-control-allow-origin', origin, ...credentials];
  }

  /** What is no origin, such as `null`, names nobody (RFC 6454 §7.1). */
  #allowsOrigin(origin: string): boolean {
    return origin.length <= ORIGIN_LIMIT && /^[!-~]+$/.test(origin) && this.#matches(origin);
  }

  #allowsMethod(method: string): boolean {
    const { allowMethods } = this.#policy;
    return allowMethods.includes(method) || (method === 'HEAD' && allowMethods.includes('GET'));
  }

  #allowsHeader(name: string): boolean {
    const { allowHeaders } = this.#policy;
    return allowHeaders.includes('*') || allowHeaders.includes(name);
  }
}

/** The names in a list, in lower case; undefined where it has something else. */
function namesIn(list = ''): readonly string[] | undefined {
  if (list.length > HEADERS_LIMIT) return undefined;
  const names = list.split(',').flatMap(member => member.trim().toLowerCase() || []);
  return names.every(isToken) ? names : undefined;
}
