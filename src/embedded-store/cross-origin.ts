import type { CorsRule } from './disk/buckets.ts';
import type { OperationAnswer } from './protocol/operation-answer.ts';
import { OperationError } from './protocol/operation-error.ts';
import type { OperationRequest } from './protocol/operation-request.ts';
import type { StoreParts } from './store.ts';

/** The CORS headers of a request: the origin, and the actual or announced method and headers. */
interface CrossOriginRequest {
  readonly origin: string;
  readonly method: string;
  readonly headers: readonly string[];
}

const VARY = 'Origin, Access-Control-Request-Headers, Access-Control-Request-Method';

/** Adds CORS headers when a rule of the bucket allows the origin, also to errors (docs/semantics.md 198, 199). */
export function withCrossOrigin(
  store: StoreParts,
  request: OperationRequest,
  answer: OperationAnswer,
): OperationAnswer {
  const origin = request.header('origin');
  if (origin === undefined || request.method === 'OPTIONS') return answer;
  const asked = { origin, method: request.method, headers: [] };
  const rule = rulesOf(store, request).find(candidate => allows(candidate, asked));
  return rule ? { ...answer, headers: { ...answer.headers, ...allowance(rule, asked) } } : answer;
}

/** Answers a CORS preflight. @throws BadRequest and AccessForbidden (docs/semantics.md 200) */
export function preflight(store: StoreParts, request: OperationRequest): OperationAnswer {
  const origin = request.header('origin');
  const method = request.header('access-control-request-method');
  if (origin === undefined) {
    throw new OperationError('BadRequest', {
      message: 'Insufficient information. Origin request header needed.',
    });
  }
  if (method === undefined) {
    throw new OperationError('BadRequest', { message: 'Invalid Access-Control-Request-Method: null' });
  }
  const headers = listOf(request.header('access-control-request-headers'));
  const asked = { origin, method, headers };
  const rules = rulesOf(store, request);
  const rule = rules.find(candidate => allows(candidate, asked));
  if (rule) return { status: 200, headers: allowance(rule, asked) };
  const message =
    rules.length === 0
      ? 'CORSResponse: CORS is not enabled for this bucket.'
      : "CORSResponse: This CORS request is not allowed. This is usually because the evalution of Origin, request method / Access-Control-Request-Method or Access-Control-Request-Headers are not whitelisted by the resource's CORS spec.";
  throw new OperationError('AccessForbidden', {
    message,
    fields: { Method: method, ResourceType: request.target.kind.toUpperCase() },
  });
}

function rulesOf(store: StoreParts, { target }: OperationRequest): readonly CorsRule[] {
  return target.kind === 'service' ? [] : (store.buckets.find(target.bucket)?.settings.cors ?? []);
}

function allows(rule: CorsRule, { origin, method, headers }: CrossOriginRequest): boolean {
  return (
    rule.allowedMethods.includes(method) &&
    rule.allowedOrigins.some(pattern => matches(pattern, origin)) &&
    headers.every(header => rule.allowedHeaders.some(pattern => matches(pattern.toLowerCase(), header)))
  );
}

function allowance(rule: CorsRule, { origin, headers }: CrossOriginRequest): Record<string, string> {
  const isForAll = rule.allowedOrigins.includes('*');
  const { exposeHeaders, maxAgeS } = rule;
  return {
    'access-control-allow-origin': isForAll ? '*' : origin,
    'access-control-allow-methods': rule.allowedMethods.join(', '),
    ...(headers.length > 0 && { 'access-control-allow-headers': headers.join(', ') }),
    ...(exposeHeaders.length > 0 && { 'access-control-expose-headers': exposeHeaders.join(', ') }),
    ...(maxAgeS !== undefined && { 'access-control-max-age': String(maxAgeS) }),
    ...(!isForAll && { 'access-control-allow-credentials': 'true' }),
    vary: VARY,
  };
}

function listOf(header: string | undefined): string[] {
  const names = header?.split(',').map(name => name.trim().toLowerCase()) ?? [];
  return names.filter(name => name !== '');
}

/** A pattern may contain one `*`. */
function matches(pattern: string, text: string): boolean {
  const [start = '', end] = pattern.split('*');
  if (end === undefined) return text === pattern;
  return text.length >= start.length + end.length && text.startsWith(start) && text.endsWith(end);
}
