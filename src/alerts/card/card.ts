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

/** The JSON posted to a webhook. */
export type CardPayload = ConnectorCard | AdaptiveEnvelope | TextMessage;

/** The size limit for our cards, as JSON in UTF-8 (docs/cards.md §1, Size). */
export const MAX_CARD_BYTES = 14_000;

/** The action of a button, allowed once: the signer adds expiry and nonce. */
export type CardAction =
  | { readonly action: 'acknowledge' | 'silence' | 'unsilence'; readonly alertIds: readonly string[] }
  | { readonly action: 'purge'; readonly alertIds: readonly string[]; readonly object: ObjectSubject }
  | {
      readonly action: 'restore';
      readonly alertIds: readonly string[];
      /** The person chooses one of them; at least one. */
      readonly objects: readonly ObjectSubject[];
    };

/**
 * Creates a token that permits the action once; its characters must be safe in a URL-encoded form (`[A-Za-z0-9._~-]`).
 */
export type SignAction = (action: CardAction) => string;

/** The targets of a card's buttons. A button without a target is left out. */
export interface CardLinks {
  /** The gateway's name in titles, such as a host name, for channels that several gateways use. */
  readonly source: string;
  readonly statusPageUrl?: string;
  /** The page that tells what to do about a rule. */
  readonly runbookUrl?: (rule: string) => string;
  /** The page that tells what is cached of an object, and purges it. */
  readonly objectUrl?: (object: ObjectSubject) => string;
  readonly callbacks?: CallbackLinks;
}

export interface CallbackLinks {
  /** Receives all HttpPOST actions: a URL-encoded form with `token` and the inputs. */
  readonly url: string;
  readonly signAction: SignAction;
  /** Whether cards offer to restore objects. */
  readonly restore: boolean;
}
