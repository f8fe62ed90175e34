import type { ObjectSubject } from '../alert.ts';
import type { AdaptiveEnvelope } from './adaptive-card.ts';
import type { ConnectorCard } from './connector-card.ts';
import type { Markdown } from './markdown.ts';

/** The payload forms of docs/cards.md. */
export type CardForm = 'connector' | 'adaptive' | 'text';

/** The plain text message of docs/cards.md. */
export interface TextMessage {
  readonly text: Markdown;
}

/** What is posted, as JSON, to a webhook. */
export type CardPayload = ConnectorCard | AdaptiveEnvelope | TextMessage;

/** No card of ours is larger, as JSON in UTF-8 (docs/cards.md §1, Size). */
export const MAX_CARD_BYTES = 14_000;

/** What a button of a card asks for, once: the signer adds expiry and nonce. */
export type CardAction =
  | { readonly action: 'acknowledge' | 'silence' | 'unsilence'; readonly alertIds: readonly string[] }
  | {
      readonly action: 'restore' | 'purge';
      readonly alertIds: readonly string[];
      readonly object: ObjectSubject;
    };

/** Gives the token that lets the holder do this once; it must be safe in a URL-encoded form (`[A-Za-z0-9._~-]`). */
export type SignAction = (action: CardAction) => string;

/** Where a card's buttons lead. A button whose link is missing is left out. */
export interface CardLinks {
  /** The gateway's name in titles, such as a host name, where several share a channel. */
  readonly source: string;
  readonly statusPageUrl?: string;
  /** The page that says what to do about a rule. */
  readonly runbookUrl?: (rule: string) => string;
  readonly callbacks?: CallbackLinks;
}

export interface CallbackLinks {
  /** Receives every HttpPOST action: a URL-encoded form with `token` and what was asked for. */
  readonly url: string;
  readonly signAction: SignAction;
  /** Whether a restore may be asked for from a card. */
  readonly restore: boolean;
}
