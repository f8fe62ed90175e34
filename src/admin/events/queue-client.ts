import { hash } from 'node:crypto';
import { Agent, type Dispatcher, request } from 'undici';
import { z } from 'zod';
import { causeName } from '../../backend/failure-cause.ts';
import type { StoreCredentials } from '../../backend/s3/s3-store.ts';
import { StoreError } from '../../backend/store.ts';
import type { Clock } from '../../base/clock.ts';
import { type Credentials, SigningKeys } from '../../s3/sigv4-keys.ts';
import { signRequest } from '../../s3/sigv4-sign.ts';
import { readBody } from '../../transport/read-body.ts';

interface QueueOptions {
  /** The address of the queue, which also names it. */
  readonly url: string;
  readonly region: string;
  /** How long the queue keeps a question waiting for a message. */
  readonly waitMs: number;
  readonly credentials: StoreCredentials;
  readonly clock: Clock;
}

/** A message, which stays in the queue until it is deleted. */
export interface QueueMessage {
  readonly id: string;
  /** What it is deleted by. */
  readonly receipt: string;
  readonly body: string;
}

/** A call to the queue that failed; `code` is a name of an error, of the queue or of Node.js. */
export class QueueError extends Error {
  readonly code: string;
  readonly action: QueueAction;
  /** Of the answer, where the queue has refused the call. */
  readonly status: number | undefined;

  constructor(
    code: string,
    action: QueueAction,
    options?: ErrorOptions & { readonly status?: number | undefined },
  ) {
    super(`${action} failed: ${code}`, options);
    this.code = code;
    this.action = action;
    this.status = options?.status;
  }
}

type QueueAction = 'ReceiveMessage' | 'DeleteMessageBatch' | 'GetQueueAttributes';

/** What is wrong with an answer. */
class CallFault extends Error {
  readonly code: string;
  readonly status: number | undefined;

  constructor(code: string, status?: number) {
    super(code);
    this.code = code;
    this.status = status;
  }
}

/** The most that a queue gives and takes at a time. */
const MOST_MESSAGES = 10;

/** Ten messages of the longest kind (1 MiB), with what JSON adds to them. */
const MAX_ANSWER_BYTES = 24 * 1024 * 1024;

const CONNECT_LIMIT_MS = 5_000;
/** For an answer, beside the time that the queue was asked to wait. */
const ANSWER_LIMIT_MS = 10_000;
/** Whoever stops waits for it. */
const DELETE_LIMIT_MS = 5_000;

/** Amazon's have 100 characters; it is logged. */
const messageId = z.string().max(128);
/** Amazon's have 1024 characters at most. */
const receiptHandle = z.string().max(4_096);

const received = z.looseObject({
  Messages: z
    .array(z.looseObject({ MessageId: messageId, ReceiptHandle: receiptHandle, Body: z.string() }))
    .max(MOST_MESSAGES)
    .nullish(),
});
const deleted = z.looseObject({ Failed: z.array(z.unknown()).nullish() });
const attributes = z.looseObject({ Attributes: z.record(z.string(), z.string()) });
const failed = z.looseObject({ __type: z.string() });

/** Errors that end with other credentials. */
const refusals: ReadonlySet<string> = new Set([
  'AccessDeniedException',
  'ExpiredToken',
  'ExpiredTokenException',
  'InvalidClientTokenId',
  'UnrecognizedClientException',
]);

