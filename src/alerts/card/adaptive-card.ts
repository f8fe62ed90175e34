import type { Markdown, PlainText } from './markdown.ts';
import type { UpToFour } from './up-to-four.ts';

/** docs/cards.md, Adaptive card envelope. */
export interface AdaptiveEnvelope {
  readonly type: 'message';
  readonly attachments: readonly [AdaptiveAttachment];
}

interface AdaptiveAttachment {
  readonly contentType: 'application/vnd.microsoft.card.adaptive';
  readonly contentUrl: null;
  readonly content: AdaptiveCard;
}

export interface AdaptiveCard {
  readonly $schema: 'http://adaptivecards.io/schemas/adaptive-card.json';
  readonly type: 'AdaptiveCard';
  readonly version: '1.4';
  /** Shown by clients that cannot show the card. */
  readonly fallbackText: PlainText;
  readonly msteams: { readonly width: 'Full' };
  readonly body: readonly AdaptiveElement[];
  readonly actions: UpToFour<AdaptiveAction>;
}

export type AdaptiveElement = TextBlock | FactSet | Image | ColumnSet | Container;

interface ElementBase {
  readonly id?: string;
  readonly isVisible?: boolean;
  readonly separator?: boolean;
  readonly spacing?: 'none' | 'small' | 'default' | 'medium' | 'large';
}

export interface TextBlock extends ElementBase {
  readonly type: 'TextBlock';
  readonly text: Markdown;
  readonly wrap: boolean;
  readonly size?: 'small' | 'default' | 'medium' | 'large';
  readonly weight?: 'lighter' | 'default' | 'bolder';
  readonly isSubtle?: boolean;
}

export interface FactSet extends ElementBase {
  readonly type: 'FactSet';
  readonly facts: readonly [AdaptiveFact, ...AdaptiveFact[]];
}

interface AdaptiveFact {
  readonly title: Markdown;
  readonly value: Markdown;
}

export interface Image extends ElementBase {
  readonly type: 'Image';
  readonly url: string;
  readonly altText: string;
  readonly width: string;
}

export interface ColumnSet extends ElementBase {
  readonly type: 'ColumnSet';
  readonly columns: readonly Column[];
}

export interface Column {
  readonly type: 'Column';
  readonly width: 'auto' | 'stretch';
  readonly verticalContentAlignment?: 'top' | 'center' | 'bottom';
  readonly items: readonly AdaptiveElement[];
}

export interface Container extends ElementBase {
  readonly type: 'Container';
  readonly style?: 'default' | 'emphasis' | 'good' | 'attention' | 'warning' | 'accent';
  readonly bleed?: boolean;
  readonly items: readonly [AdaptiveElement, ...AdaptiveElement[]];
}

/** The actions that the service supports (docs/cards.md), which do not include `Action.Submit`. */
export type AdaptiveAction = OpenUrl | ShowCard | ToggleVisibility;

export interface OpenUrl {
  readonly type: 'Action.OpenUrl';
  readonly title: string;
  readonly url: string;
}

/** Expands a card within the card; the inner card has no buttons. */
export interface ShowCard {
  readonly type: 'Action.ShowCard';
  readonly title: string;
  readonly card: {
    readonly type: 'AdaptiveCard';
    readonly body: readonly [AdaptiveElement, ...AdaptiveElement[]];
  };
}

export interface ToggleVisibility {
  readonly type: 'Action.ToggleVisibility';
  readonly title: string;
  /** Ids of elements of the same card. */
  readonly targetElements: readonly [string, ...string[]];
}
