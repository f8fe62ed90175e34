import type { ServerResponse } from 'node:http';
import { expect } from 'vitest';
import type { CachePolicy } from '../../../src/gateway/request/cache-policy.ts';
import { ManualClock, whileTimePasses } from '../manual-clock.ts';
import { type OriginRequest, ScriptedOrigin } from '../scripted-origin.ts';
import { TestGateway } from '../test-gateway.ts';
import type { At, CachingRow, CachingStep, OriginState, Said } from './caching-row.ts';

export type Backend = 'a store' | 'a web origin' | 'a web origin, two workers';

/** What is configured where nothing is (docs/configuration.md). */
const policies: Record<'store' | 'web', Partial<CachePolicy>> = {
  store: { ttlMs: 60_000 },
  web: { ttlMs: 0, heuristicShare: 0.1, clientDirectives: 'honour', maxStaleMs: 86_400_000 },
};

/** An origin for all rows of a file, before which each row has a gateway of its own that holds nothing. */
export class CachingBench {
  readonly #origin: ScriptedOrigin;
  readonly #backend: Backend;
  #clock = new ManualClock();
  #startMs = 0;
  #state: OriginState = {};

  private constructor(origin: ScriptedOrigin, backend: Backend) {
    this.#origin = origin;
    this.#backend = backend;
    origin.answer = (asked, response) => this.#answer(asked, response);
  }

  static async start(backend: Backend): Promise<CachingBench> {
    return new CachingBench(await ScriptedOrigin.start(() => undefined), backend);
  }

  close(): Promise<void> {
    return this.#origin.close();
  }

  /** Makes the requests of `row` in turn, with several workers to each in turn. @throws where one of them ends otherwise */
  async run(row: CachingRow): Promise<void> {
    this.#clock = new ManualClock();
    this.#startMs = this.#clock.nowMs();
    this.#state = row.origin;
    const gateway = await this.#startGateway(row.policy);
    try {
      for (const [index, step] of row.requests.entries()) await this.#take(gateway, step, index);
    } finally {
      await gateway.close();
    }
  }

