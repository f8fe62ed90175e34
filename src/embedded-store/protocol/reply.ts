import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import type { DialectPrefix } from './dialect.ts';
import type { OperationAnswer } from './operation-answer.ts';
import type { OperationError } from './operation-error.ts';
import type { ReplyIds } from './operation-request.ts';
import { xmlDocument } from './xml.ts';

/** What marks a reply, besides what it answers. */
export interface ReplyMarks extends ReplyIds {
  readonly prefix: DialectPrefix;
}

/**
 * An error as an answer: its ids are those of the headers, and it names no resource (docs/semantics.md, section
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
 * Sends an answer; a body goes out at the pace of the client and never to HEAD. Resolves when it has been
 * sent; rejects when it could not be sent whole, and then the connection must be cut.
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
    // a body that ends short must not look whole: the end throws, and is called here to be caught
    response.strictContentLength = true;
    response.writeHead(answer.status, headersOf(message, answer, marks));
    if (content) await pipeline(content, response, { end: false });
    // bytes, since a string would be joined with the headers and take them along into UTF-8
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
  // last, since Node changes the bytes of a Content-Disposition that comes after a length
  if (body?.kind === 'bytes') all['content-length'] = String(body.sizeBytes);
  if (body?.kind === 'xml') all['content-type'] = 'application/xml';
  // a length of 0 would say of HEAD that GET has no body, and of 304 that the object is empty (docs/semantics.md 85)
  if (body === undefined && message.method !== 'HEAD' && status !== 304 && status !== 204) {
    all['content-length'] = '0';
  }
  return all;
}
