import type { Alert, ObjectSubject } from '../alert.ts';
import type { CardAction } from '../card/card.ts';

/** What the buttons of cards do, done elsewhere. */
export interface CardOperations {
  /** The alert as it is now; undefined when it is not known any more. */
  find(alertId: string): Alert | undefined;
  acknowledge(alertId: string, by: string): { readonly kind: 'acknowledged' | 'already' | 'not-firing' };
  /** Keeps quiet about this alert's condition until `untilMs`. */
  silence(alert: Alert, untilMs: number, by: string, why: string): void;
  /** Ends the silences about it; how many there were. */
  unsilence(alert: Alert): number;
  /** Asks the store for a readable copy of an archived object; absent where that is not configured. */
  readonly restore?: (object: ObjectSubject, request: RestoreOptions) => Promise<OperationOutcome>;
  /** Forgets what the cache holds of an object. */
  readonly purge?: (object: ObjectSubject) => Promise<OperationOutcome>;
}

export interface RestoreOptions {
  readonly days: number;
  readonly tier: RestoreTier;
}

export const restoreTiers = ['Standard', 'Bulk', 'Expedited'] as const;
export type RestoreTier = (typeof restoreTiers)[number];

/** What came of it, in a sentence for people. */
export type OperationOutcome =
  | { readonly kind: 'done'; readonly message: string }
  | { readonly kind: 'failed'; readonly message: string };

/** An action with everything that was entered for it, checked. */
export type CardCommand =
  | { readonly action: 'acknowledge' | 'unsilence'; readonly alertIds: readonly string[] }
  | {
      readonly action: 'silence';
      readonly alertIds: readonly string[];
      readonly untilMs: number;
      readonly why: string;
    }
  | {
      readonly action: 'restore';
      readonly alertIds: readonly string[];
      readonly object: ObjectSubject;
      readonly request: RestoreOptions;
    }
  | { readonly action: 'purge'; readonly alertIds: readonly string[]; readonly object: ObjectSubject };

export type ActionName = CardAction['action'];
