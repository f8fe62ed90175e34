import { S3Client, type S3ClientConfig } from '@aws-sdk/client-s3';
import { expect } from 'vitest';
import type { Account } from '../../../src/embedded-store/access/caller.ts';
import type { EmbeddedStoreOptions } from '../../../src/embedded-store/embedded-store.ts';
import { createAuthenticator } from '../../../src/gateway/request/authenticator.ts';
import type { Bucket } from '../../../src/gateway/request/bucket.ts';
import { grantPolicy } from '../../../src/gateway/request/grant-policy.ts';
import type { HeaderPrefix } from '../../../src/s3/dialect.ts';
import type { GrantRule } from '../../../src/s3/grants.ts';
import { OWNER, StoreUnderTest } from '../embedded-store/store-under-test.ts';
import { rawRequest } from '../raw-request.ts';
import { TestGateway, type TestGatewayOptions } from '../test-gateway.ts';
import { type Question, signedQuestion } from './question.ts';
import { comparable, type Reply, readReply } from './reply.ts';

/** What the client speaks, and what the gateway and the store speak with each other. */
export interface Dialects {
  readonly client: HeaderPrefix;
  readonly store: HeaderPrefix;
}

/** Each dialect in front of the other. */
export const crossedDialects: readonly Dialects[] = [
  { client: 'x-amz-', store: 'x-store-' },
  { client: 'x-store-', store: 'x-amz-' },
];

export interface LabOptions {
  readonly dialects?: Dialects;
  /** Whom both the store and the gateway know, with the same grants. Default: the owner alone. */
  readonly accounts?: readonly Account[];
  readonly store?: Partial<EmbeddedStoreOptions>;
  /** As whom the gateway asks the store. Default: the owner. */
  readonly gatewayIs?: Account;
  /** By the names that clients use; what differs from a bucket that is called the same at the store. */
  readonly buckets: Readonly<Record<string, Partial<Bucket>>>;
  /** What the gateway grants to everybody, by bucket. */
  readonly anonymous?: Readonly<Record<string, readonly GrantRule[]>>;
  readonly gateway?: Partial<TestGatewayOptions>;
}

/** How a question finds the cache. */
export type Moment = 'cold' | 'again' | 'after GET' | 'after HEAD' | 'after a byte';

/** An answer that the store and the gateway, however much it knew, agreed on. */
export interface Agreed {
  readonly reply: Reply;
  /** `x-cache` at each moment. */
  readonly cache: Readonly<Record<Moment, string>>;
}

/** An embedded store, and a gateway before it: the same questions are put to both, and the answers compared. */
export class Lab {
  readonly store: StoreUnderTest;
  readonly gateway: TestGateway;
  readonly dialects: Dialects;
  readonly #buckets: readonly string[];

  private constructor(
    store: StoreUnderTest,
    gateway: TestGateway,
    dialects: Dialects,
    buckets: readonly string[],
  ) {
    this.store = store;
    this.gateway = gateway;
    this.dialects = dialects;
    this.#buckets = buckets;
  }

  static async start(options: LabOptions): Promise<Lab> {
    const { accounts = [OWNER], gatewayIs = OWNER, buckets, anonymous = {} } = options;
    const { dialects = { client: 'x-amz-', store: 'x-amz-' } } = options;
    const store = await StoreUnderTest.start({ accounts, headerPrefix: dialects.store, ...options.store });
    const gateway = await TestGateway.start({
      storeUrl: store.url,
      store: { headerPrefix: dialects.store, credentials: { kind: 'static', ...gatewayIs } },
      buckets,
      clock: store.clock,
      arenaBytes: 64 * 1024 * 1024,
      authenticate: createAuthenticator(accounts, store.clock),
      allows: grantPolicy(anonymous, accounts.map(clientGrants)),
      ...options.gateway,
    });
    return new Lab(store, gateway, dialects, Object.keys(buckets));
  }

  async stop(): Promise<void> {
    await this.gateway.close();
    await this.store.stop();
  }

  /** How many requests the gateway has sent to the store. */
  requests(): Promise<number> {
    return this.#counted('tidegate_backend_requests_total');
  }

