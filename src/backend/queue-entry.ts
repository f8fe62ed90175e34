/** Why a call is refused or given up. */
export type QueueVerdict =
  /** Too many wait already. */
  | 'full'
  /** It has waited for as long as any may. */
  | 'waited'
  /** Others wait, and it has brought no answer for longer than answers of this store take. */
  | 'silent'
  /** Others wait, and whoever asked takes nothing of its answer. */
  | 'paused';

/** A call that waits or is under way. */
export interface QueueEntry {
  /** What it is about: calls about one object wait in one line. */
  readonly object: string;
  readonly isAnswered: boolean;
  /** When it began to wait for an answer that may be given up; undefined when it does not. */
  readonly silentSinceMs: number | undefined;
  /** Since when nothing of its answer is taken; undefined when it is. */
  readonly pausedSinceMs: number | undefined;
  start(): void;
  /** It is not to go on, and leaves the queue. */
  endedBy(verdict: QueueVerdict): void;
}
