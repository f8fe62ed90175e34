import { expect, it } from 'vitest';
import { judgeReply, type PostOutcome, type WebhookService } from '../../../../src/alerts/delivery/reply.ts';

const answer = (status: number, body: string, retryAfter?: string): PostOutcome => ({
  kind: 'answer',
  status,
  body,
  retryAfter,
});
const throttling =
  'Webhook message delivery failed with error: Microsoft Teams endpoint returned HTTP error 429 with ContextId tcid=0,server=X,cv=Y';
const named = (code: number) => throttling.replace('429', String(code));

const table: readonly [string, WebhookService, PostOutcome, string][] = [
  ['200 with the body 1', 'connector', answer(200, '1'), 'delivered'],
  ['201 with the body 1', 'connector', answer(201, '1'), 'delivered'],
  ['200 with an empty body', 'connector', answer(200, ''), 'retry'],
  ['200 with the body 1 and a line break', 'connector', answer(200, '1\n'), 'retry'],
  ['200 with the body 11', 'connector', answer(200, '11'), 'retry'],
  ['202 from a connector', 'connector', answer(202, ''), 'retry'],
  ['400 with the body 1', 'connector', answer(400, '1'), 'refused'],
  ['throttling text under 200', 'connector', answer(200, throttling), 'throttled'],
  ['throttling text under 400', 'connector', answer(400, throttling), 'throttled'],
  ['a true 429', 'workflows', answer(429, '', '17'), 'throttled'],
  ['412 in the body', 'connector', answer(200, named(412)), 'retry'],
  ['500 in the body', 'connector', answer(200, named(500)), 'retry'],
  ['413 in the body', 'connector', answer(200, named(413)), 'too-large'],
  ['400 in the body', 'connector', answer(200, named(400)), 'refused'],
  ['404 in the body', 'connector', answer(200, named(404)), 'retry'],
  ['410 in the body', 'connector', answer(200, named(410)), 'retry'],
  ['no summary, told under 400', 'connector', answer(400, 'Summary or Text is required.'), 'refused'],
  ['no summary, told under 200', 'connector', answer(200, 'Summary or Text is required.'), 'refused'],
  [
    'a malformed card',
    'connector',
    answer(200, 'Bad payload received by generic incoming webhook.'),
    'refused',
  ],
  [
    'the channel cannot be reached',
    'connector',
    answer(200, 'Error contacting Microsoft Teams endpoint'),
    'retry',
  ],
  ['400', 'connector', answer(400, 'Bad payload'), 'refused'],
  ['401', 'workflows', answer(401, ''), 'retry'],
  ['403', 'workflows', answer(403, ''), 'retry'],
  ['404', 'connector', answer(404, ''), 'retry'],
  ['410', 'connector', answer(410, ''), 'retry'],
  ['a redirect', 'connector', answer(302, ''), 'retry'],
  ['a redirect', 'workflows', answer(307, ''), 'retry'],
  ['a maintenance page', 'connector', answer(200, '<html>We are down for maintenance</html>'), 'retry'],
  ['another body', 'connector', answer(200, 'ok'), 'retry'],
  ['408', 'connector', answer(408, ''), 'retry'],
  ['412', 'connector', answer(412, ''), 'retry'],
  ['413', 'connector', answer(413, ''), 'too-large'],
  ['500', 'connector', answer(500, 'x'), 'retry'],
  ['503', 'workflows', answer(503, 'x'), 'retry'],
  ['202 from a workflow', 'workflows', answer(202, ''), 'delivered'],
  ['200 with the body 1 from a workflow', 'workflows', answer(200, '1'), 'retry'],
  ['a refused connection', 'connector', { kind: 'no-answer', code: 'ECONNREFUSED' }, 'retry'],
];

it.each(table)('%s from %s is judged (docs/cards.md §1, Replies)', (_, service, outcome, kind) => {
  expect(judgeReply(service, outcome).kind).toBe(kind);
});

it('takes the seconds of Retry-After, and ignores what is not a number of seconds', () => {
  expect(judgeReply('workflows', answer(429, '', '17'))).toEqual({ kind: 'throttled', retryAfterMs: 17_000 });
  expect(judgeReply('workflows', answer(429, '', 'Wed, 21 Oct 2026 07:28:00 GMT'))).toEqual({
    kind: 'throttled',
  });
});

it('gives reasons that hold nothing of what the service wrote', () => {
  for (const [, service, outcome] of table) {
    expect(JSON.stringify(judgeReply(service, outcome))).not.toMatch(/tcid|server=/);
  }
});
