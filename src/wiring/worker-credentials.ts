/** Part of a worker's composition root: the credentials that the supervisor replaces while requests go on. */
import type { ProvidedCredentials } from '../backend/credentials/credential-source.ts';
import { HeldCredentials } from '../backend/credentials/held-credentials.ts';
import type { RefusedCredentials, ReplacedCredentials } from './thread-contracts.ts';

interface Held {
  /** See `Store.identity`. */
  readonly identity: string;
  readonly credentials: HeldCredentials;
}

/** How many identities of one backend may be in use or prepared at a time. */
const KEPT = 4;

export class WorkerCredentials {
  readonly #refused: (refusal: RefusedCredentials) => void;
  /** By backend, newest first. */
  readonly #held = new Map<string, readonly Held[]>();

  /** @param refused called when a store does not accept credentials */
  constructor(refused: (refusal: RefusedCredentials) => void) {
    this.#refused = refused;
  }

  /**
   * The credentials for a backend's identity; the same object for each call. When the backend's address or account
   * changes, its identity does too, and requests in progress keep the credentials that they began with.
   *
   * @param newest the newest credentials from the supervisor
   */
  of(backend: string, identity: string, newest: ProvidedCredentials | undefined): HeldCredentials {
    const known = this.#find(backend, identity);
    if (known) {
      if (newest) known.replace(newest);
      return known;
    }
    const credentials = new HeldCredentials(newest, accessKeyId => this.#refused({ backend, accessKeyId }));
    const before = this.#held.get(backend) ?? [];
    this.#held.set(backend, [{ identity, credentials }, ...before].slice(0, KEPT));
    return credentials;
  }

  replace({ backend, identity, credentials }: ReplacedCredentials): void {
    this.#find(backend, identity)?.replace(credentials);
  }

  #find(backend: string, identity: string): HeldCredentials | undefined {
    return this.#held.get(backend)?.find(held => held.identity === identity)?.credentials;
  }
}
