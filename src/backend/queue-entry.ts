import { lengthPrefixed } from '../base/length-prefixed.ts';
import { GIVEN_UP, NO_ANSWER, StoreError, type StoreRequest } from './store.ts';

/** Why a call was refused or aborted. */
export type QueueVerdict =
  /** Too many calls are waiting. */
  | 'full'
  /** It has waited for the longest allowed time. */
  | 'waited'
  /** Others are waiting, and it has been silent for longer than this store's answers take. */
  | 'silent'
  /** Others are waiting, and its reader has stalled, or slow readers hold too many connections. */
  | 'paused'
  /** The circuit breaker of the store is open, see `Breaker`. */
  | 'open';

/** A call that is waiting or in progress. */
export interface QueueEntry {
  /** The object, or the target of a web origin, that it is for. */
  readonly object: string;
  /** The address of the client that has it sent; undefined for what is fetched for all, as blocks of the cache are. */
  readonly client: string | undefined;
  /** Whether its answer has to come in time and at a minimum rate, as that of a read. */
  readonly isTimed: boolean;
  readonly isAnswered: boolean;
  /** Since when it has been waiting for an answer, if it may be aborted for that; otherwise undefined. */
  readonly silentSinceMs: number | undefined;
  /** Since when its reader has paused it; undefined while it is not paused. */
  readonly pausedSinceMs: number | undefined;
  /** Until when a paused call keeps its connection while others wait; undefined while it is not paused. */
  readonly keptUntilMs: number | undefined;
  start(): void;
  /** This process stood still for `durationMs` and could not see what the reader took. */
  stoodStill(durationMs: number): void;
  /** Ends the call, which then leaves the queue. */
  endedBy(verdict: QueueVerdict): void;
}

/** Names the object that `request` is for; a web origin may have many hosts, each with targets of its own. */
export function objectOf({ bucket, key, target, fields }: StoreRequest): string {
  const host = target === undefined ? undefined : fields.find(({ name }) => name === 'host')?.value;
  return [bucket, key, host, target].map(lengthPrefixed).join('');
}

/** The error of a call that was refused or aborted. */
export function errorFor(verdict: QueueVerdict, isStoreSilent: boolean): StoreError {
  if (verdict === 'open')
    return new StoreError(
      'CIRCUIT_OPEN',
      'the store has failed too often: its circuit breaker is open',
      undefined,
    );
  // a paused call has received part of its answer and can be resumed by another one
  if (verdict === 'paused')
    return new StoreError('BROKEN', 'aborted in favour of waiting calls', undefined, GIVEN_UP);
  if (verdict === 'silent' && isStoreSilent)
    return new StoreError('BUSY', 'the store did not answer while others waited', undefined, NO_ANSWER);
  const reason = verdict === 'silent' ? GIVEN_UP : undefined;
  return new StoreError('BUSY', `too many calls to the store: ${verdict}`, undefined, reason);
}
