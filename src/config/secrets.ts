import type { ProvidedCredentials } from '../backend/credentials/credential-source.ts';
import { LEAST_SECRET } from '../base/redaction.ts';
import type { GatewayConfig } from './gateway-config.ts';

/** The secrets of a configuration. A value of a header field that may be a word is none. */
export function secretsOf({
  admin,
  backends,
  buckets,
  clients,
  events,
  alerts,
  tracing,
}: GatewayConfig): string[] {
  const ofBackends = Object.values(backends).flatMap(backend =>
    backend.type === 's3' ? secretsFor(backend.credentials) : [],
  );
  const sent = Object.values(buckets).flatMap(({ rules }) =>
    rules.flatMap(({ requestHeaders }) => Object.values(requestHeaders?.set ?? {})),
  );
  return [
    admin.token,
    admin.eventsToken,
    ...ofBackends,
    ...(events.queue ? secretsFor(events.queue.credentials) : []),
    ...clients.flatMap(client => [client.secretAccessKey, client.previousSecretAccessKey]),
    ...alerts.webhooks.map(webhook => webhook.url),
    ...[...sent, ...Object.values(tracing?.headers ?? {})].filter(isNoWord),
  ].filter(secret => secret !== undefined);
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
