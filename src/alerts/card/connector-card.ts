/** A list of at most four: our own limit on buttons (cards.md; the service shows six). */
export type UpToFour<T> =
  | readonly []
  | readonly [T]
  | readonly [T, T]
  | readonly [T, T, T]
  | readonly [T, T, T, T];

/** card-webhook.md, Connector card. */
export interface ConnectorCard {
  readonly '@type': 'MessageCard';
  readonly '@context': 'https://schema.org/extensions';
  /** Hexadecimal, without `#`. */
  readonly themeColor: string;
  readonly summary: string;
  readonly title: string;
  /** At most ten; what is beyond would vanish without a word (cards.md, MessageCard). */
  readonly sections: readonly ConnectorSection[];
  readonly potentialAction: UpToFour<ConnectorAction>;
}

/** card-webhook.md, Section. */
export interface ConnectorSection {
  readonly activityTitle?: string;
  readonly activitySubtitle?: string;
  readonly activityImage?: string;
  readonly text?: string;
  readonly facts: readonly { readonly name: string; readonly value: string }[];
  readonly markdown: true;
}

export type ConnectorAction = OpenUri | HttpPost | ActionCard;

/** Opens a page; `default` is the only system we tell apart. */
export interface OpenUri {
  readonly '@type': 'OpenUri';
  readonly name: string;
  readonly targets: readonly [{ readonly os: 'default'; readonly uri: string }];
}

/** Posts `body` to `target`, with `{{id.value}}` replaced by what was entered. */
export interface HttpPost {
  readonly '@type': 'HttpPOST';
  readonly name: string;
  readonly target: string;
  readonly body: string;
  readonly bodyContentType: 'application/x-www-form-urlencoded';
}

/** Asks for input first. It holds no ActionCard, and no OpenUri, which would show no button there. */
export interface ActionCard {
  readonly '@type': 'ActionCard';
  readonly name: string;
  readonly inputs: readonly [ConnectorInput, ...ConnectorInput[]];
  readonly actions: readonly [HttpPost];
}

export type ConnectorInput = TextInput | DateInput | MultichoiceInput;

interface InputBase {
  /** Unique in the card. */
  readonly id: string;
  readonly title: string;
  readonly isRequired?: boolean;
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
  readonly style: 'normal' | 'expanded';
  /** One of the choices' values, chosen beforehand. */
  readonly value?: string;
  readonly choices: readonly [Choice, ...Choice[]];
}

export interface Choice {
  readonly display: string;
  readonly value: string;
}
