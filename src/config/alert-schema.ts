import { z } from 'zod';
import {
  amount,
  choice,
  duration,
  host,
  httpUrl,
  integer,
  listOf,
  map,
  named,
  port,
  text,
} from './scalars.ts';

const DAY_MS = 86_400_000;

const severity = () => choice(['info', 'warning', 'critical']);
const ruleName = /^[a-z][A-Za-z]{1,40}$/;

const webhook = map({
  url: httpUrl('the URL of an incoming webhook'),
  service: choice(['connector', 'workflows']).default('connector'),
  card: choice(['connector', 'adaptive', 'text']).default('connector'),
  minSeverity: severity().default('warning'),
  rules: listOf(text('the name of a rule'), 'rule names').optional(),
  share: amount(0.01, 1).default(1),
});

/** What may be set of any rule; a rule's own defaults stand where a key is absent. */
const ruleSettings = map({
  threshold: amount(0, Number.MAX_SAFE_INTEGER).optional(),
  for: duration(0, DAY_MS).optional(),
  window: duration(1_000, 7 * DAY_MS).optional(),
  minRequests: integer(0, 1_000_000_000).optional(),
  severity: severity().optional(),
}).transform(({ for: held, window, ...rest }) => ({ ...rest, forMs: held, windowMs: window }));

/** Whose bearer tokens the card callbacks accept (card-webhook.md, bearer token of HttpPOST actions). */
const callbackToken = map({
  issuer: text('the issuer of the tokens'),
  audience: text('the audience of the tokens: the base URL of the callbacks'),
  keys: httpUrl('the URL of the key set that signs the tokens'),
  appId: text('the application that sends the tokens'),
  subjects: listOf(text('a directory identity'), 'directory identities'),
});

const callbacks = map({
  host: host().default('127.0.0.1'),
  port: port(),
  url: httpUrl('the address under which the service reaches the callbacks'),
  token: callbackToken,
});

export const alertSchema = map({
  webhooks: listOf(webhook, 'webhooks').default([]),
  rules: named(
    ruleName,
    'rule names such as backendErrors',
    z.union([z.literal(false), ruleSettings], {
      error: 'false, or thresholds such as { threshold: 0.05, for: 1m }',
    }),
  ).default({}),
  callbacks: callbacks.optional(),
});
