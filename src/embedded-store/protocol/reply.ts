import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import type { DialectPrefix } from './dialect.ts';
import type { OperationAnswer } from './operation-answer.ts';
import type { OperationError } from './operation-error.ts';
import type { ReplyIds } from './operation-request.ts';
import { xmlDocument } from './xml.ts';

/** The ids and other fixed headers of a response. */
export interface ReplyMarks extends ReplyIds {
  readonly prefix: DialectPrefix;
}

/**
 * The response for an error: its ids are those of the headers, and it names no resource (docs/semantics.md, section
 * 10).
 */
export function errorAnswer(error: OperationError, { requestId, hostId }: ReplyIds): OperationAnswer {
  const { fields, headers, prefixed } = error.details;
  const content = { Code: error.code, Message: error.message, ...fields };
  const document = xmlDocument('Error', { ...content, RequestId: requestId, HostId: hostId });
  return {
    status: error.status,
    headers: { ...headers, ...(error.status === 400 && { connection: 'close' }) },
    prefixed: prefixed ?? {},
    body: { kind: 'xml', document },
  };
}

/**
 * Sends a response; a body is sent at the speed of the client, and never for HEAD. Resolves when it has been sent.
 * Rejects when it could not be sent completely; the connection must be closed then.
 */
export async function sendAnswer(
  message: IncomingMessage,
  response: ServerResponse,
  answer: OperationAnswer,
  marks: ReplyMarks,
): Promise<void> {
  const { body } = answer;
  const content = body?.kind === 'bytes' ? body.content : undefined;
  try {
    // a truncated body must not look complete: end() throws then, and is called here so that the error is caught
    response.strictContentLength = true;
    response.writeHead(answer.status, headersOf(message, answer, marks));
    if (content) await pipeline(content, response, { end: false });
    // as bytes: a string would be joined with the headers, and these would be encoded as UTF-8 too
    if (body?.kind === 'xml' && message.method !== 'HEAD') response.write(Buffer.from(body.document));
    response.end();
  } finally {
    content?.destroy();
  }
}

function headersOf(
  message: IncomingMessage,
  { status, headers, prefixed, body }: OperationAnswer,
  { prefix, requestId, hostId }: ReplyMarks,
): Record<string, string> {
  const all: Record<string, string> = { [`${prefix}id-2`]: hostId, [`${prefix}request-id`]: requestId };
  for (const [name, value] of Object.entries(prefixed ?? {})) all[`${prefix}${name}`] = value;
  Object.assign(all, headers);
  all.server = 'Tidegate embedded store';
  // last, since Node.js changes the encoding of a Content-Disposition that follows a content-length
  if (body?.kind === 'bytes') all['content-length'] = String(body.sizeBytes);
  if (body?.kind === 'xml') all['content-type'] = 'application/xml';
  // a length of 0 would mean for HEAD that GET has no body, and for 304 that the object is empty (docs/semantics.md 85)
  if (body === undefined && message.method !== 'HEAD' && status !== 304 && status !== 204) {
    all['content-length'] = '0';
  }
  return all;
}