  get #isStore(): boolean {
    return this.#backend === 'a store';
  }

  #startGateway(different: Partial<CachePolicy> = {}): Promise<TestGateway> {
    const { url } = this.#origin;
    const common = { clock: this.#clock, arenaBytes: 4 * 1024 * 1024 };
    if (this.#isStore)
      return TestGateway.start({
        ...common,
        storeUrl: url,
        policy: { ...policies.store, ...different },
      });
    return TestGateway.start({
      ...common,
      storeUrl: 'http://127.0.0.1:1',
      buckets: {},
      web: { url, name: '/' },
      policy: { ...policies.web, ...different },
      workers: this.#backend === 'a web origin' ? 1 : 2,
    });
  }

  async #take(gateway: TestGateway, step: CachingStep, index: number): Promise<void> {
    const { afterS = 0, method = 'GET', path = '/b/k', sends = {}, gets } = step;
    this.#clock.advance(afterS * 1_000);
    this.#state = step.origin ?? this.#state;
    this.#origin.asked.length = 0;
    const fields = Object.entries(sends).map(([name, value]) => [name, this.#written(value)]);
    const answered = gateway.send(method, path, Object.fromEntries(fields), index % gateway.gateways.length);
    // a store that fails is asked again, after a while
    const isFailing = (this.#state.status ?? 200) >= 500;
    if (gets === 'cut') {
      await expect(answered, `request ${index + 1}`).rejects.toThrow();
      return;
    }
    const { status, headers, body } = await (isFailing ? whileTimePasses(this.#clock, answered) : answered);
    const { cache, has, lacks = [] } = gets;
    const what = `request ${index + 1}`;
    const asked = this.#asked();
    const seen = { status, cache: cache && headers['x-cache'], asks: asked };
    const asks =
      step.asks === 'any'
        ? asked
        : step.asks.map(question => (question === 'confirmation' ? this.#confirmation : question));
    expect(seen, what).toEqual({ status: gets.status ?? 200, cache, asks });
    if (gets.body !== undefined) expect(body.toString(), what).toBe(gets.body);
    this.#expectFields(
      headers,
      { ...has, ...Object.fromEntries(lacks.map(name => [name, undefined])) },
      what,
    );
    this.#expectFields(this.#origin.lastAsked?.headers ?? {}, step.carries ?? {}, `${what}, at the origin`);
  }

  get #confirmation(): string {
    return this.#isStore ? 'HEAD' : 'conditional GET';
  }

  #asked(): string[] {
    return this.#origin.asked.map(({ method, headers }) =>
      isConditional(headers) ? `conditional ${method}` : method,
    );
  }

  #expectFields(
    fields: OriginRequest['headers'],
    expected: NonNullable<CachingStep['carries']>,
    what: string,
  ) {
    for (const [name, value] of Object.entries(expected)) {
      const field = fields[name]?.toString();
      if (value instanceof RegExp) expect(field, `${what}: ${name}`).toMatch(value);
      else expect(field, `${what}: ${name}`).toBe(value && this.#written(value));
    }
  }

  #answer({ method, headers }: OriginRequest, response: ServerResponse): void {
    const {
      status = 200,
      head,
      confirms = head,
      confirmsWith = 304,
      bodyBy,
      trailers,
      takesS = 0,
    } = this.#state;
    const isConfirming = this.#isStore ? method === 'HEAD' : this.#isConfirmed(headers);
    response.sendDate = false;
    this.#clock.advance(takesS * 1_000);
    // contents that differ have different tags
    const ownTag = bodyBy && { etag: `"${headers[bodyBy]}"` };
    const fields = this.#fields({ ...ownTag, ...(isConfirming ? confirms : head) });
    if (isConfirming && !this.#isStore && status === 200) {
      response.writeHead(confirmsWith, fields).end();
      return;
    }
    const body = Buffer.from(bodyBy ? `for ${headers[bodyBy] ?? 'none'}` : (this.#state.body ?? 'one'));
    const [first, last] = this.#state.sendsParts ? rangeOf(headers.range, body.length) : [];
    const sent = first === undefined ? body : body.subarray(first, last);
    if (first !== undefined && status === 200) {
      const range = `bytes ${first}-${first + sent.length - 1}/${body.length}`;
      response.writeHead(206, { 'content-length': sent.length, ...fields, 'content-range': range });
    } else {
      response.writeHead(status, { ...(!trailers && { 'content-length': sent.length }), ...fields });
    }
    this.#send(method === 'HEAD' ? Buffer.alloc(0) : sent, response);
  }

  #send(body: Buffer, response: ServerResponse): void {
    const { cutAfterBytes, trailers } = this.#state;
    if (cutAfterBytes !== undefined && cutAfterBytes < body.length) {
      response.write(body.subarray(0, cutAfterBytes), () => response.destroy());
      return;
    }
    if (trailers) response.addTrailers(trailers);
    response.end(body);
  }

  #isConfirmed(asked: OriginRequest['headers']): boolean {
    if (!isConditional(asked)) return false;
    const { bodyBy, head } = this.#state;
    const { etag, 'last-modified': modified } = this.#fields({
      ...(bodyBy && { etag: `"${asked[bodyBy]}"` }),
      ...head,
    });
    const known = asked['if-none-match'];
    if (known !== undefined) return known === '*' || known.split(', ').includes(String(etag));
    return modified === asked['if-modified-since'];
  }

  #fields(said: Said = {}): Record<string, string | string[]> {
    const all: Said = { etag: '"1"', date: new Date(this.#clock.nowMs()).toUTCString(), ...said };
    const written = Object.entries(all).flatMap(([name, value]) => {
      if (value === undefined) return [];
      return [[name, isList(value) ? [...value] : this.#written(value)]];
    });
    return Object.fromEntries(written);
  }

  #written(value: string | At): string {
    return typeof value === 'string' ? value : new Date(this.#startMs + value.atS * 1_000).toUTCString();
  }
}

function isList(value: string | readonly string[] | At): value is readonly string[] {
  return Array.isArray(value);
}

function isConditional(headers: OriginRequest['headers']): boolean {
  return headers['if-none-match'] !== undefined || headers['if-modified-since'] !== undefined;
}

/** The first byte asked for, and the one behind the last. */
function rangeOf(range: string | undefined, sizeBytes: number): readonly number[] {
  const [, first, last] = /^bytes=(\d+)-(\d*)$/.exec(range ?? '') ?? [];
  if (first === undefined) return [];
  return [Number(first), last ? Math.min(Number(last) + 1, sizeBytes) : sizeBytes];
}
