import type { IncomingMessage, ServerResponse } from 'node:http';
import type { z } from 'zod';
import { readBody } from '../transport/read-body.ts';
import { AdminError } from './admin-route.ts';

const MAX_BODY_BYTES = 64 * 1024;

/** How many of the faults of a body are told. */
const MAX_REASONS = 5;

/** Sends JSON with headers that prevent caching and content sniffing. */
export function sendJson(
  response: ServerResponse,
  status: number,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...headers,
  });
  response.end(`${JSON.stringify(value)}\n`);
}

/**
 * Reads the request's JSON body and validates it with `schema`.
 * @throws AdminError 413 for more than 64 KiB; 400, naming the field, for malformed JSON or an invalid body
 */
export async function readJson<Schema extends z.ZodType>(
  request: IncomingMessage,
  schema: Schema,
  limitBytes = MAX_BODY_BYTES,
): Promise<z.output<Schema>> {
  return validated(schema, parseJson(await textOf(request, limitBytes)));
}

/** @throws AdminError 400, naming the field, for an invalid value */
export function validated<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const reasons = result.error.issues.map(({ path, message }) =>
    [path.join('.'), message].filter(Boolean).join(': '),
  );
  const distinct = [...new Set(reasons)];
  const more = distinct.length > MAX_REASONS ? '; and more' : '';
  throw new AdminError(400, 'INVALID_BODY', distinct.slice(0, MAX_REASONS).join('; ') + more);
}

async function textOf(request: IncomingMessage, limitBytes: number): Promise<string> {
  const body = await readBody(request, limitBytes);
  if (body.kind === 'whole') return body.bytes.toString('utf8');
  if (body.kind !== 'too large') throw new AdminError(400, 'INVALID_BODY', 'the body broke off');
  const reason = `a body may have at most ${limitBytes} bytes`;
  throw new AdminError(413, 'BODY_TOO_LARGE', reason, { connection: 'close' });
}

/** @throws AdminError 400 */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text, refuseUnseen);
  } catch (error) {
    if (error instanceof AdminError) throw error;
    throw new AdminError(400, 'INVALID_JSON', 'the body is not valid JSON');
  }
}

/** Refuses `__proto__`: the schemas silently ignore this key, so part of a body would have no effect. */
function refuseUnseen(key: string, value: unknown): unknown {
  if (key === '__proto__') throw new AdminError(400, 'INVALID_BODY', '__proto__: unknown key');
  return value;
}
