/** The service behind a webhook: the specification's connector, or its successor. */
export type WebhookService = 'connector' | 'workflows';

/**
 * The result of one post: a response, or the code of a connection error (never its message, which may contain the host
 * name).
 */
export type PostOutcome =
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly body: string;
      readonly retryAfter?: string | undefined;
    }
  | { readonly kind: 'no-answer'; readonly code: string };

export type ReplyVerdict =
  | { readonly kind: 'delivered' }
  /** The service reported too many requests. */
  | { readonly kind: 'throttled'; readonly retryAfterMs?: number }
  /** Says nothing about this card: the same post may succeed later. */
  | { readonly kind: 'retry'; readonly reason: string }
  | { readonly kind: 'too-large' }
  /** The service rejects this very card. */
  | { readonly kind: 'refused'; readonly reason: string };

/** The verdicts after which the same card is posted again. */
export type RetryVerdict = Extract<ReplyVerdict, { kind: 'throttled' | 'retry' }>;

const bodyError = /HTTP error (\d{3})/i;
const bodyRefusals = ['Summary or Text is required', 'Bad payload received'];

/**
 * Interprets a reply. A connector reports success only with the body `1` and a success status (docs/cards.md,
 * Endpoints), and reports every failure, including throttling, as text that may come with 200 (Errors 1; docs/cards.md
 * §1, Replies). A workflow reports success with 202 and uses proper error statuses.
 *
 * Only 400 and 413 are about the card. Everything else (a redirect, a proxy's page, an unknown text, 401, 404, 410) is
 * about the channel or what stands before it, and may be mended: the card is worth another try then.
 */
export function judgeReply(service: WebhookService, outcome: PostOutcome): ReplyVerdict {
  if (outcome.kind === 'no-answer') return { kind: 'retry', reason: outcome.code };
  const { status, body } = outcome;
  if (isSuccess(service, status, body)) return { kind: 'delivered' };
  const named = errorNamedIn(body);
  // throttling named in the body counts, whatever the status
  if (named === 429) return { kind: 'throttled' };
  if (status < 200 || status > 299) return judgeStatus(status, `status ${status}`, outcome.retryAfter);
  if (named !== undefined) return judgeStatus(named, `error ${named} in the body`);
  const refusal = bodyRefusals.find(text => body.includes(text));
  if (refusal) return { kind: 'refused', reason: `"${refusal}" in the body` };
  if (body.includes('Error contacting'))
    return { kind: 'retry', reason: 'the service could not reach the channel' };
  return { kind: 'retry', reason: `an unknown answer with status ${status}` };
}

function isSuccess(service: WebhookService, status: number, body: string): boolean {
  if (service === 'workflows') return status === 202;
  return status >= 200 && status <= 299 && body === '1';
}

function errorNamedIn(body: string): number | undefined {
  const digits = bodyError.exec(body)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

function judgeStatus(status: number, reason: string, retryAfter?: string): ReplyVerdict {
  if (status === 429) {
    const seconds = /^\d{1,6}$/.test(retryAfter ?? '') ? Number(retryAfter) : undefined;
    return seconds === undefined
      ? { kind: 'throttled' }
      : { kind: 'throttled', retryAfterMs: seconds * 1_000 };
  }
  if (status === 413) return { kind: 'too-large' };
  return { kind: status === 400 ? 'refused' : 'retry', reason };
}
