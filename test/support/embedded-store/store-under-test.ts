import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Sha256 } from '@aws-crypto/sha256-js';
import { S3Client, type S3ClientConfig } from '@aws-sdk/client-s3';
import { SignatureV4 } from '@smithy/signature-v4';
import type { Account } from '../../../src/embedded-store/access/caller.ts';
import {
  type EmbeddedStore,
  type EmbeddedStoreOptions,
  startEmbeddedStore,
} from '../../../src/embedded-store/embedded-store.ts';
import { ManualClock } from '../manual-clock.ts';
import { type RawReply, type RawRequest, rawRequest } from '../raw-request.ts';

/** May do everything. */
export const OWNER: Account = { accessKeyId: 'owner', secretAccessKey: 'owner-secret' };

/** An embedded store in a directory of its own, with the ways to talk to it. */
export class StoreUnderTest {
  readonly clock: ManualClock;
  readonly directory: string;
  #running: EmbeddedStore;
  readonly #options: Partial<EmbeddedStoreOptions>;

  private constructor(
    directory: string,
    clock: ManualClock,
    running: EmbeddedStore,
    options: Partial<EmbeddedStoreOptions>,
  ) {
    this.directory = directory;
    this.clock = clock;
    this.#running = running;
    this.#options = options;
  }

  /** `clock` stands where the machine's does, since clients sign with the machine's. */
  static async start(options: Partial<EmbeddedStoreOptions> = {}): Promise<StoreUnderTest> {
    const directory = await mkdtemp(join(tmpdir(), 'embedded-store-'));
    const clock = new ManualClock(Math.floor(Date.now() / 1000) * 1000);
    return new StoreUnderTest(directory, clock, await open(directory, clock, options), options);
  }

  get url(): string {
    return this.#running.url;
  }

  get running(): EmbeddedStore {
    return this.#running;
  }

  /** Closes the store and opens its directory again, on another port. */
  async restart(): Promise<void> {
    await this.#running.close();
    this.#running = await open(this.directory, this.clock, this.#options);
  }

  async stop(): Promise<void> {
    await this.#running.close();
    await rm(this.directory, { recursive: true });
  }

  /** An unsigned request, sent as it is. */
  raw(request: RawRequest): Promise<RawReply> {
    return rawRequest(this.url, request);
  }

  /** The same request signed by an independent signer at the store's time. */
  async signed(request: RawRequest, account: Account = OWNER): Promise<RawReply> {
    return rawRequest(this.url, await signWithSdk(this.url, request, account, this.clock.nowMs()));
  }

  /** Stores something as the owner, and insists that it worked. */
  async put(
    path: string,
    body: string | Uint8Array = '',
    headers: Record<string, string> = {},
  ): Promise<RawReply> {
    const reply = await this.signed({ method: 'PUT', path, body, headers });
    if (reply.status !== 200) throw new Error(`PUT ${path} was answered ${reply.status}: ${reply.text}`);
    return reply;
  }

  /** The AWS SDK as a client; its own clock is set to the store's. */
  sdk(account: Account = OWNER, options: Partial<S3ClientConfig> = {}): S3Client {
    return new S3Client({
      endpoint: this.url,
      region: 'us-east-1',
      forcePathStyle: true,
      credentials: account,
      maxAttempts: 1,
      systemClockOffset: this.clock.nowMs() - Date.now(),
      ...options,
    });
  }
}

function open(
  directory: string,
  clock: ManualClock,
  options: Partial<EmbeddedStoreOptions>,
): Promise<EmbeddedStore> {
  return startEmbeddedStore({
    directory,
    host: '127.0.0.1',
    port: 0,
    headerPrefix: 'x-amz-',
    accounts: [OWNER],
    clock,
    ...options,
  });
}

/** The request with the headers that an independent signer adds; by default it is signed by the owner now. */
export async function signWithSdk(
  origin: string,
  request: RawRequest,
  account: Account = OWNER,
  nowMs: number = Date.now(),
): Promise<RawRequest> {
  const { hostname, port } = new URL(origin);
  const [path = '/', query = ''] = request.path.split('?');
  const signer = new SignatureV4({
    service: 's3',
    region: 'us-east-1',
    credentials: account,
    sha256: Sha256,
    uriEscapePath: false,
    applyChecksum: false,
  });
  const headers: Record<string, string> = {
    host: `${hostname}:${port}`,
    'x-amz-content-sha256': createHash('sha256')
      .update(request.body ?? '')
      .digest('hex'),
  };
  for (const [name, value] of Object.entries(request.headers ?? {})) {
    if (typeof value === 'string') headers[name.toLowerCase()] = value;
  }
  const signed = await signer.sign(
    {
      method: request.method ?? 'GET',
      protocol: 'http:',
      hostname,
      port: Number(port),
      path,
      query: Object.fromEntries(new URLSearchParams(query)),
      headers,
    },
    { signingDate: new Date(nowMs) },
  );
  return { ...request, headers: { ...request.headers, ...signed.headers } };
}
