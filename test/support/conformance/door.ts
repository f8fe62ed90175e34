import { expect } from 'vitest';
import type { Account } from '../../../src/embedded-store/access/caller.ts';
import type { HeaderPrefix } from '../../../src/s3/dialect.ts';
import { accessLogTo } from '../access-log-to.ts';
import { OWNER } from '../embedded-store/store-under-test.ts';
import type { RawRequest } from '../raw-request.ts';
import type { Dialects } from './dialects.ts';
import { Lab } from './lab.ts';
import { type Delivery, presignedQuestion, type Question, signedQuestion } from './question.ts';
import { type Reply, type ReplyError, readReply } from './reply.ts';

/** Makes something wrong of a request that was right. */
export type Spoil = (request: RawRequest) => RawRequest;

/** What a request is refused with. */
export interface Refused {
  readonly status: number;
  readonly error: Pick<ReplyError, 'code' | 'message'> & { readonly fields: unknown };
}

/** Somebody who was given credentials by others than the gateway. */
export const STRANGER: Account = { accessKeyId: 'stranger', secretAccessKey: 'stranger-secret' };

const secrets = [OWNER.secretAccessKey, STRANGER.secretAccessKey, 'another-secret', 'a-session-token'];

/** A gateway whose door is tried with all kinds of credentials, with everything that it logs. */
export class Door {
  readonly lab: Lab;
  readonly prefix: HeaderPrefix;
  readonly #lines: string[];
  /** What must not be seen of the requests sent so far. */
  readonly #signatures = new Set<string>();

  private constructor(lab: Lab, dialects: Dialects, lines: string[]) {
    this.lab = lab;
    this.prefix = dialects.client;
    this.#lines = lines;
  }

  /** A private bucket `box` and one that everybody may read, `open`, each with an object `k`. */
  static async start(dialects: Dialects): Promise<Door> {
    const lines: string[] = [];
    const lab = await Lab.start({
      dialects,
      buckets: { box: {}, open: {} },
      anonymous: { open: [{ actions: ['GetObject', 'ListBucket'], keys: ['**'] }] },
      gateway: {
        accessLog: accessLogTo(text => void lines.push(text)),
      },
    });
    for (const bucket of ['box', 'open']) {
      await lab.store.put(`/${bucket}`, '', { 'x-amz-acl': bucket === 'open' ? 'public-read' : 'private' });
      await lab.store.put(`/${bucket}/k`, 'content', { 'x-amz-acl': 'public-read' });
    }
    return new Door(lab, dialects, lines);
  }

  stop(): Promise<void> {
    return this.lab.stop();
  }

  /** A request signed in its headers. */
  signed(question: Partial<Question> = {}, delivery: Partial<Delivery> = {}): RawRequest {
    return signedQuestion({ path: '/box/k', ...question }, this.#delivery(delivery));
  }

  /** A request by a presigned URL. */
  presigned(
    question: Partial<Question> = {},
    delivery: Partial<Delivery> = {},
    expiresS?: number,
  ): RawRequest {
    return presignedQuestion({ path: '/box/k', ...question }, this.#delivery(delivery), expiresS);
  }

  /** Sends `request` and insists that neither the answer nor the log tells what nobody must know. */
  async knock(request: RawRequest, prefix = this.prefix, more: readonly string[] = []): Promise<Reply> {
    for (const signature of signaturesIn(request)) this.#signatures.add(signature);
    const reply = readReply(await this.lab.send(request), prefix);
    for (const secret of secrets) expect(reply.text).not.toContain(secret);
    const log = this.#lines.splice(0).join('');
    expect(log).toContain(reply.status);
    for (const hidden of [...secrets, ...more, ...this.#signatures]) expect(log).not.toContain(hidden);
    expect(log).not.toMatch(/AWS4-HMAC-SHA256\\n|StringToSign|CanonicalRequest/);
    return reply;
  }

  /** The request is refused, however warm the cache, without asking the store; and so is its HEAD, without a body. */
  async refuses(
    make: (method: string) => RawRequest,
    { status, error }: Refused,
    prefix = this.prefix,
  ): Promise<void> {
    for (const cache of ['cold', 'warm']) {
      this.lab.forget();
      if (cache === 'warm') for (const path of ['/box/k', '/open/k']) await this.lab.ask({ path });
      const before = await this.lab.requests();
      const reply = await this.knock(make('GET'), prefix);
      expect({ status: reply.status, error: reply.error }, cache).toEqual({ status, error });
      expect(reply.headers['content-type']).toBe('application/xml');
      const head = await this.knock(make('HEAD'), prefix);
      expect({ status: head.status, text: head.text }, `HEAD, ${cache}`).toEqual({ status, text: '' });
      expect(await this.lab.requests(), cache).toBe(before);
    }
  }

  #delivery(delivery: Partial<Delivery>): Delivery {
    const { lab, prefix } = this;
    return { origin: lab.gateway.url(), prefix, nowMs: lab.store.clock.nowMs(), ...delivery };
  }
}

/** Changes one header; undefined takes it away. */
export function withHeader(name: string, change: string | undefined | ((value: string) => string)): Spoil {
  return request => {
    const { [name]: before, ...others } = request.headers ?? {};
    const value = typeof change === 'function' ? change(String(before)) : change;
    return { ...request, headers: value === undefined ? others : { ...others, [name]: value } };
  };
}

/** Changes one parameter of the query, decoded; undefined takes it away. */
export function withParameter(name: string, change: string | undefined | ((value: string) => string)): Spoil {
  return request => {
    const [path = '', query = ''] = request.path.split('?', 2);
    const pairs = query.split('&').filter(pair => pair !== '');
    const before = pairs.find(pair => pair.startsWith(`${name}=`))?.slice(name.length + 1) ?? '';
    const value = typeof change === 'function' ? change(decodeURIComponent(before)) : change;
    const kept = pairs.filter(pair => !pair.startsWith(`${name}=`));
    const changed = value === undefined ? kept : [...kept, `${name}=${encodeURIComponent(value)}`];
    return { ...request, path: `${path}?${changed.join('&')}` };
  };
}

function signaturesIn({ path, headers = {} }: RawRequest): string[] {
  const text = `${path}\n${String(headers.authorization)}`;
  return [...text.matchAll(/Signature=([\da-f]{64})/g)].map(([, signature = '']) => signature);
}
