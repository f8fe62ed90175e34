import type { ProvidedCredentials } from '../backend/credentials/credential-source.ts';
import type { GatewayConfig } from './gateway-config.ts';

/** Shorter values of header fields and tokens may be words: taken out of all lines they would make them unreadable. */
export const LEAST_SECRET = 8;

interface Secret {
  readonly value: string;
  /** Whether it is removed from log lines wherever it is in one. */
  readonly isRemoved: boolean;
}

/** The secrets that are removed from log lines wherever they are in one: all but tokens that may be words. */
export function removedSecretsOf(config: GatewayConfig): string[] {
  return listed(config).flatMap(({ value, isRemoved }) => (isRemoved ? [value] : []));
}

/** The secrets of a configuration. A value of a header field that may be a word is none. */
export function secretsOf(config: GatewayConfig): string[] {
  return listed(config).map(({ value }) => value);
}

function listed({ admin, backends, buckets, clients, events, alerts, tracing }: GatewayConfig): Secret[] {
  const ofBackends = Object.values(backends).flatMap(backend =>
    backend.type === 's3' ? secretsFor(backend.credentials) : [],
  );
  const sent = Object.values(buckets).flatMap(({ rules }) =>
    rules.flatMap(({ requestHeaders }) => Object.values(requestHeaders?.set ?? {})),
  );
  const tokens = [admin.token, admin.eventsToken].filter(token => token !== undefined);
  const removed = [
    ...ofBackends,
    ...(events.queue ? secretsFor(events.queue.credentials) : []),
    ...clients.flatMap(client => [client.secretAccessKey, client.previousSecretAccessKey]),
    ...alerts.webhooks.map(webhook => webhook.url),
    ...[...sent, ...Object.values(tracing?.headers ?? {})].filter(isNoWord),
  ].filter(secret => secret !== undefined);
  return [
    ...tokens.map(value => ({ value, isRemoved: isNoWord(value) })),
    ...removed.map(value => ({ value, isRemoved: true })),
  ];
}

function isNoWord(value: string): boolean {
  return value.length >= LEAST_SECRET;
}

/** Those that the configuration itself has. */
function secretsFor(credentials: NonNullable<GatewayConfig['events']['queue']>['credentials']): string[] {
  return credentials.kind === 'static' ? secretsIn(credentials) : [];
}

/** The secrets of credentials that were obtained from a source. */
export function secretsIn({ secretAccessKey, sessionToken }: ProvidedCredentials): string[] {
  return sessionToken === undefined ? [secretAccessKey] : [secretAccessKey, sessionToken];
}
