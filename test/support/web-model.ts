import {
  GIVEN_UP,
  type NO_ANSWER,
  type Store,
  StoreError,
  type StoreReceiver,
  type StoreRequest,
} from '../../src/backend/store.ts';
import { EpochSlots } from '../../src/cache/epoch-slots.ts';
import type { ReadableRecord } from '../../src/cache/record.ts';
import { allocateSharedMemory } from '../../src/cache/shared-memory.ts';
import type { Warmed } from '../../src/gateway/read/warmed.ts';
import type { CachePolicy } from '../../src/gateway/request/cache-policy.ts';
import {
  type CacheReport,
  CacheReports,
  type LookupOutcome,
  refusedBeforeLookup,
} from '../../src/gateway/request/cache-status.ts';
import { VIA } from '../../src/gateway/web/outgoing-fields.ts';
import type { WaitingClient } from '../../src/gateway/web/waiting-client.ts';
import { noFields, type RecordSource, type WebClient, WebRead } from '../../src/gateway/web/web-read.ts';
import { type WebBucket, webTarget } from '../../src/gateway/web/web-target.ts';
import { WorkerCache } from '../../src/gateway/workers/worker-cache.ts';
import type { HeaderField } from '../../src/s3/dialect.ts';
import { ManualClock } from './manual-clock.ts';
import { bucketOf } from './object-reads.ts';
import { defaultPolicy } from './worker-gateway.ts';

/** What the origin answers; without a status it says nothing until it is given up. */
export interface ModelAnswer {
  readonly status: number | undefined;
  readonly fields: Readonly<Record<string, string>>;
  readonly body: string;
  /** Until the head, and from there to the end. */
  readonly headMs: number;
  readonly bodyMs: number;
  /** Whether it sends 2 KiB a second, and no end. */
  readonly isEndless?: boolean;
  /** Whether it does not say how long it is. */
  readonly isUnannounced?: boolean;
  /** When it is given up for others, though the origin has said nothing. */
  readonly givenUpMs?: number;
  readonly givenUpAs?: typeof GIVEN_UP | typeof NO_ANSWER;
}

/** A page whose head comes after 300 ms, and its end with it. */
export function pageAnswer(
  fields: Readonly<Record<string, string>>,
  different: Partial<ModelAnswer> = {},
): ModelAnswer {
  return { status: 200, fields, body: 'page', headMs: 300, bodyMs: 0, ...different };
}

/** A request as the origin has got it. */
interface ModelQuestion {
  readonly method: string;
  readonly target: string | undefined;
  readonly fields: Readonly<Record<string, string>>;
  /** For which client it was sent. */
  readonly client: string | undefined;
  readonly fromMs: number;
  /** When its answer had come, or it was given up. */
  untilMs: number | undefined;
}

type Answering = (method: string, fields: Readonly<Record<string, string>>, target: string) => ModelAnswer;

/** How long the gateway waits for bytes. */
const SILENT_MS = 10_000;

/** A web origin without sockets. */
class ModelOrigin implements Store {
  readonly name = 'web';
  readonly identity = 'web';
  readonly questions: ModelQuestion[] = [];
  answer: Answering;
  readonly #clock: ManualClock;

  constructor(clock: ManualClock, answer: Answering) {
    this.#clock = clock;
    this.answer = answer;
  }

  /** Questions that are under way. */
  get open(): readonly ModelQuestion[] {
    return this.questions.filter(({ untilMs }) => untilMs === undefined);
  }

