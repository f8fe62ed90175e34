import { parseContentLength } from '../../http/content-length.ts';
import { headerLines, headerText } from '../../http/header-lines.ts';
import type { HeaderField } from '../../s3/dialect.ts';
import { type OriginProtocol, OriginStore, type OriginStoreOptions } from '../origin-store.ts';
import { StoreError, type StoreReplyHead, type StoreRequest } from '../store.ts';

/** A web origin: requests go out as they are given, unsigned, and every answer is as good as any other. */
export class HttpStore extends OriginStore {
  constructor(options: OriginStoreOptions) {
    super(options, new HttpProtocol(options.endpoint));
  }
}

/** What the circuit breaker asks, see `healthRequest`. */
const questions: ReadonlySet<string> = new Set(['HeadBucket', 'ListBuckets']);

class HttpProtocol implements OriginProtocol {
  readonly hasErrorPages = true;
  readonly mayAcceptEarly = true;
  readonly isSigned = false;
  readonly #host: string;

  constructor(endpoint: string) {
    this.#host = new URL(endpoint).host;
  }

  /** The question of the circuit breaker has no target of its own. */
  targetOf({ target = '/' }: StoreRequest) {
    return { host: this.#host, path: target };
  }

  /**
   * `Host` is among the fields where it is another than that of the endpoint.
   *
   * @throws StoreError for a request that means a store, whose operations a web origin may take for something else
   */
  compose(request: StoreRequest) {
    if (request.target === undefined && !questions.has(request.operation ?? ''))
      throw new StoreError('INVALID', 'a web origin has no objects', undefined, 'NO_STORE');
    const fields = request.fields.flatMap(({ name, value }) => [name, value]);
    const isNamed = request.fields.some(({ name }) => name === 'host');
    const headers = isNamed ? fields : ['host', this.#host, ...fields];
    return { ...this.targetOf(request), headers };
  }

  readHead(status: number, raw: readonly string[]): StoreReplyHead | string {
    // RFC 9110 §15: only 2xx to 5xx are final status codes
    if (!Number.isInteger(status) || status < 200 || status > 599) return `status ${status}`;
    if (headerText(raw) === undefined) return 'an invalid header field';
    const fields: HeaderField[] = [];
    let length: string | undefined;
    for (const [name, value] of headerLines(raw)) {
      const field = { name: name.toLowerCase(), value, store: false };
      if (field.name === 'content-length') {
        if (length !== undefined && length !== value) return 'more than one content-length';
        if (parseContentLength(value) === undefined) return 'an invalid content-length';
        if (length === value) continue;
        length = value;
      }
      fields.push(field);
    }
    return { status, fields };
  }
}
