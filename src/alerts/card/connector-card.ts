import type { Markdown, PlainText } from './markdown.ts';
import type { UpToFour } from './up-to-four.ts';

/** docs/cards.md, Connector card. */
export interface ConnectorCard {
  readonly '@type': 'MessageCard';
  readonly '@context': 'https://schema.org/extensions';
  /** Hexadecimal, without `#`. */
  readonly themeColor: string;
  readonly summary: PlainText;
  readonly title: Markdown;
  /** At most ten; the service silently drops further ones (docs/cards.md §1, MessageCard). */
  readonly sections: readonly ConnectorSection[];
  readonly potentialAction: UpToFour<ConnectorAction>;
}

/** docs/cards.md, Section. */
export interface ConnectorSection {
  readonly activityTitle?: Markdown;
  readonly activitySubtitle?: Markdown;
  readonly activityImage?: string;
  readonly text?: Markdown;
  readonly facts: readonly { readonly name: Markdown; readonly value: Markdown }[];
  readonly markdown: true;
}

export type ConnectorAction = OpenUri | HttpPost | ActionCard;

/** Opens a page; only the system `default` is used. */
export interface OpenUri {
  readonly '@type': 'OpenUri';
  readonly name: string;
  readonly targets: readonly [{ readonly os: 'default'; readonly uri: string }];
}

/** Posts `body` to `target`, with `{{id.value}}` replaced by the input. */
export interface HttpPost {
  readonly '@type': 'HttpPOST';
  readonly name: string;
  readonly target: string;
  readonly body: string;
  readonly bodyContentType: 'application/x-www-form-urlencoded';
}

/** Asks for input first. It contains no ActionCard, and no OpenUri, for which no button would be shown. */
export interface ActionCard {
  readonly '@type': 'ActionCard';
  readonly name: string;
  readonly inputs: readonly [ConnectorInput, ...ConnectorInput[]];
  readonly actions: readonly [HttpPost];
}

export type ConnectorInput = TextInput | DateInput | MultichoiceInput;

interface InputBase {
  /** Unique within the card. */
  readonly id: string;
  readonly title: string;
}

export interface TextInput extends InputBase {
  readonly '@type': 'TextInput';
  readonly isMultiline: boolean;
  readonly maxLength: number;
}

export interface DateInput extends InputBase {
  readonly '@type': 'DateInput';
  readonly includeTime: boolean;
}

export interface MultichoiceInput extends InputBase {
  readonly '@type': 'MultichoiceInput';
  readonly isMultiSelect: boolean;
  readonly style: 'compact' | 'expanded';
  /** The value of a preselected choice. */
  readonly value?: string;
  readonly choices: readonly [Choice, ...Choice[]];
}

export interface Choice {
  readonly display: string;
  readonly value: string;
}
