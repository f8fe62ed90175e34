import type { Clock } from '../../base/clock.ts';
import type { Faults } from '../../base/faults.ts';
import { withoutHopByHop } from '../../http/hop-by-hop.ts';
import { type HeaderPrefix, rawFromFields } from '../../s3/dialect.ts';
import { UNSIGNED_PAYLOAD } from '../../s3/sigv4-canonical.ts';
import { SigningKeys } from '../../s3/sigv4-keys.ts';
import { signRequest } from '../../s3/sigv4-sign.ts';
import { faultOf, GuardedReceiver } from '../guarded-receiver.ts';
import { OriginPool, type OriginPoolOptions } from '../origin-pool.ts';
import { type Store, type StoreCall, StoreError, type StoreReceiver, type StoreRequest } from '../store.ts';
import type { StoreMeter } from '../store-meter.ts';
import { type Destination, destinationOf, type StoreAddress } from './destination.ts';
import { readReplyHead } from './reply-head.ts';

/** What the gateway signs with; none for stores that answer anybody. */
export type StoreCredentials =
  | { readonly kind: 'none' }
  | {
      readonly kind: 'static';
      readonly accessKeyId: string;
      readonly secretAccessKey: string;
      readonly sessionToken?: string | undefined;
    };

export interface S3StoreOptions extends OriginPoolOptions {
  readonly name: string;
  /** Origin of the store, such as `https://s3.eu-west-1.amazonaws.com`. */
  readonly endpoint: string;
  readonly region: string;
  /** Whether buckets are named in the path or in the host. */
  readonly addressing: 'path' | 'virtual';
  readonly headerPrefix: HeaderPrefix;
  readonly credentials: StoreCredentials;
  readonly clock: Clock;
  readonly meter: StoreMeter;
  /** Told of exceptions that can be laid to no request. */
  readonly faults?: Faults;
}

/** A store that speaks the object store's protocol over HTTP, in either dialect. */
export class S3Store implements Store {
  readonly name: string;
  readonly headerPrefix: HeaderPrefix;
  readonly #options: S3StoreOptions;
  readonly #protocol: string;
  readonly #address: StoreAddress;
  readonly #keys = new SigningKeys();
  /** One pool an origin: with virtual addressing every bucket has its own. */
  readonly #pools = new Map<string, OriginPool>();

  constructor(options: S3StoreOptions) {
    this.name = options.name;
    this.headerPrefix = options.headerPrefix;
    this.#options = options;
    const { protocol, host } = new URL(options.endpoint);
    this.#protocol = protocol;
    this.#address = { host, region: options.region, addressing: options.addressing };
  }

  /** Never throws: what goes wrong with the request itself is told to `receiver` later. */
  send(request: StoreRequest, receiver: StoreReceiver): StoreCall {
    let call: StoreCall | undefined;
    const guarded = new GuardedReceiver(
      receiver,
      () => call?.abort(),
      error => this.#options.faults?.note(error),
    );
    try {
      call = this.#send(request, guarded);
      return call;
    } catch (error) {
      return new UnsentCall(guarded, error);
    }
  }

  #send(request: StoreRequest, receiver: GuardedReceiver): StoreCall {
    const { headerPrefix, meter } = this.#options;
    const destination = destinationOf(this.#address, request.bucket, request.key);
    const { host, rawPath } = destination;
    const headers = ['host', host, ...rawFromFields(request.fields, headerPrefix)];
    const measured = meter.begin(this.name, request.method);
    return this.#poolOf(host).send(
      {
        method: request.method,
        path: request.query ? `${rawPath}?${request.query}` : rawPath,
        headers: [...headers, ...this.#signature(request, destination, headers)],
        ...(request.body ? { body: request.body } : {}),
      },
      {
        answered: (status, raw) => {
          measured.answered(status);
          const head = readReplyHead(status, withoutHopByHop(raw), headerPrefix);
          if (typeof head !== 'string') receiver.answered(head);
          else receiver.refuse(new StoreError('INVALID', `the store sent ${head}`, undefined));
        },
        arrived: chunk => {
          measured.arrived(chunk.length);
          receiver.arrived(chunk);
        },
        ended: () => receiver.ended(),
        failed: error => {
          measured.failed(error.code);
          receiver.failed(error);
        },
        aborted: () => measured.aborted(),
      },
    );
  }

  async close(): Promise<void> {
    await Promise.all(Array.from(this.#pools.values(), pool => pool.close()));
  }

  #signature(
    request: StoreRequest,
    { host, rawPath, region, service }: Destination,
    headers: readonly string[],
  ): string[] {
    const { credentials, headerPrefix, clock } = this.#options;
    if (credentials.kind === 'none') return [];
    const toSign = {
      method: request.method,
      host,
      rawPath,
      rawQuery: request.query,
      headers: pairs(headers.slice(2)),
      payloadHash: UNSIGNED_PAYLOAD,
    };
    const context = { credentials, region, service, headerPrefix, nowMs: clock.nowMs(), keys: this.#keys };
    return signRequest(toSign, context).flat();
  }

  #poolOf(host: string): OriginPool {
    const known = this.#pools.get(host);
    if (known) return known;
    const pool = new OriginPool(`${this.#protocol}//${host}`, this.#options);
    this.#pools.set(host, pool);
    return pool;
  }
}

/** A request that could not be put together. */
class UnsentCall implements StoreCall {
  #isAborted = false;

  constructor(receiver: StoreReceiver, error: unknown) {
    process.nextTick(() => this.#isAborted || receiver.failed(faultOf(error)));
  }

  pause(): void {}

  resume(): void {}

  abort(): void {
    this.#isAborted = true;
  }
}

/** Names and values alternating, as pairs. */
function pairs(raw: readonly string[]): [string, string][] {
  const result: [string, string][] = [];
  for (let index = 0; index + 1 < raw.length; index += 2)
    result.push([raw[index] ?? '', raw[index + 1] ?? '']);
  return result;
}
