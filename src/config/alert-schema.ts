import { z } from 'zod';
import { CONNECTOR_APP_ID, CONNECTOR_ISSUER } from '../alerts/callbacks/bearer-token.ts';
import { SMALLEST_SHARE } from '../alerts/delivery/windows.ts';
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
  origin,
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
  // below a quarter nothing would be left of four posts a second
  share: amount(SMALLEST_SHARE, 1).default(1),
});

/** What may be set of any rule; a rule's own defaults stand where a key is absent. */
const ruleSettings = map({
  threshold: amount(0, Number.MAX_SAFE_INTEGER).optional(),
  for: duration(0, DAY_MS).optional(),
  window: duration(1_000, 7 * DAY_MS).optional(),
  minRequests: integer(0, 1_000_000_000).optional(),
  severity: severity().optional(),
}).transform(({ for: held, window, ...rest }) => ({ ...rest, forMs: held, windowMs: window }));

/** Whose bearer tokens the card callbacks accept (cards.md §2, Token); the defaults are the connector service's. */
const callbackToken = map({
  issuer: text('the issuer of the tokens').default(CONNECTOR_ISSUER),
  audience: text('the audience of the tokens; the address of the callbacks where absent').optional(),
  keys: httpUrl('the URL of the key set that signs the tokens'),
  appIds: listOf(text('an application that sends tokens'), 'applications').default([CONNECTOR_APP_ID]),
  subjects: named(/^\S{1,200}$/, 'directory identities', text('what people call whoever has this identity')),
  clockTolerance: duration(0, 600_000).prefault('5m'),
}).transform(({ clockTolerance, ...rest }) => ({ ...rest, clockToleranceMs: clockTolerance }));

const callbacks = map({
  host: host().default('127.0.0.1'),
  port: port(),
  url: origin(),
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
