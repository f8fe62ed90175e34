import type { IncomingMessage, ServerResponse } from 'node:http';
import type { LimitedLines } from '../base/limited-lines.ts';
import { discardRestOnClose } from '../transport/discard-input.ts';
import type { Identify } from './access/authenticate.ts';
import { preflight, withCrossOrigin } from './cross-origin.ts';
import { isDiskFull } from './disk/disk-full.ts';
import { findOperation } from './find-operation.ts';
import { refuseCustomerKey } from './protocol/customer-key.ts';
import type { DialectPrefix } from './protocol/dialect.ts';
import type { OperationAnswer } from './protocol/operation-answer.ts';
import { OperationError } from './protocol/operation-error.ts';
import { messageDialect, newReplyIds, OperationRequest } from './protocol/operation-request.ts';
import { errorAnswer, type ReplyMarks, sendAnswer } from './protocol/reply.ts';
import { runOperation } from './run-operation.ts';
import type { StoreParts } from './store.ts';

interface HandlerOptions {
  readonly store: StoreParts;
  readonly authenticate: Identify;
  /** For what clients may cause as often as they like. */
  readonly lines: LimitedLines;
  /** The dialect of responses to requests that do not show one. */
  readonly headerPrefix: DialectPrefix;
  /** Buckets may also be addressed as hosts below this domain. */
  readonly domain?: string | undefined;
  /** Connections to this store are never encrypted; whether customer-provided keys are accepted anyway. */
  readonly customerKeysOverHttp: 'accept' | 'refuse';
}

/** One request: parse → authenticate → operation → respond. Never rejects. */
export async function handleRequest(
  options: HandlerOptions,
  message: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  // before the answer: for-await takes the connection from a body that it leaves
  discardRestOnClose(message);
  const marks = { ...newReplyIds(), prefix: messageDialect(message, options.headerPrefix) };
  const answer = await answerTo(options, message, marks);
  if (isLeftUnread(message)) response.shouldKeepAlive = false;
  try {
    await sendAnswer(message, response, answer, marks);
  } catch (err) {
    options.store.logger.debug({ err }, 'a response of the embedded store could not be sent completely');
    response.destroy();
  }
}

/**
 * Whether the rest of the body will never be read: a request behind it would wait for ever, so the connection has to be
 * closed (RFC 9112 §9.3). node:http discards a body that nobody has begun to read.
 */
function isLeftUnread({ complete, readableFlowing }: IncomingMessage): boolean {
  return !complete && readableFlowing !== null;
}

async function answerTo(
  options: HandlerOptions,
  message: IncomingMessage,
  marks: ReplyMarks,
): Promise<OperationAnswer> {
  const refused = (error: unknown) => errorAnswer(refusal(options, message, error), marks);
  try {
    const request = new OperationRequest(message, marks.prefix, options.domain);
    const answer = await perform(options, request).catch(refused);
    return withCrossOrigin(options.store, request, answer);
  } catch (error) {
    return refused(error);
  }
}

async function perform(options: HandlerOptions, request: OperationRequest): Promise<OperationAnswer> {
  const { store, authenticate } = options;
  if (request.method === 'OPTIONS') return preflight(store, request);
  const { caller, signatures } = authenticate(request);
  if (options.customerKeysOverHttp === 'refuse') refuseCustomerKey(request);
  return runOperation(findOperation(request), { store, request, caller, signatures });
}

/** Converts anything thrown to an error for the client; unexpected errors are logged. */
function refusal(
  { store: { logger, spare }, lines }: HandlerOptions,
  message: IncomingMessage,
  thrown: unknown,
): OperationError {
  if (thrown instanceof OperationError) return thrown;
  if (isDiskFull(thrown)) {
    lines.write(
      'warn',
      { error: thrown.message, ...spare.state() },
      'the disk of the embedded store is full',
    );
    return new OperationError('XMinioStorageFull', { cause: thrown });
  }
  if (thrown === message.errored) logger.debug({ err: thrown }, 'a client of the embedded store left');
  else logger.error({ err: thrown }, 'the embedded store failed');
  return new OperationError('InternalError', { cause: thrown });
}
