import type { Alert, ObjectSubject } from '../alert.ts';
import type { CardAction } from '../card/card.ts';

/** The operations behind the buttons, implemented elsewhere. */
export interface CardOperations {
  /** The current state of the alert; undefined when it is no longer known. */
  find(alertId: string): Alert | undefined;
  acknowledge(alertId: string, by: string): { readonly kind: 'acknowledged' | 'already' | 'not-firing' };
  /** Silences this alert's condition until `untilMs`. */
  silence(alert: Alert, untilMs: number, by: string, why: string): void;
  /** Ends the silences that match it; returns their number. */
  unsilence(alert: Alert): number;
  /** Asks the store to restore an archived object; absent when not configured. */
  readonly restore?: (object: ObjectSubject, request: RestoreOptions) => Promise<OperationOutcome>;
  /** Purges an object from the cache. */
  readonly purge?: (object: ObjectSubject) => Promise<OperationOutcome>;
}

interface RestoreOptions {
  readonly days: number;
  readonly tier: RestoreTier;
}

export const restoreTiers = ['Standard', 'Bulk', 'Expedited'] as const;
export type RestoreTier = (typeof restoreTiers)[number];

/** The result, as a sentence for people. */
export type OperationOutcome =
  | { readonly kind: 'done'; readonly message: string }
  | { readonly kind: 'failed'; readonly message: string };

/** An action with its validated inputs. */
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
