import { LEAST_SECRET } from '../base/redaction.ts';
import type { ConfigWarning } from './config-warning.ts';
import type { GatewayConfig } from './gateway-config.ts';

type Path = readonly PropertyKey[];

/** Warns of secrets that are easily guessed, and that the log does not leave out where they stand in a text. */
export function* secretWarnings({
  admin,
  backends,
  clients,
  events,
}: Pick<GatewayConfig, 'admin' | 'backends' | 'clients' | 'events'>): Generator<ConfigWarning> {
  for (const key of ['token', 'eventsToken'] as const)
    yield* shortSecret(['admin', key], 'a token', admin[key]);
  for (const [index, client] of clients.entries()) {
    for (const key of ['secretAccessKey', 'previousSecretAccessKey'] as const)
      yield* shortSecret(['clients', index, key], 'a secret', client[key]);
  }
  for (const [name, backend] of Object.entries(backends))
    if (backend.type === 's3') yield* ofCredentials(['backends', name, 'credentials'], backend.credentials);
  if (events.queue) yield* ofCredentials(['events', 'queue', 'credentials'], events.queue.credentials);
}

/** They may come from the environment, where none of their keys is in the file. */
function* ofCredentials(
  path: Path,
  credentials: NonNullable<GatewayConfig['events']['queue']>['credentials'],
): Generator<ConfigWarning> {
  if (credentials.kind !== 'static') return;
  for (const key of ['secretAccessKey', 'sessionToken'] as const)
    yield* shortSecret(path, `a ${key}`, credentials[key]);
}

function* shortSecret(path: Path, what: string, secret: string | undefined): Generator<ConfigWarning> {
  if (secret === undefined || secret.length >= LEAST_SECRET) return;
  const consequence = `${what} of fewer than ${LEAST_SECRET} characters is soon guessed, and stays in texts of the log, since it may be a word`;
  yield { path, consequence };
}
