/** Part of the supervisor's composition root: what stays with the name of a backend across reloads. */
import type { ProvidedCredentials } from '../backend/credentials/credential-source.ts';
import { isOther, type Principal, principalOf, withKnown } from '../backend/credentials/principal.ts';
import type { BackendConfig, GatewayConfig } from '../config/gateway-config.ts';
import { providedSource } from './provided-source.ts';

/** See `BackendPlaces`. */
export interface BackendPlace {
  /** See `Store.identity`. */
  readonly identity: string;
  /** Its place among the states that all threads share. */
  readonly index: number;
  /** How often its address or its principal (account, role or user) has changed. */
  readonly changes: number;
}

/** Number of backends that have a state of their own; any further ones that reloads add share the last place. */
export const BACKEND_PLACES = 256;

/** What was last known of a backend. */
interface Known {
  readonly place: BackendPlace;
  readonly address: string;
  /** Undefined until credentials have been obtained. */
  readonly principal: Principal | undefined;
}

/**
 * Gives every backend a place in shared memory, and a new identity whenever its address or the principal of its
 * credentials changes, so that what was cached of one store, or for one account, is never served for another.
 */
export class BackendPlaces {
  #known: ReadonlyMap<string, Known> = new Map();

  /**
   * The places under a configuration; unchanged ones are the same objects. They take effect when `take` is called,
   * which a refused reload does not do.
   *
   * @param credentials what has been obtained, by `ProvidedSource.id`
   */
  prepare(
    backends: GatewayConfig['backends'],
    credentials: ReadonlyMap<string, ProvidedCredentials>,
  ): { readonly places: ReadonlyMap<string, BackendPlace>; readonly take: () => void } {
    const known = new Map(this.#known);
    for (const [name, backend] of Object.entries(backends)) {
      const source = providedSource(name, backend);
      const obtained = source && credentials.get(source.id);
      known.set(name, knownOf(name, addressOf(backend), obtained && principalOf(obtained), known));
    }
    const places = Array.from(known, ([name, { place }]) => [name, place] as const);
    return {
      places: new Map(places.filter(([name]) => Object.hasOwn(backends, name))),
      take: () => {
        this.#known = known;
      },
    };
  }
}

function knownOf(
  name: string,
  address: string,
  principal: Principal | undefined,
  known: ReadonlyMap<string, Known>,
): Known {
  const before = known.get(name);
  if (before?.address === address && !isAnother(before.principal, principal))
    return continued(before, principal);
  const changes = before ? before.place.changes + 1 : 0;
  const place = {
    changes,
    // names of backends contain no space
    identity: changes === 0 ? name : `${name} ${changes}`,
    index: before?.place.index ?? Math.min(known.size, BACKEND_PLACES - 1),
  };
  return { place, address, principal };
}

function isAnother(before: Principal | undefined, now: Principal | undefined): boolean {
  return before !== undefined && now !== undefined && isOther(before, now);
}

function continued(before: Known, principal: Principal | undefined): Known {
  if (principal === undefined) return before;
  const known = before.principal ? withKnown(before.principal, principal) : principal;
  return { ...before, principal: known };
}

/**
 * What decides which object a key is, and what is known of it: where the store is, and as whom the gateway asks. At some
 * stores the same name is another bucket for another account, and what one account may read another may not.
 */
function addressOf(backend: BackendConfig): string {
  if (backend.type === 'embedded') return JSON.stringify([backend.directory, backend.headerPrefix]);
  if (backend.type === 'http')
    return JSON.stringify([backend.endpoint, backend.host, backend.forwarded, backend.tls]);
  const { endpoint, region, addressing, headerPrefix, keys, credentials, tls } = backend;
  return JSON.stringify([endpoint, region, addressing, headerPrefix, keys, identityOf(credentials), tls]);
}

/** Without secrets: a new secret of the same key changes nothing. */
function identityOf(credentials: S3Credentials): unknown {
  if (credentials.kind === 'static') return credentials.accessKeyId;
  return credentials.kind === 'provided' ? credentials.source : credentials.kind;
}

type S3Credentials = Extract<BackendConfig, { type: 's3' }>['credentials'];
