import { type HeaderPrefix, pairsOf, rawFromFields } from '../../s3/dialect.ts';
import { isStreamName } from '../../s3/payload-hash.ts';
import { UNSIGNED_PAYLOAD } from '../../s3/sigv4-canonical.ts';
import { type Credentials, SigningKeys } from '../../s3/sigv4-keys.ts';
import { signRequest } from '../../s3/sigv4-sign.ts';
import type { HeldCredentials } from '../credentials/held-credentials.ts';
import { RefusalWatch } from '../credentials/refusal-watch.ts';
import type { OriginReceiver } from '../origin-call.ts';
import { type OriginProtocol, OriginStore, type OriginStoreOptions } from '../origin-store.ts';
import type { StoreRequest } from '../store.ts';
import { type Destination, destinationOf, type StoreAddress } from './destination.ts';
import { readReplyHead } from './reply-head.ts';

/** The credentials that the gateway signs with; none for stores that need no signature. */
export type StoreCredentials =
  | { readonly kind: 'none' }
  | { readonly kind: 'held'; readonly held: HeldCredentials }
  | {
      readonly kind: 'static';
      readonly accessKeyId: string;
      readonly secretAccessKey: string;
      readonly sessionToken?: string | undefined;
    };

export interface S3StoreOptions extends OriginStoreOptions {
  readonly region: string;
  /** Whether buckets are named in the path or in the host. */
  readonly addressing: 'path' | 'virtual';
  readonly headerPrefix: HeaderPrefix;
  readonly credentials: StoreCredentials;
}

/** A store that speaks the S3 protocol over HTTP, in either header dialect. */
export class S3Store extends OriginStore {
  readonly headerPrefix: HeaderPrefix;

  constructor(options: S3StoreOptions) {
    super(options, new S3Protocol(options));
    this.headerPrefix = options.headerPrefix;
  }
}

/** Signs requests, and reads answers in the store's dialect. */
class S3Protocol implements OriginProtocol {
  readonly hasErrorPages = false;
  readonly mayAcceptEarly = false;
  readonly isSigned: boolean;
  readonly #options: S3StoreOptions;
  readonly #address: StoreAddress;
  readonly #keys = new SigningKeys();

  constructor(options: S3StoreOptions) {
    this.#options = options;
    this.isSigned = options.credentials.kind !== 'none';
    const { host } = new URL(options.endpoint);
    this.#address = { host, region: options.region, addressing: options.addressing };
  }

  targetOf(request: StoreRequest) {
    const destination = this.#destinationOf(request);
    return { host: destination.host, path: pathOf(request, destination) };
  }

  compose(request: StoreRequest) {
    const credentials = this.#credentials();
    const destination = this.#destinationOf(request);
    const { host } = destination;
    const headers = ['host', host, ...rawFromFields(request.fields, this.#options.headerPrefix)];
    const signature = this.#signature(request, destination, headers, credentials);
    return {
      host,
      path: pathOf(request, destination),
      headers: [...headers, ...signature],
      watched: (receiver: OriginReceiver) => this.#watched(receiver, request.method, credentials),
    };
  }

  readHead(status: number, raw: readonly string[]) {
    return readReplyHead(status, raw, this.#options.headerPrefix);
  }

  #destinationOf({ bucket, key }: StoreRequest): Destination {
    return destinationOf(this.#address, bucket, key);
  }

  /** @throws StoreError when there are none that are valid */
  #credentials(): Credentials | undefined {
    const { credentials, clock } = this.#options;
    if (credentials.kind === 'held') return credentials.held.at(clock.nowMs());
    return credentials.kind === 'none' ? undefined : credentials;
  }

  /** Answers that refuse credentials which can be refreshed are reported. */
  #watched(receiver: OriginReceiver, method: string, signedWith: Credentials | undefined): OriginReceiver {
    const { credentials, clock } = this.#options;
    if (credentials.kind !== 'held' || signedWith === undefined) return receiver;
    const { accessKeyId } = signedWith;
    return new RefusalWatch(receiver, method, () =>
      credentials.held.refused(accessKeyId, clock.monotonicMs()),
    );
  }

  #signature(
    request: StoreRequest,
    { host, rawPath, region, service }: Destination,
    headers: readonly string[],
    credentials: Credentials | undefined,
  ): string[] {
    const { headerPrefix, clock } = this.#options;
    const { payloadHash = UNSIGNED_PAYLOAD } = request.bodyStream ?? {};
    // the name of a stream also tells how the body is coded
    if (credentials === undefined)
      return isStreamName(payloadHash) ? [`${headerPrefix}content-sha256`, payloadHash] : [];
    const toSign = {
      method: request.method,
      host,
      rawPath,
      rawQuery: request.query,
      headers: pairsOf(headers.slice(2)),
      payloadHash,
    };
    const context = { credentials, region, service, headerPrefix, nowMs: clock.nowMs(), keys: this.#keys };
    return signRequest(toSign, context).flat();
  }
}

function pathOf({ query }: StoreRequest, { rawPath }: Destination): string {
  return query ? `${rawPath}?${query}` : rawPath;
}
