import { type IncomingMessage, request } from 'node:http';
import { type Content, holdsAt } from '../support/stand-in/content.ts';

/** What one client got for one GET. */
export interface Reading {
  readonly status: number;
  readonly entityTag: string | undefined;
  readonly bytes: number;
  /** Whether the body ended as its head had promised. */
  readonly clean: boolean;
  readonly firstByteMs: number;
  readonly totalMs: number;
  /** Those of the expected contents that every received byte fits to. */
  readonly fits: readonly Content[];
}

/** Reads `url`, on a connection of its own, and compares each byte on the way with `expected`. */
export async function read(
  url: string,
  expected: readonly Content[],
  headers: Readonly<Record<string, string>> = {},
): Promise<Reading> {
  const startMs = performance.now();
  const reply = await get(url, headers);
  let firstByteMs = Number.POSITIVE_INFINITY;
  let position = firstPosition(reply);
  const first = position;
  let fits = reply.statusCode === 200 || reply.statusCode === 206 ? expected : [];
  let clean = true;
  try {
    for await (const chunk of reply) {
      if (position === first) firstByteMs = performance.now() - startMs;
      fits = fits.filter(content => holdsAt(content, position, chunk));
      position += chunk.length;
    }
  } catch {
    clean = false;
  }
  return {
    status: reply.statusCode ?? 0,
    entityTag: reply.headers.etag,
    bytes: position - first,
    clean,
    firstByteMs,
    totalMs: performance.now() - startMs,
    fits,
  };
}

function get(url: string, headers: Readonly<Record<string, string>>): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  request(url, { headers, agent: false }, resolve).on('error', reject).end();
  return promise;
}

function firstPosition(reply: IncomingMessage): number {
  return Number(/^bytes (\d+)-/.exec(reply.headers['content-range'] ?? '')?.[1] ?? 0);
}
