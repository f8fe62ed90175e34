import { CONNECTOR_APP_ID, CONNECTOR_ISSUER } from '../alerts/callbacks/bearer-token.ts';
import { SMALLEST_SHARE } from '../alerts/delivery/windows.ts';
import { alertNames } from '../alerts/rules/rule-description.ts';
import { rulesSchema } from './rule-schema.ts';
import {
  amount,
  choice,
  duration,
  host,
  httpUrl,
  listOf,
  map,
  named,
  origin,
  port,
  text,
} from './scalars.ts';

const severity = () => choice(['info', 'warning', 'critical']);

const webhook = map({
  url: httpUrl('the URL of an incoming webhook'),
  service: choice(['connector', 'workflows']).default('connector'),
  card: choice(['connector', 'adaptive', 'text']).default('connector'),
  minSeverity: severity().default('warning'),
  rules: listOf(choice(alertNames), 'rule names').optional(),
  // below a quarter nothing would be left of four posts a second
  share: amount(SMALLEST_SHARE, 1).default(1),
});

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
  rules: rulesSchema().default({}),
  callbacks: callbacks.optional(),
});
