import type { IncomingMessage } from 'node:http';
import { s3Error } from '../../s3/error.ts';
import { answeredPreflight } from '../request/cache-status.ts';
import type { Preflight } from '../request/cross-origin.ts';
import type { Exchange } from '../request/exchange.ts';
import { sendWhole } from './error-reply.ts';

const VARY = 'Origin, Access-Control-Request-Headers, Access-Control-Request-Method';

/**
 * Answers a CORS preflight (Fetch standard, CORS-preflight request) as rules say; browsers send it without credentials or a
 * signature, and it grants nothing: the actual request is checked like any other.
 *
 * @returns false where rules say nothing of CORS, or the request is no preflight
 * @throws S3Error AccessForbidden for what is not allowed (docs/semantics.md 200)
 */
export function answerPreflight(exchange: Exchange, { headers }: Pick<IncomingMessage, 'headers'>): boolean {
  const crossOrigin = exchange.answerRules?.crossOrigin;
  const asked = crossOrigin && preflightOf(headers);
  if (!asked) return false;
  const allowed = crossOrigin.preflight(asked);
  if (!allowed) throw s3Error('AccessForbidden', { headers: [['vary', VARY]] });
  exchange.report = answeredPreflight;
  exchange.crossOrigin = allowed;
  sendWhole(exchange, 200, ['vary', VARY], Buffer.alloc(0), exchange, undefined);
  return true;
}

function preflightOf(headers: IncomingMessage['headers']): Preflight | undefined {
  const method = headers['access-control-request-method'];
  const { origin } = headers;
  if (origin === undefined || method === undefined) return undefined;
  return { origin, method, headers: headers['access-control-request-headers'] };
}
