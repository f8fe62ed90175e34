import { StoreError } from '../store.ts';
import type { ProvidedCredentials } from './credential-source.ts';

/** How often a worker reports that a store does not accept what it signs with. */
const REPORT_MS = 10_000;

/** The credentials of one backend in a worker, replaced while requests go on: each request is signed with the newest. */
export class HeldCredentials {
  readonly #onRefused: (accessKeyId: string) => void;
  #credentials: ProvidedCredentials | undefined;
  #reportedMs = -Infinity;

  /** @param onRefused told when the store refuses them, once in a while */
  constructor(credentials: ProvidedCredentials | undefined, onRefused: (accessKeyId: string) => void) {
    this.#credentials = credentials;
    this.#onRefused = onRefused;
  }

  replace(credentials: ProvidedCredentials): void {
    this.#credentials = credentials;
    this.#reportedMs = -Infinity;
  }

  /** @throws StoreError when there are none that are valid at `nowMs` */
  at(nowMs: number): ProvidedCredentials {
    const held = this.#credentials;
    if (held === undefined)
      throw new StoreError('UNSIGNED', 'no credentials have been obtained yet', undefined, 'NO_CREDENTIALS');
    if (held.expiresAtMs !== undefined && held.expiresAtMs <= nowMs)
      throw new StoreError('UNSIGNED', 'the credentials have expired', undefined, 'CREDENTIALS_EXPIRED');
    return held;
  }

  /** The store does not accept the credentials with this id. */
  refused(accessKeyId: string, nowMs: number): void {
    if (accessKeyId !== this.#credentials?.accessKeyId || nowMs - this.#reportedMs < REPORT_MS) return;
    this.#reportedMs = nowMs;
    this.#onRefused(accessKeyId);
  }
}
