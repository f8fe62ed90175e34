import { CONNECTOR_APP_ID, CONNECTOR_ISSUER } from '../alerts/callbacks/bearer-token.ts';
import { SMALLEST_SHARE } from '../alerts/delivery/windows.ts';
import { alertNames } from '../alerts/rules/rule-description.ts';
import { alertRulesSchema, severity } from './alert-rule-schema.ts';
import {
  amount,
  choice,
  duration,
  flag,
  host,
  httpUrl,
  listOf,
  map,
  named,
  origin,
  port,
  text,
} from './scalars.ts';

const webhook = map({
  url: httpUrl('the URL of an incoming webhook'),
  service: choice(['connector', 'workflows']).default('connector'),
  card: choice(['connector', 'adaptive', 'text'])
    .optional()
    .meta({ otherwise: '`adaptive` with `service: workflows`, else `connector`' }),
  minSeverity: severity().default('warning'),
  rules: listOf(choice(alertNames), 'rule names').optional().meta({ otherwise: 'all' }),
  // with a smaller share, less than one of the four posts per second would be left
  share: amount(SMALLEST_SHARE, 1).default(1),
})
  .check(({ value, issues }) => {
    if (value.service !== 'workflows' || !value.card || value.card === 'adaptive') return;
    const message = 'adaptive, since a workflow shows no other card';
    issues.push({ code: 'custom', path: ['card'], message, input: value.card });
  })
  .transform(({ card, ...rest }) => ({
    ...rest,
    card: card ?? (rest.service === 'workflows' ? ('adaptive' as const) : ('connector' as const)),
  }));

const webhooks = listOf(webhook, 'webhooks').check(({ value, issues }) => {
  for (const [index, { url }] of value.entries()) {
    if (!value.slice(0, index).some(earlier => earlier.url === url)) continue;
    const message = 'a URL that no webhook before it has, since the two would share one budget';
    issues.push({ code: 'custom', path: [index, 'url'], message, input: url });
  }
});

/**
 * The tokens that the card callbacks accept (docs/cards.md §2, Token); the defaults are those of the connector
 * service.
 */
const callbackToken = map({
  issuer: text('the issuer of the tokens').default(CONNECTOR_ISSUER),
  audience: text('the audience of the tokens').optional().meta({ otherwise: 'the address of the callbacks' }),
  keys: httpUrl('the URL of the key set that signs the tokens'),
  appIds: listOf(text('an application that sends tokens'), 'applications').default([CONNECTOR_APP_ID]),
  subjects: named(
    /^\S{1,200}$/,
    'an identity of the directory',
    text('what people call whoever has this identity'),
  ),
  clockTolerance: duration(0, 600_000).prefault('5m'),
}).transform(({ clockTolerance, ...rest }) => ({ ...rest, clockToleranceMs: clockTolerance }));

const callbacks = map({
  host: host().default('127.0.0.1'),
  port: port(),
  url: origin('https://gateway.example.test'),
  token: callbackToken,
  restore: flag().default(false),
});

export const alertSchema = map({
  source: text('the name of this gateway in the titles of cards')
    .optional()
    .meta({ otherwise: 'the name of the machine' }),
  statusPage: httpUrl('the address of the status page, as those who read the cards reach it')
    .optional()
    .meta({ otherwise: 'that of the admin port' }),
  runbook: httpUrl('the address of a page on what to do, with {rule} in place of the rule')
    .optional()
    .meta({ otherwise: 'that of the admin port' }),
  webhooks: webhooks.default([]),
  rules: alertRulesSchema,
  callbacks: callbacks.optional(),
});
