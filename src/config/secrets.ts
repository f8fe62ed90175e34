import type { ProvidedCredentials } from '../backend/credentials/credential-source.ts';
import type { GatewayConfig } from './gateway-config.ts';

/** Shorter values of header fields and tokens may be words: taken out of all lines they would make them unreadable. */
export const LEAST_SECRET = 8;

/** The secrets that are removed from log lines wherever they are in one. */
export function removedSecretsOf(config: GatewayConfig): string[] {
  const { token, eventsToken } = config.admin;
  return secretsOf(config).filter(
    secret => secret.length >= LEAST_SECRET || (secret !== token && secret !== eventsToken),
  );
}

/** Every secret of a configuration. */
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
    ...[...sent, ...Object.values(tracing?.headers ?? {})].filter(value => value.length >= LEAST_SECRET),
  ].filter(secret => secret !== undefined);
}

/** Those that the configuration itself has. */
function secretsFor(credentials: NonNullable<GatewayConfig['events']['queue']>['credentials']): string[] {
  return credentials.kind === 'static' ? secretsIn(credentials) : [];
}

/** The secrets of credentials that were obtained from a source. */
export function secretsIn({ secretAccessKey, sessionToken }: ProvidedCredentials): string[] {
  return sessionToken === undefined ? [secretAccessKey] : [secretAccessKey, sessionToken];
}
