import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Authenticate } from './access/authenticate.ts';
import { findOperation } from './find-operation.ts';
import type { Answer } from './protocol/answer.ts';
import type { HeaderPrefix } from './protocol/dialect.ts';
import { asStoreError, errorAnswer, sendAnswer } from './protocol/reply.ts';
import { messageDialect, newReplyIds, StoreRequest } from './protocol/store-request.ts';
import { runOperation } from './run-operation.ts';
import type { Store } from './store.ts';

export interface HandlerOptions {
  readonly store: Store;
  readonly authenticate: Authenticate;
  /** The dialect of answers to requests that show none. */
  readonly headerPrefix: HeaderPrefix;
  /** Buckets may be addressed as hosts below it. */
  readonly domain?: string | undefined;
}

/** One request: parse → authenticate → operation → answer. Never rejects. */
export async function handleRequest(
  options: HandlerOptions,
  message: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const marks = { ...newReplyIds(), prefix: messageDialect(message, options.headerPrefix) };
  const { logger } = options.store;
  let answer: Answer;
  try {
    answer = await answerTo(options, new StoreRequest(message, marks.prefix, options.domain));
  } catch (thrown) {
    const error = asStoreError(thrown);
    if (error.code === 'InternalError') logger.error({ err: thrown }, 'the embedded store failed');
    answer = errorAnswer(error, marks);
  }
  try {
    await sendAnswer(message, response, answer, marks);
  } catch (err) {
    logger.debug({ err }, 'an answer of the embedded store was not taken whole');
    response.destroy();
  }
}

async function answerTo(options: HandlerOptions, request: StoreRequest): Promise<Answer> {
  const { caller, signatures } = options.authenticate(request);
  const operation = findOperation(request);
  return runOperation(operation, { store: options.store, request, caller, signatures });
}
