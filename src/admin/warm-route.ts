import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { z } from 'zod';
import { answerLast } from '../transport/discard-input.ts';
import { AdminError, type AdminRoute } from './admin-route.ts';
import { readJson } from './json.ts';

/** What to fetch before somebody asks for it. */
export interface WarmRequest {
  readonly bucket: string;
  readonly what: { readonly keys: readonly string[] } | { readonly prefix: string };
  /** Only what comes behind this key. */
  readonly from: string | undefined;
  /** Objects at a time. */
  readonly concurrency: number;
  /** Objects per second; 0: as fast as they come. */
  readonly rate: number;
}

/** Lines of progress; undefined for an unknown bucket. `signal` ends it. @throws AdminError for what nothing in the bucket is called */
export type Warm = (request: WarmRequest, signal: AbortSignal) => AsyncIterable<object> | undefined;

const MAX_KEYS = 1_000;
const MAX_BODY_BYTES = 4 * 1024 * 1024;

/** Each of them keeps requests to stores under way. */
const MAX_RUNNING = 2;

const FORMS =
  'the body must be {"bucket","keys":[…]} or {"bucket","prefix"}, with "from", "concurrency" and "rate" where wanted';

// how long keys are, the bucket says
const key = z.string({ error: 'a text' }).min(1, { error: 'a text that is not empty' });

const keyList = `a list of 1 to ${MAX_KEYS} keys`;

const CONCURRENCY = 'a whole number from 1 to 64';
const RATE = 'a number from 0 to 1000000';

const warmBody = z
  .strictObject(
    {
      bucket: z.string({ error: 'a text' }).min(1, { error: 'a text that is not empty' }),
      keys: z
        .array(key, { error: keyList })
        .min(1, { error: keyList })
        .max(MAX_KEYS, { error: keyList })
        .optional(),
      prefix: z.string({ error: 'a text' }).optional(),
      from: key.optional(),
      concurrency: z
        .int({ error: CONCURRENCY })
        .min(1, { error: CONCURRENCY })
        .max(64, { error: CONCURRENCY })
        .default(4),
      rate: z.number({ error: RATE }).min(0, { error: RATE }).max(1_000_000, { error: RATE }).default(0),
    },
    { error: FORMS },
  )
  .transform((body, context): WarmRequest => {
    const { keys, prefix, from, ...request } = body;
    if (keys && prefix === undefined) return { ...request, from, what: { keys } };
    if (!keys && prefix !== undefined) return { ...request, from, what: { prefix } };
    context.issues.push({ code: 'custom', message: FORMS, input: body });
    return z.NEVER;
  });

/** `POST /api/warm`: progress as lines of JSON, until all is fetched or who asked has left. */
export function warmRoute(warm: Warm): AdminRoute {
  let running = 0;
  return {
    method: 'POST',
    path: '/api/warm',
    async handle(request, response) {
      const asked = await readJson(request, warmBody, MAX_BODY_BYTES);
      if (running >= MAX_RUNNING)
        throw new AdminError(429, 'WARMING', `${MAX_RUNNING} of these run already`, { 'retry-after': '10' });
      const leaving = new AbortController();
      response.once('close', () => leaving.abort());
      const lines = warm(asked, leaving.signal);
      if (!lines) throw new AdminError(404, 'UNKNOWN_BUCKET', 'no bucket of this name is configured');
      running++;
      try {
        await sendLines(response, lines, leaving.signal);
      } finally {
        running--;
      }
    },
  };
}

async function sendLines(response: ServerResponse, lines: AsyncIterable<object>, signal: AbortSignal) {
  answerLast(response);
  response.writeHead(200, {
    'content-type': 'application/x-ndjson; charset=utf-8',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  });
  response.flushHeaders();
  for await (const line of lines) {
    if (signal.aborted) return;
    const isTaken = response.write(`${JSON.stringify(line)}\n`);
    if (!isTaken) await once(response, 'drain', { signal }).catch(() => undefined);
  }
  response.end();
}