  send({ method, target, fields: sent, client }: StoreRequest, receiver: StoreReceiver) {
    const clock = this.#clock;
    const fields = Object.fromEntries(sent.map(({ name, value }) => [name, value]));
    const fromMs = clock.monotonicMs();
    const question: ModelQuestion = { method, target, fields, client, fromMs, untilMs: undefined };
    this.questions.push(question);
    const {
      status,
      fields: said,
      body,
      headMs,
      bodyMs,
      isEndless,
      isUnannounced = isEndless,
      givenUpMs,
      givenUpAs = GIVEN_UP,
    } = this.answer(method, fields, target ?? '');
    const over = () => {
      question.untilMs ??= clock.monotonicMs();
    };
    const later = (delayMs: number, then: () => void) =>
      void clock.after(delayMs, () => {
        if (question.untilMs === undefined) then();
      });
    const fail = (error = new StoreError('TIMEOUT', 'no answer', undefined)) => {
      over();
      receiver.failed(error);
    };
    const end = () => {
      over();
      receiver.ended();
    };
    const begin = (known: number) => {
      const isBodiless = method === 'HEAD' || known === 304;
      const length =
        known === 304 || isUnannounced ? {} : { 'content-length': String(Buffer.byteLength(body)) };
      receiver.answered({ status: known, fields: fieldsOf({ ...length, ...said }) });
      if (question.untilMs !== undefined) return;
      const drip = () => {
        receiver.arrived(Buffer.alloc(2 * 1024));
        later(1_000, drip);
      };
      if (isBodiless) end();
      else if (isEndless) drip();
      else if (bodyMs > SILENT_MS) later(SILENT_MS, fail);
      else
        later(bodyMs, () => {
          receiver.arrived(Buffer.from(body));
          if (question.untilMs === undefined) end();
        });
    };
    if (givenUpMs !== undefined)
      later(givenUpMs, () => fail(new StoreError('BUSY', 'given up', undefined, givenUpAs)));
    else if (status === undefined) later(SILENT_MS, fail);
    else later(headMs, () => begin(status));
    return { pause() {}, resume() {}, took() {}, abort: over };
  }

  mayRetry(): boolean {
    return true;
  }

  async close(): Promise<void> {}
}

function fieldsOf(fields: Readonly<Record<string, string>>): HeaderField[] {
  return Object.entries(fields).map(([name, value]) => ({ name, value, store: false }));
}

/** What a reader got. */
interface ModelResult {
  readonly atMs: number;
  readonly fields: readonly HeaderField[];
  /** 304 to a HEAD or a condition is not made here. */
  readonly status: number | undefined;
  readonly error: unknown;
  readonly report: CacheReport;
  /** Set where it was answered from a record. */
  readonly outcome: LookupOutcome | undefined;
}

/** A client that reads one page once. */
export class ModelReader implements WebClient, WaitingClient {
  report: CacheReport = refusedBeforeLookup;
  readonly quota: string;
  readonly askedMs: number;
  result: ModelResult | undefined;
  hasLeft = false;
  readonly #clock: ManualClock;
  #left: (() => void) | undefined;
  #head: { readonly status: number; readonly fields: readonly HeaderField[] } | undefined;

  constructor(clock: ManualClock, quota: string) {
    this.#clock = clock;
    this.quota = quota;
    this.askedMs = clock.monotonicMs();
  }

  leave(): void {
    if (this.result) return;
    this.hasLeft = true;
    const left = this.#left;
    this.#left = undefined;
    left?.();
  }

  answer(
    _read: WebRead,
    record: ReadableRecord,
    outcome: LookupOutcome,
    _source: RecordSource,
    told?: readonly HeaderField[],
  ): void {
    const report = new CacheReports().of(outcome, 'all', 0);
    this.#got({ status: record.answer?.status, fields: told ?? record.fields, report, outcome });
  }

