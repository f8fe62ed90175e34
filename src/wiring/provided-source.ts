/** Part of the composition roots: where the credentials of a backend come from while the gateway runs. */
import type { CredentialSource } from '../backend/credentials/credential-source.ts';
import type { BackendConfig } from '../config/gateway-config.ts';

export interface ProvidedSource {
  /** Names the backend and its source: with another source, credentials are others. */
  readonly id: string;
  readonly source: CredentialSource;
  /** The region to ask. */
  readonly region: string;
}

/** Undefined for a backend whose credentials have no source. */
export function providedSource(name: string, backend: BackendConfig): ProvidedSource | undefined {
  if (backend.type !== 's3' || backend.credentials.kind !== 'provided') return undefined;
  const { credentials, region } = backend;
  return { id: JSON.stringify([name, credentials.source, region]), source: credentials.source, region };
}
