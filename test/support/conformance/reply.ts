import { expect } from 'vitest';
import type { HeaderPrefix } from '../../../src/s3/dialect.ts';
import type { RawReply } from '../raw-request.ts';

/** What an error body says. */
export interface ReplyError {
  readonly code: string;
  readonly message: string;
  /** The code's own elements, in order. */
  readonly fields: Readonly<Record<string, string>>;
}

/** An answer with its dialect taken off. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Headers of the store's own, by their names without prefix. */
  readonly fields: Readonly<Record<string, string>>;
  readonly body: Buffer;
  readonly text: string;
  readonly error: ReplyError | undefined;
}

const otherPrefix: Readonly<Record<HeaderPrefix, HeaderPrefix>> = {
  'x-amz-': 'x-store-',
  'x-store-': 'x-amz-',
};

/** Reads `raw`, which must speak the dialect of `prefix` and nothing of the other one, and carry both ids. */
export function readReply(raw: RawReply, prefix: HeaderPrefix): Reply {
  const headers: Record<string, string> = {};
  const fields: Record<string, string> = {};
  for (const [name, value] of Object.entries(raw.headers)) {
    expect(name.startsWith(otherPrefix[prefix]), `${name} in an answer that speaks ${prefix}`).toBe(false);
    if (name.startsWith(prefix)) fields[name.slice(prefix.length)] = value;
    else headers[name] = value;
  }
  expect(fields, 'ids of the answer').toMatchObject({
    'request-id': expect.any(String),
    'id-2': expect.any(String),
  });
  const { status, body, text } = raw;
  const isError = status >= 400 && text.includes('<Error>');
  return { status, headers, fields, body, text, error: isError ? readError(text, fields) : undefined };
}

/**
 * An error body as docs/semantics.md 202 to 204 want it: code first, ids last and those of the headers, no resource.
 */
function readError(text: string, replyFields: Readonly<Record<string, string>>): ReplyError {
  const elements = [...text.matchAll(/<(\w[\w.-]*)>([^<]*)<\/\1>/g)].map(([, name = '', value = '']) => [
    name,
    unescaped(value),
  ]);
  const names = elements.map(([name]) => name);
  expect(names.slice(0, 2)).toEqual(['Code', 'Message']);
  expect(names.slice(-2)).toEqual(['RequestId', 'HostId']);
  expect(names).not.toContain('Resource');
  const {
    Code: code = '',
    Message: message = '',
    RequestId,
    HostId,
    ...fields
  } = Object.fromEntries(elements);
  expect({ RequestId, HostId }).toEqual({
    RequestId: replyFields['request-id'],
    HostId: replyFields['id-2'],
  });
  return { code, message, fields };
}

function unescaped(text: string): string {
  return text
    .replace(/&#x([0-9a-f]+);/gi, (_, hex) => String.fromCodePoint(Number.parseInt(hex, 16)))
    .replace(/&#(\d+);/g, (_, decimal) => String.fromCodePoint(Number(decimal)))
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&apos;', "'")
    .replaceAll('&amp;', '&');
}

/** Headers that belong to one answer, or to the gateway (README.md, How it behaves). */
const ofOneReply = new Set([
  'age',
  'cache-status',
  'connection',
  'date',
  'keep-alive',
  'server',
  'transfer-encoding',
  'x-cache',
]);

/** What a client may not be able to tell the gateway from the store by. */
export function comparable({ status, headers, fields, body, error }: Reply) {
  const isAnswerOfObject = status === 200 || status === 206;
  const kept = Object.entries(headers).filter(
    // error bodies differ in the length of their ids
    ([name]) => !ofOneReply.has(name) && (isAnswerOfObject || name !== 'content-length'),
  );
  const { 'request-id': _requestId, 'id-2': _id2, ...shown } = fields;
  return {
    status,
    headers: Object.fromEntries(kept),
    fields: shown,
    body: error ? error : body.toString('latin1'),
  };
}