  wait(left: () => void): WaitingClient {
    if (this.#left) throw new Error('waits twice');
    this.#left = left;
    return this;
  }

  get isWaiting(): boolean {
    return this.#left !== undefined;
  }

  release(): boolean {
    const { isWaiting } = this;
    this.#left = undefined;
    return isWaiting;
  }

  inform(): void {}

  begin(head: { readonly status: number; readonly fields: readonly HeaderField[] }): void {
    this.#head = head;
  }

  follow(): void {}

  write(): void {}

  end(): void {
    if (this.release() && this.#head) this.#got({ ...this.#head, report: this.report });
  }

  fail(error: unknown): void {
    if (this.release()) this.refuse(error);
  }

  refuse(error: unknown): void {
    this.#got({ status: undefined, fields: [], error, report: this.report });
  }

  whenGone(then: () => void): void {
    then();
  }

  #got(
    result: Pick<ModelResult, 'status' | 'fields' | 'report'> &
      Partial<Pick<ModelResult, 'error' | 'outcome'>>,
  ): void {
    if (this.hasLeft) return;
    if (this.result) throw new Error('answered twice');
    this.result = { error: undefined, outcome: undefined, atMs: this.#clock.monotonicMs(), ...result };
  }
}

/** What a reader sends, and from where. */
export interface ModelRequest {
  readonly path?: string;
  readonly method: 'GET' | 'HEAD' | 'POST';
  readonly fields: Readonly<Record<string, string>>;
  readonly quota: string;
}

/** One worker's cache of a web origin, with a clock that a test moves. */
export class WebModel {
  readonly clock = new ManualClock();
  readonly origin: ModelOrigin;
  readonly cache: WorkerCache;
  readonly #bucket: WebBucket;

  constructor(answer: Answering, policy: Partial<CachePolicy> = {}) {
    const memory = allocateSharedMemory(64 * 65_536, 65_536, 1);
    this.origin = new ModelOrigin(this.clock, answer);
    this.cache = new WorkerCache({
      ...{ memory, worker: 0, recordBytes: 10_000_000 },
      ...{ clock: this.clock, random: () => 0.5, retried: () => undefined },
    });
    const cache: CachePolicy = { ...defaultPolicy, ttlMs: 0, clientDirectives: 'honour', ...policy };
    this.#bucket = {
      ...bucketOf(this.origin),
      epochs: new EpochSlots(memory).ofWeb({ backend: 'web', bucket: 'b' }),
      rulesFor: () => ({ cache }),
      web: {
        ...{ host: { kind: 'origin' }, forwarded: false, originHost: 'origin.test', pathPrefix: '' },
        ...{ query: { names: 'all', isSorted: false }, storesCookies: false },
      },
    };
  }

  read({ path = '/page', method, fields: sent, quota }: ModelRequest): ModelReader {
    const reader = new ModelReader(this.clock, quota);
    const address = { bucket: this.#bucket, path, query: undefined, host: 'site.test' };
    const [ifNoneMatch, ifModifiedSince] = [sent['if-none-match'], sent['if-modified-since']];
    const fields = {
      ...noFields,
      ...{ ifNoneMatch, ifModifiedSince, ifMatch: sent['if-match'] },
      ...{ authorization: sent.authorization, range: sent.range },
      isConditional: ifNoneMatch !== undefined || ifModifiedSince !== undefined,
      cacheControl: sent['cache-control'],
    };
    const read = new WebRead(
      {
        ...{ method, operation: method, fields, address, scheme: 'http', trace: undefined },
        ...{ target: webTarget(address, 'http'), nowMs: this.clock.nowMs() },
      },
      reader,
      () => fieldsOf({ ...sent, via: VIA }),
    );
    read.attempt(() => {
      if (method === 'POST') this.cache.web.pass(read, () => undefined);
      else this.cache.web.serve(read);
    });
    return reader;
  }

  warm(path = '/page', gone = new AbortController().signal): Promise<Warmed> {
    return this.cache.web.warm({ bucket: this.#bucket, key: path }, gone);
  }

  purge(path = '/page'): void {
    const address = { bucket: this.#bucket, path, query: undefined, host: 'site.test' };
    const objectKey = webTarget(address, 'http').key;
    this.cache.barriers.raise({ kind: 'key', objectKey }, 'hard', this.clock.nowMs());
  }

  /** Lets time pass, with turns of the event loop between. */
  async pass(milliseconds: number, stepMs = 50): Promise<void> {
    for (let passedMs = 0; passedMs < milliseconds; passedMs += stepMs) {
      this.clock.advance(Math.min(stepMs, milliseconds - passedMs));
      await Promise.resolve();
    }
  }
}