/** A queue that speaks the JSON protocol of Amazon SQS. */
export class QueueClient {
  readonly #options: QueueOptions;
  readonly #origin: URL;
  readonly #keys = new SigningKeys();
  readonly #agent = new Agent({
    connect: { timeout: CONNECT_LIMIT_MS },
    // `#ask` has a limit for the whole
    headersTimeout: 0,
    bodyTimeout: 0,
  });

  constructor(options: QueueOptions) {
    this.#options = options;
    this.#origin = new URL('/', options.url);
  }

  /**
   * Waits for messages; none after a while without any. Others who ask do not get them for the time that the queue is set to.
   *
   * @throws QueueError
   */
  async receive(signal: AbortSignal): Promise<readonly QueueMessage[]> {
    const { waitMs } = this.#options;
    const question = { MaxNumberOfMessages: MOST_MESSAGES, WaitTimeSeconds: Math.ceil(waitMs / 1_000) };
    const { Messages } = await this.#ask('ReceiveMessage', question, received, {
      limitMs: waitMs + ANSWER_LIMIT_MS,
      signal,
    });
    return (Messages ?? []).map(({ MessageId, ReceiptHandle, Body }) => ({
      ...{ id: MessageId, receipt: ReceiptHandle, body: Body },
    }));
  }

  /**
   * @param messages as many as `receive` gives at most
   * @returns how many of them the queue keeps, which come again
   * @throws QueueError
   */
  async delete(messages: readonly QueueMessage[]): Promise<number> {
    const Entries = messages.map(({ receipt }, index) => ({ Id: String(index), ReceiptHandle: receipt }));
    const limitMs = DELETE_LIMIT_MS;
    const { Failed } = await this.#ask('DeleteMessageBatch', { Entries }, deleted, { limitMs });
    return Failed?.length ?? 0;
  }

  /**
   * Asks what changes nothing: neither what is in the queue nor how often it was handed out.
   *
   * @throws QueueError also where the account may not ask this, which a reader need not
   */
  async look(signal: AbortSignal): Promise<void> {
    const question = { AttributeNames: ['VisibilityTimeout'] };
    await this.#ask('GetQueueAttributes', question, attributes, { limitMs: ANSWER_LIMIT_MS, signal });
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }

  async #ask<Schema extends z.ZodType>(
    action: QueueAction,
    question: object,
    schema: Schema,
    { limitMs, signal }: { readonly limitMs: number; readonly signal?: AbortSignal },
  ): Promise<z.output<Schema>> {
    const late = new AbortController();
    const timer = this.#options.clock.after(limitMs, () => late.abort());
    try {
      const json = JSON.stringify({ QueueUrl: this.#options.url, ...question });
      const credentials = this.#credentials();
      const { statusCode, body } = await request(this.#origin, {
        ...{ method: 'POST', body: json, dispatcher: this.#agent },
        headers: this.#headers(action, json, credentials),
        signal: signal ? AbortSignal.any([signal, late.signal]) : late.signal,
      });
      const answer = await jsonOf(body);
      if (statusCode !== 200) throw this.#refused(statusCode, answer, credentials);
      return schema.parse(answer);
    } catch (error) {
      const status = error instanceof CallFault ? error.status : undefined;
      throw new QueueError(late.signal.aborted ? 'TIMEOUT' : codeOf(error), action, { cause: error, status });
    } finally {
      timer.cancel();
    }
  }

  /** @throws StoreError when there are none that are valid */
  #credentials(): Credentials | undefined {
    const { credentials, clock } = this.#options;
    if (credentials.kind === 'held') return credentials.held.at(clock.nowMs());
    return credentials.kind === 'none' ? undefined : credentials;
  }

  #headers(action: string, json: string, credentials: Credentials | undefined): string[] {
    const { region, clock } = this.#options;
    const headers: [string, string][] = [
      ['content-type', 'application/x-amz-json-1.0'],
      ['x-amz-target', `AmazonSQS.${action}`],
    ];
    if (!credentials) return headers.flat();
    const { host, pathname } = this.#origin;
    const signature = signRequest(
      { method: 'POST', host, rawPath: pathname, rawQuery: '', headers, payloadHash: hash('sha256', json) },
      {
        ...{ credentials, region, service: 'sqs', headerPrefix: 'x-amz-' },
        ...{ nowMs: clock.nowMs(), keys: this.#keys },
      },
    );
    return [...headers, ...signature].flat();
  }

  /** Refused credentials that can be refreshed are reported. */
  #refused(status: number, answer: unknown, signedWith: Credentials | undefined): CallFault {
    const type = failed.safeParse(answer).data?.__type.split('#').at(-1) ?? '';
    const code = /^[A-Za-z][A-Za-z0-9.]{2,99}$/.test(type) ? type : `STATUS_${status}`;
    const { credentials, clock } = this.#options;
    if (refusals.has(code) && credentials.kind === 'held' && signedWith)
      credentials.held.refused(signedWith.accessKeyId, clock.monotonicMs());
    return new CallFault(code, status);
  }
}

/** Undefined for what is no JSON. */
async function jsonOf(body: Dispatcher.ResponseData['body']): Promise<unknown> {
  const read = await readBody(body, MAX_ANSWER_BYTES);
  if (read.kind !== 'whole') {
    body.destroy();
    throw new CallFault(read.kind === 'too large' ? 'ANSWER_TOO_LARGE' : 'CONNECTION_CLOSED');
  }
  try {
    return JSON.parse(read.bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}

function codeOf(error: unknown): string {
  if (error instanceof CallFault) return error.code;
  if (error instanceof StoreError) return error.reason;
  if (error instanceof z.ZodError) return 'INVALID_ANSWER';
  return causeName(error) ?? (error instanceof Error ? error.name : 'UNKNOWN');
}
