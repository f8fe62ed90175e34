import { shownName } from './secret-texts.ts';

/** What names a backend. */
interface NamingConfig {
  readonly backends: Readonly<Record<string, unknown>>;
  readonly buckets: Readonly<Record<string, { readonly backend: string }>>;
  readonly events: { readonly queue?: { readonly backend?: string | undefined } | undefined };
}

/** Where the configuration names a backend that it does not have. */
export function* unknownBackends({ backends, buckets, events }: NamingConfig) {
  const known = Object.keys(backends);
  const allowed =
    known.length > 0 ? known.map(shownName).join(', ') : 'the name of a backend, of which there is none';
  for (const [name, { backend }] of Object.entries(buckets))
    if (!known.includes(backend)) yield { path: ['buckets', name, 'backend'], held: backend, allowed };
  const held = events.queue?.backend;
  if (held !== undefined && !known.includes(held))
    yield { path: ['events', 'queue', 'backend'], held, allowed };
}
