/** Part of the supervisor's composition root: what stays with the name of a backend across reloads. */
import type { BackendConfig, GatewayConfig } from '../config/gateway-config.ts';

/** See `BackendPlaces`. */
export interface BackendPlace {
  /** See `Store.identity`. */
  readonly identity: string;
  /** Its place among the states that all threads share. */
  readonly index: number;
  /** How often its name has led to another address than before. */
  readonly changes: number;
}

/** Backends with a state of their own; further names of the same process, added by reloads, share the last. */
export const BACKEND_PLACES = 256;

interface Known extends BackendPlace {
  readonly address: string;
}

/**
 * Gives every backend a place, and another identity each time its name leads to another address: what is cached of one
 * store is never taken for that of another.
 */
export class BackendPlaces {
  #known: ReadonlyMap<string, Known> = new Map();

  /** The places with a configuration; they are remembered when `take` is called, which may not be. */
  placesOf(backends: GatewayConfig['backends']): {
    readonly places: ReadonlyMap<string, BackendPlace>;
    readonly take: () => void;
  } {
    const known = new Map(this.#known);
    for (const [name, backend] of Object.entries(backends))
      known.set(name, placeOf(name, addressOf(backend), known));
    return {
      places: new Map(Array.from(known).filter(([name]) => Object.hasOwn(backends, name))),
      take: () => {
        this.#known = known;
      },
    };
  }
}

function placeOf(name: string, address: string, known: ReadonlyMap<string, Known>): Known {
  const before = known.get(name);
  if (before?.address === address) return before;
  const changes = before ? before.changes + 1 : 0;
  return {
    address,
    changes,
    // names of backends contain no space
    identity: changes === 0 ? name : `${name} ${changes}`,
    index: before?.index ?? Math.min(known.size, BACKEND_PLACES - 1),
  };
}

/**
 * What decides which object a key is, and what is known of it: where the store is, and as whom the gateway asks. At some
 * stores the same name is another bucket for another account, and what one account may read another may not.
 */
function addressOf(backend: BackendConfig): string {
  if (backend.type === 'embedded') return JSON.stringify([backend.directory, backend.headerPrefix]);
  const { endpoint, region, addressing, headerPrefix, keys, credentials, tls } = backend;
  return JSON.stringify([endpoint, region, addressing, headerPrefix, keys, identityOf(credentials), tls]);
}

/** Without secrets: a new secret of the same key changes nothing. */
function identityOf(credentials: S3Credentials): unknown {
  if (credentials.kind === 'static') return credentials.accessKeyId;
  return credentials.kind === 'provided' ? credentials.source : credentials.kind;
}

type S3Credentials = Extract<BackendConfig, { type: 's3' }>['credentials'];