  /** How many bytes of bodies the store has sent to the gateway. */
  bytes(): Promise<number> {
    return this.#counted('tidegate_backend_bytes_total');
  }

  /** How many blocks the gateway holds. */
  heldBlocks(): Promise<number> {
    return this.#counted('tidegate_cache_entries', { tier: 'memory' });
  }

  /** The AWS SDK as a client of the gateway; its own clock is set to the lab's. */
  sdk(account: Account = OWNER, more: S3ClientConfig = {}): S3Client {
    return new S3Client({
      endpoint: this.gateway.url(),
      region: 'us-east-1',
      forcePathStyle: true,
      credentials: account,
      maxAttempts: 1,
      systemClockOffset: this.store.clock.nowMs() - Date.now(),
      ...more,
    });
  }

  /** Forgets everything that the gateway knows. */
  forget(): void {
    for (const gateway of this.gateway.gateways) {
      for (const bucket of this.#buckets) gateway.purge({ kind: 'bucket', bucket });
    }
  }

  /** The gateway's answer, by one of its workers. */
  async ask(question: Question, worker = 0): Promise<Reply> {
    return this.#answer(this.gateway.url(worker), question);
  }

  /** The store's answer, asked by the client itself. */
  async askStore(question: Question): Promise<Reply> {
    return this.#answer(this.store.url, question);
  }

  /**
   * Asks the store, and the gateway: knowing nothing, knowing the answer, and knowing the object from other questions.
   * All answers must be the same, but for what belongs to one answer alone.
   */
  async agree(question: Question): Promise<Agreed> {
    const reply = await this.askStore(question);
    const cache: Partial<Record<Moment, string>> = {};
    for (const [moment, prepare] of this.#moments(question)) {
      await prepare();
      const answer = await this.ask(question);
      expect(comparable(answer), `${JSON.stringify(question)}, ${moment}`).toEqual(comparable(reply));
      cache[moment] = answer.headers['x-cache'] ?? '';
    }
    const {
      cold = '',
      again = '',
      'after GET': get = '',
      'after HEAD': head = '',
      'after a byte': byte = '',
    } = cache;
    return { reply, cache: { cold, again, 'after GET': get, 'after HEAD': head, 'after a byte': byte } };
  }

  #moments({ path, host }: Question): [Moment, () => unknown][] {
    const versionId = /[?&](versionId=[^&]*)/.exec(path)?.[1];
    const plain = {
      path: (path.split('?')[0] ?? '') + (versionId ? `?${versionId}` : ''),
      ...(host && { host }),
    };
    const knowing = (question: Question) => () => {
      this.forget();
      return this.ask(question);
    };
    return [
      ['cold', () => this.forget()],
      ['again', () => undefined],
      ['after GET', knowing(plain)],
      ['after HEAD', knowing({ ...plain, method: 'HEAD' })],
      ['after a byte', knowing({ ...plain, headers: { range: 'bytes=0-0' } })],
    ];
  }

  async #counted(metric: string, wanted: Readonly<Record<string, string>> = {}): Promise<number> {
    const snapshots = await Promise.all(this.gateway.metrics.map(metrics => metrics.snapshot()));
    const samples = snapshots.flat().flatMap(({ name, values }) => (name === metric ? values : []));
    return samples
      .filter(({ labels }) => Object.entries(wanted).every(([name, value]) => labels[name] === value))
      .reduce((sum, { value }) => sum + value, 0);
  }

  async #answer(origin: string, question: Question): Promise<Reply> {
    const { client, store } = this.dialects;
    const request = signedQuestion(question, { origin, prefix: client, nowMs: this.store.clock.nowMs() });
    const isSilent = question.as === 'anonymous' && question.fields === undefined;
    return readReply(await rawRequest(origin, request), isSilent ? store : client);
  }
}

function clientGrants({ accessKeyId, grants = [{ actions: ['*'] }] }: Account) {
  return { accessKeyId, allow: grants.map(grant => ({ keys: ['**'], ...grant })) };
}
