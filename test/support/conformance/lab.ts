import { S3Client, type S3ClientConfig } from '@aws-sdk/client-s3';
import { expect } from 'vitest';
import type { Account } from '../../../src/embedded-store/access/caller.ts';
import type { EmbeddedStoreOptions } from '../../../src/embedded-store/embedded-store.ts';
import type { Policy } from '../../../src/gateway/request/access.ts';
import { createAuthenticator, createFormAuthenticator } from '../../../src/gateway/request/authenticator.ts';
import type { Bucket } from '../../../src/gateway/request/bucket.ts';
import { grantPolicy } from '../../../src/gateway/request/grant-policy.ts';
import { type GrantRule, namedOnly } from '../../../src/s3/grants.ts';
import { OWNER, StoreUnderTest } from '../embedded-store/store-under-test.ts';
import { KeptConnection } from '../kept-connection.ts';
import { KeptSession } from '../kept-session.ts';
import { localIdentity } from '../local-identity.ts';
import { type RawReply, type RawRequest, rawRequest } from '../raw-request.ts';
import { TestGateway, type TestGatewayOptions } from '../test-gateway.ts';
import { defaultPolicy } from '../worker-gateway.ts';
import { amazon, type Dialects } from './dialects.ts';
import { expectRoads, isPlain } from './expected-roads.ts';
import { LabPolicy } from './lab-policy.ts';
import { type Question, signedQuestion } from './question.ts';
import { comparable, type Reply, readReply } from './reply.ts';
import { roadsTaken } from './roads.ts';

interface LabOptions {
  readonly dialects?: Dialects;
  /** Whom both the store and the gateway know, with the same grants. Default: the owner alone. */
  readonly accounts?: readonly Account[];
  readonly store?: Partial<EmbeddedStoreOptions>;
  /** As whom the gateway asks the store. Default: the owner. */
  readonly gatewayIs?: Account;
  /** By the names that clients use; what differs from a bucket that is called the same at the store. */
  readonly buckets: Readonly<Record<string, Partial<Bucket>>>;
  /** What the gateway grants to everybody, by bucket. Default: everything to anonymous callers. */
  readonly anonymous?: Readonly<Record<string, readonly GrantRule[]>>;
  readonly gateway?: Partial<TestGatewayOptions>;
}

/** How a question finds the cache; stale, what it knows is revalidated. */
export type Moment = 'cold' | 'again' | 'stale' | 'after GET' | 'after HEAD' | 'after a byte';

/** Requests that are sent together; several are pipelined, or the streams of a session of HTTP/2. */
interface Trip {
  readonly connection: 'new' | 'kept' | 'session';
  readonly questions: readonly Question[];
}

/** An answer that the store and the gateway, however much it knew, agreed on. */
interface Agreed {
  readonly reply: Reply;
  /** `x-cache` at each moment that was tried, of the first answer. */
  readonly cache: Readonly<Partial<Record<Moment, string>>>;
}

/** An embedded store, and a gateway before it: the same questions are put to both, and the answers compared. */
export class Lab {
  readonly store: StoreUnderTest;
  readonly gateway: TestGateway;
  readonly dialects: Dialects;
  readonly #buckets: readonly string[];
  readonly #policy: LabPolicy;
  /** Whether anonymous callers may do what the owner may. */
  readonly #isOpen: boolean;
  /** One to each worker. */
  readonly #kept: readonly KeptConnection[];
  /** The same, of HTTP/2; none where clients speak HTTP/1.1. */
  readonly #sessions: readonly KeptSession[];

  private constructor(store: StoreUnderTest, gateway: TestGateway, options: LabOptions, policy: LabPolicy) {
    const { dialects = amazon, buckets } = options;
    this.store = store;
    this.gateway = gateway;
    this.dialects = dialects;
    this.#buckets = Object.keys(buckets);
    this.#policy = policy;
    this.#isOpen = options.anonymous === undefined;
    this.#kept = gateway.gateways.map((_, worker) => new KeptConnection(gateway.url(worker)));
    this.#sessions =
      dialects.over === 'HTTP/2' ? gateway.gateways.map((_, worker) => sessionTo(gateway, worker)) : [];
  }

