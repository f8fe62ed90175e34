/** Part of a worker's composition root: the credentials that the supervisor replaces while requests go on. */
import type { ProvidedCredentials } from '../backend/credentials/credential-source.ts';
import { HeldCredentials } from '../backend/credentials/held-credentials.ts';
import type { HandedCredentials, RefusedCredentials } from './thread-contracts.ts';

export class WorkerCredentials {
  readonly #given: ReadonlyMap<string, ProvidedCredentials>;
  readonly #refused: (refusal: RefusedCredentials) => void;
  readonly #held = new Map<string, HeldCredentials>();

  /**
   * @param given what the supervisor had when the worker was started, by `ProvidedSource.id`
   * @param refused told when a store does not accept what is signed with
   */
  constructor(
    given: ReadonlyMap<string, ProvidedCredentials>,
    refused: (refusal: RefusedCredentials) => void,
  ) {
    this.#given = given;
    this.#refused = refused;
  }

  /**
   * The same object for each call with the same source. A backend with another source has another: requests that began
   * before a reload are not signed with credentials for another store.
   */
  of(backend: string, sourceId: string): HeldCredentials {
    const known = this.#held.get(sourceId);
    if (known) return known;
    const held = new HeldCredentials(this.#given.get(sourceId), accessKeyId =>
      this.#refused({ backend, accessKeyId }),
    );
    this.#held.set(sourceId, held);
    return held;
  }

  replace({ backend, sourceId, credentials }: HandedCredentials): void {
    this.of(backend, sourceId).replace(credentials);
  }
}
