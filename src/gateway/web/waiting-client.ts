import type { StoreCall, StoreReplyHead } from '../../backend/store.ts';
import type { CachePolicy } from '../request/cache-policy.ts';
import type { WebTarget } from './web-target.ts';

/** The read that an answer is for. */
export interface AnsweredRead {
  readonly policy: CachePolicy;
  readonly target: WebTarget;
}

/** A client that waits for a web origin, and gets what that answers as it comes, or an answer from the cache instead. */
export interface WaitingClient {
  /** Whether the client still waits to be answered. */
  readonly isWaiting: boolean;
  /** The client is answered by somebody else; false when it has left. */
  release(): boolean;
  /** An answer before the final one. */
  inform(status: number, rawHeaders: readonly string[]): void;
  begin(head: StoreReplyHead, read: AnsweredRead): void;
  /** The call goes no faster than the client from now on. */
  follow(call: StoreCall): void;
  /** @param chunk stays as it is */
  write(chunk: Buffer): void;
  /** @param rawTrailers see `StoreReceiver.ended` */
  end(rawTrailers?: readonly string[]): void;
  fail(error: unknown): void;
}