  static async start(options: LabOptions): Promise<Lab> {
    const { accounts = [OWNER], gatewayIs = OWNER, dialects = amazon } = options;
    const policy = new LabPolicy({ ...defaultPolicy, ...options.gateway?.policy });
    const buckets = mapValues(options.buckets, bucket => ({
      rulesFor: () => ({ cache: policy.current }),
      ...bucket,
    }));
    const store = await StoreUnderTest.start({ accounts, headerPrefix: dialects.store, ...options.store });
    const gateway = await TestGateway.start({
      storeUrl: store.url,
      store: { headerPrefix: dialects.store, credentials: { kind: 'static', ...gatewayIs } },
      buckets,
      clock: store.clock,
      arenaBytes: 64 * 1024 * 1024,
      authenticate: createAuthenticator(accounts, store.clock),
      authenticateForm: createFormAuthenticator(accounts, store.clock),
      allows: policyOf(accounts, options),
      listener: 'worker',
      ...(dialects.over === 'HTTP/2' && { tls: localIdentity().tls }),
      ...options.gateway,
    });
    return new Lab(store, gateway, options, policy);
  }

  async stop(): Promise<void> {
    for (const client of [...this.#kept, ...this.#sessions]) client.close();
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

  /**
   * Sends a request to one of the gateway's workers: on a connection that is closed after it, or as a stream of a session
   * that is kept.
   */
  send(request: RawRequest, worker = 0): Promise<RawReply> {
    const origin = this.gateway.url(worker);
    const session = this.#sessions[worker];
    if (!session) return rawRequest(origin, request);
    return session.ask({ ...request, headers: { host: new URL(origin).host, ...request.headers } });
  }

  /** The gateway's answer, by one of its workers, as `send` has it. */
  async ask(question: Question, worker = 0): Promise<Reply> {
    const request = this.#request(this.gateway.url(worker), question);
    return this.#read(await this.send(request, worker), question);
  }

  /**
   * The gateway's answers, by one of its workers, to questions sent in one piece on a connection that is kept, or as
   * streams of a session.
   */
  async askKept(questions: readonly Question[], worker = 0): Promise<readonly Reply[]> {
    const requests = questions.map(question => this.#request(this.gateway.url(worker), question));
    const session = this.#sessions[worker];
    const replies = session
      ? await Promise.all(requests.map(request => session.ask(request)))
      : ((await this.#kept[worker]?.ask(requests)) ?? []);
    return questions.flatMap((question, index) => {
      const reply = replies[index];
      return reply ? [this.#read(reply, question)] : [];
    });
  }

  /** The store's answer, asked by the client itself. */
  async askStore(question: Question): Promise<Reply> {
    const origin = this.store.url;
    return this.#read(await rawRequest(origin, this.#request(origin, question)), question);
  }

  /**
   * Asks the store, and the gateway: knowing nothing, knowing the answer, having to revalidate it, and knowing the object
   * from other questions; signed and, where the question does not say who asks, anonymously; on a new connection, on a
   * kept one, and pipelined; or as streams of a session. All answers must be the same, but for what belongs to one answer alone. Those of a kept
   * connection must have taken the roads for it.
   */
  async agree(question: Question): Promise<Agreed> {
    const reply = await this.askStore(question);
    const plain = { ...question, as: question.as ?? ('anonymous' as const) };
    // what is read for the first time is not memoised
    if (this.#isOpen && isPlain(plain)) await this.ask(plain);
    const cache: Partial<Record<Moment, string>> = {};
    for (const [moment, prepare] of this.#moments(question)) {
      for (const trip of this.#trips(question, moment)) {
        await prepare();
        const answers = await this.#send(trip, reply.status);
        for (const [index, answer] of answers.entries()) {
          const said = `${JSON.stringify(trip.questions[index])}, ${moment}, ${trip.connection} connection`;
          expect(comparable(answer), said).toEqual(comparable(reply));
          cache[moment] ??= answer.headers['x-cache'] ?? '';
        }
      }
    }
    this.#policy.isEverythingStale = false;
    if (cache.again === 'HIT' && reply.status < 400) expect(cache.stale ?? 'REVALIDATED').toBe('REVALIDATED');
    return { reply, cache };
  }

  /** The requests by which `question` is asked; what is known from other questions is asked on one connection alone. */
  #trips(question: Question, moment: Moment): Trip[] {
    const anonymous: Question = { ...question, as: 'anonymous' };
    const mayBeAnonymous = this.#isOpen && question.as === undefined && !/[?&]response-/.test(question.path);
    const asked = mayBeAnonymous ? [question, anonymous] : [question];
    const pipelined: Trip = { connection: 'kept', questions: mayBeAnonymous ? asked : [question, question] };
    if (this.dialects.over === 'HTTP/2') return [{ connection: 'session', questions: pipelined.questions }];
    if (moment.startsWith('after')) return [{ connection: 'kept', questions: asked }];
    const alone = (connection: Trip['connection']) => asked.map(one => ({ connection, questions: [one] }));
    return [...alone('new'), ...alone('kept'), pipelined];
  }

  async #send({ connection, questions }: Trip, status: number): Promise<readonly Reply[]> {
    if (connection === 'new') return Promise.all(questions.map(question => this.ask(question)));
    const before = roadsTaken();
    const answers = await this.askKept(questions);
    expect(answers).toHaveLength(questions.length);
    if (connection === 'session') return answers;
    const isHit = answers.every(({ headers }) => headers['x-cache'] === 'HIT');
    expectRoads(questions, status, isHit, roadsTaken(before));
    return answers;
  }

  #moments({ path, host }: Question): [Moment, () => unknown][] {
    const versionId = /[?&](versionId=[^&]*)/.exec(path)?.[1];
    const plain = {
      path: (path.split('?')[0] ?? '') + (versionId ? `?${versionId}` : ''),
      ...(host && { host }),
    };
    const knowing = (question: Question) => () => {
      this.#policy.isEverythingStale = false;
      this.forget();
      return this.askKept([question]);
    };
    return [
      ['cold', () => this.forget()],
      ['again', () => undefined],
      [
        'stale',
        () => {
          this.#policy.isEverythingStale = true;
        },
      ],
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

  #request(origin: string, question: Question): RawRequest {
    const { client } = this.dialects;
    return signedQuestion(question, { origin, prefix: client, nowMs: this.store.clock.nowMs() });
  }

  #read(reply: RawReply, question: Question): Reply {
    const { client, store } = this.dialects;
    const isSilent =
      question.as === 'anonymous' && !question.fields && !/[?&]x-(amz|store)-/.test(question.path);
    return readReply(reply, isSilent ? store : client);
  }
}

function sessionTo(gateway: TestGateway, worker: number): KeptSession {
  return new KeptSession({ url: gateway.secureUrl(worker), caPem: localIdentity().caPem });
}

function mapValues<T, U>(values: Readonly<Record<string, T>>, change: (value: T) => U): Record<string, U> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]));
}

function policyOf(accounts: readonly Account[], { anonymous }: LabOptions): Policy {
  const policy = grantPolicy(anonymous ?? {}, accounts.map(clientGrants));
  if (anonymous) return policy;
  return {
    allows: (caller, ...asked) => caller.kind === 'anonymous' || policy.allows(caller, ...asked),
    shareBelow: (caller, ...asked) =>
      caller.kind === 'anonymous' ? 'every' : policy.shareBelow(caller, ...asked),
  };
}

function clientGrants({ accessKeyId, grants = [{ actions: ['*', ...namedOnly] }] }: Account) {
  return { accessKeyId, allow: grants.map(grant => ({ keys: ['**'], ...grant })) };
}
