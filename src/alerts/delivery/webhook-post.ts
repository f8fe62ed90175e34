import { Agent, type Dispatcher, request } from 'undici';
import { errorCode } from '../../base/error-code.ts';
import type { PostOutcome } from './reply.ts';

/** Posts one card, as JSON text. Never rejects. */
export type PostCard = (url: string, json: string) => Promise<PostOutcome>;

interface WebhookPosterOptions {
  readonly connectTimeoutMs?: number;
  /** From the end of the request to the end of the response. */
  readonly replyTimeoutMs?: number;
}

/** A response is `1` or a line of text; longer ones are not read. */
const MAX_REPLY_BYTES = 16 * 1024;

/** Uses a new connection for each post: with at most four per second, keep-alive gains nothing. */
export class WebhookPoster {
  readonly #agent: Agent;
  readonly #deadlineMs: number;

  constructor({ connectTimeoutMs = 5_000, replyTimeoutMs = 15_000 }: WebhookPosterOptions = {}) {
    this.#deadlineMs = connectTimeoutMs + replyTimeoutMs;
    this.#agent = new Agent({
      pipelining: 0,
      connect: { timeout: connectTimeoutMs },
      headersTimeout: replyTimeoutMs,
      bodyTimeout: replyTimeoutMs,
    });
  }

  /** Returns the result; for an error only its code, since the message may contain the address. */
  readonly post: PostCard = async (url, json) => {
    try {
      const { statusCode, headers, body } = await request(url, {
        method: 'POST',
        // without the charset the service accepts less and corrupts emoji (docs/cards.md §1, Size)
        headers: { 'content-type': 'application/json; charset=utf-8', accept: '*/*' },
        body: json,
        dispatcher: this.#agent,
        signal: AbortSignal.timeout(this.#deadlineMs),
      });
      const retryAfter = headers['retry-after'];
      return {
        kind: 'answer',
        status: statusCode,
        body: await readStart(body),
        retryAfter: typeof retryAfter === 'string' ? retryAfter : undefined,
      };
    } catch (error) {
      return { kind: 'no-answer', code: failureCode(error) };
    }
  };

  /** Aborts the running post, if any. */
  async close(): Promise<void> {
    await this.#agent.destroy();
  }
}

async function readStart(body: Dispatcher.ResponseData['body']): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes >= MAX_REPLY_BYTES) break;
  }
  return Buffer.concat(chunks).subarray(0, MAX_REPLY_BYTES).toString('utf8');
}

function failureCode(error: unknown): string {
  if (!(error instanceof Error)) return 'UNKNOWN';
  const code = errorCode(error) ?? '';
  return /^[A-Z][A-Z0-9_]{2,60}$/.test(code) ? code : error.name;
}
