import type { ReceivedAction, ReceivedCard, ReceivedInput, ReceivedSection } from './payload.ts';

/** An element or action of an adaptive card. */
export type MappedElement = Readonly<Record<string, unknown>>;

/** The data of a button in a converted card: the path to its action in the connector card, such as `[1, 0]`. */
interface ButtonData {
  readonly action: readonly number[];
}

/** docs/cards.md, Limits: six visible buttons; docs/cards.md §1: ten sections, five images; more are not shown. */
const MAX_BUTTONS = 6;
const MAX_SECTIONS = 10;

/**
 * Converts a connector card to an adaptive card of version 1.5 that shows the same. HttpPOST actions become
 * `Action.Submit` with `ButtonData`, which the page handles; posted adaptive cards may not contain such actions.
 */
export function connectorToAdaptive(card: ReceivedCard): MappedElement {
  const actions = (card.potentialAction ?? [])
    .slice(0, MAX_BUTTONS)
    .map((action, index) => button(action, [index]));
  const body = [
    ...(card.title ? [textBlock(card.title, { size: 'large', weight: 'bolder', style: 'heading' })] : []),
    ...(card.text ? [textBlock(card.text)] : []),
    ...(card.sections ?? []).slice(0, MAX_SECTIONS).map(sectionContainer),
  ];
  return {
    type: 'AdaptiveCard',
    version: '1.5',
    body: body.length > 0 ? body : [textBlock(card.summary ?? '')],
    actions,
  };
}

function sectionContainer(section: ReceivedSection): MappedElement {
  const written = section.markdown === false ? literal : (text: string) => text;
  const items = [
    ...(section.title ? [textBlock(written(section.title), { weight: 'bolder' })] : []),
    ...activity(section, written),
    ...(section.text ? [textBlock(written(section.text))] : []),
    ...(section.facts?.length
      ? [
          {
            type: 'FactSet',
            facts: section.facts.map(({ name, value }) => ({ title: written(name), value: written(value) })),
          },
        ]
      : []),
  ];
  return { type: 'Container', spacing: 'medium', separator: true, items };
}

/** The picture next to title, subtitle and text. */
function activity(section: ReceivedSection, written: (text: string) => string): readonly MappedElement[] {
  const { activityTitle, activitySubtitle, activityText, activityImage } = section;
  const lines = [
    ...(activityTitle ? [textBlock(written(activityTitle), { weight: 'bolder' })] : []),
    ...(activitySubtitle ? [textBlock(written(activitySubtitle), { isSubtle: true, spacing: 'none' })] : []),
    ...(activityText ? [textBlock(written(activityText))] : []),
  ];
  if (!activityImage) return lines;
  const image = { type: 'Image', url: activityImage, altText: '', width: '40px' };
  return [
    {
      type: 'ColumnSet',
      columns: [
        { type: 'Column', width: 'auto', items: [image] },
        { type: 'Column', width: 'stretch', verticalContentAlignment: 'center', items: lines },
      ],
    },
  ];
}

function button(action: ReceivedAction, way: readonly number[]): MappedElement {
  switch (action['@type']) {
    case 'OpenUri': {
      const target = action.targets.find(({ os }) => os === 'default') ?? action.targets[0];
      // the page takes the target of its reader's system
      const { targets } = action;
      return {
        type: 'Action.OpenUrl',
        title: action.name,
        url: target?.uri,
        ...(targets.length > 1 ? { targets } : {}),
      };
    }
    case 'HttpPOST': {
      const data: ButtonData = { action: way };
      // the button that submits a form is highlighted
      return {
        type: 'Action.Submit',
        title: action.name,
        data,
        ...(way.length > 1 ? { style: 'positive' } : {}),
      };
    }
    case 'ActionCard': {
      const inner = action.actions.map((nested, index) => button(nested, [...way, index]));
      const body = (action.inputs ?? []).map(inputElement);
      return {
        type: 'Action.ShowCard',
        title: action.name,
        card: { type: 'AdaptiveCard', version: '1.5', body, actions: inner },
      };
    }
  }
}

function inputElement(input: ReceivedInput): MappedElement {
  const { id, title: label, value, isRequired = false } = input;
  const common = {
    id,
    label,
    isRequired,
    ...(isRequired ? { errorMessage: 'This field is required' } : {}),
    ...(value === undefined ? {} : { value }),
  };
  switch (input['@type']) {
    case 'TextInput': {
      const { isMultiline = false, maxLength } = input;
      return {
        type: 'Input.Text',
        ...common,
        isMultiline,
        ...(maxLength === undefined ? {} : { maxLength }),
      };
    }
    case 'DateInput':
      return input.includeTime ? dateAndTime(common) : { type: 'Input.Date', ...common };
    case 'MultichoiceInput':
      return {
        type: 'Input.ChoiceSet',
        ...common,
        isMultiSelect: input.isMultiSelect ?? false,
        style: choiceStyle(input),
        choices: (input.choices ?? []).map(choice => ({ title: choice.display, value: choice.value })),
      };
  }
}

/** The page joins `id` and `id:time` into one time in the reader's time zone. */
function dateAndTime(common: MappedElement & { readonly id: string }): MappedElement {
  const columns = [
    { type: 'Column', width: 'stretch', items: [{ type: 'Input.Date', ...common }] },
    {
      type: 'Column',
      width: 'stretch',
      items: [{ type: 'Input.Time', id: `${common.id}:time`, label: 'Time' }],
    },
  ];
  return { type: 'ColumnSet', columns };
}

/** docs/cards.md: compact unless several may be chosen; `true`, `normal` and `compact` all mean compact. */
function choiceStyle({ style, isMultiSelect = false }: ReceivedInput): 'compact' | 'expanded' {
  if (style === undefined) return isMultiSelect ? 'expanded' : 'compact';
  return style === 'expanded' ? 'expanded' : 'compact';
}

function textBlock(text: string, look: MappedElement = {}): MappedElement {
  return { type: 'TextBlock', text, wrap: true, ...look };
}

/** Escapes ASCII punctuation so that Markdown formats nothing. */
function literal(text: string): string {
  return text.replace(/[!-/:-@[-`{-~]/g, '\\$&');
}
