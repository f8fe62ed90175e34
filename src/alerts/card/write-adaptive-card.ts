import type {
  AdaptiveAction,
  AdaptiveElement,
  AdaptiveEnvelope,
  Container,
  FactSet,
  OpenUrl,
  ShowCard,
  TextBlock,
  ToggleVisibility,
} from './adaptive-card.ts';
import type { CardContent } from './card-content.ts';
import type { ContentFact, ContentSection } from './content-sections.ts';
import { type Markdown, md } from './markdown.ts';
import type { Tone } from './tone.ts';
import { toneImage } from './tone-image.ts';
import { firstFour } from './up-to-four.ts';

const containerStyles: Readonly<Record<Tone, NonNullable<Container['style']>>> = {
  critical: 'attention',
  warning: 'warning',
  info: 'accent',
  resolved: 'good',
};

/**
 * Renders an adaptive card in its envelope (docs/cards.md, Adaptive card envelope). It can link to pages and expand; it
 * cannot post, since the service does not support Action.Submit.
 */
export function writeAdaptiveCard(content: CardContent): AdaptiveEnvelope {
  const sections = content.sections.map(writeSection);
  return {
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        contentUrl: null,
        content: {
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          ...{ type: 'AdaptiveCard', version: '1.4' },
          fallbackText: content.summary,
          msteams: { width: 'Full' },
          body: [writeHead(content), ...sections.flatMap(({ elements }) => elements)],
          actions: firstFour(
            writeActions(
              content,
              sections.flatMap(({ foldedId }) => foldedId ?? []),
            ),
          ),
        },
      },
    ],
  };
}

/** The title on the tone's colour, next to its picture. */
function writeHead({ tone, title, images }: CardContent): Container {
  const heading: TextBlock = { ...textBlock(title), size: 'large', weight: 'bolder' };
  if (!images) return { type: 'Container', style: containerStyles[tone], bleed: true, items: [heading] };
  const image = { type: 'Image', url: toneImage(tone), altText: tone, width: '32px' } as const;
  return {
    ...{ type: 'Container', style: containerStyles[tone], bleed: true },
    items: [
      {
        type: 'ColumnSet',
        columns: [
          { type: 'Column', width: 'auto', verticalContentAlignment: 'center', items: [image] },
          { type: 'Column', width: 'stretch', verticalContentAlignment: 'center', items: [heading] },
        ],
      },
    ],
  };
}

interface WrittenSection {
  readonly elements: readonly AdaptiveElement[];
  /** The id of the collapsed part, if there is one. */
  readonly foldedId?: string;
}

/** The content of a section. Details are collapsed; in all sections but the first, facts too. */
function writeSection({ heading, subtitle, facts, details }: ContentSection, index: number): WrittenSection {
  const isFirst = index === 0;
  const elements: readonly AdaptiveElement[] = [
    { ...textBlock(heading), weight: 'bolder', spacing: 'medium', ...(isFirst ? {} : { separator: true }) },
    { ...textBlock(subtitle), isSubtle: true, size: 'small', spacing: 'none' },
    ...(isFirst ? factSet(facts) : []),
  ];
  const [folded] = factSet(isFirst ? details : [...facts, ...details]);
  if (!folded) return { elements };
  const foldedId = `details-${index + 1}`;
  return {
    elements: [...elements, { ...folded, id: foldedId, isVisible: false, spacing: 'small' }],
    foldedId,
  };
}

function writeActions(content: CardContent, foldedIds: readonly string[]): readonly AdaptiveAction[] {
  const [first, ...others] = foldedIds;
  const toggle: readonly ToggleVisibility[] =
    first === undefined
      ? []
      : [{ type: 'Action.ToggleVisibility', title: 'Details', targetElements: [first, ...others] }];
  const links = content.buttons.flatMap((button): readonly OpenUrl[] =>
    button.kind === 'open' ? [{ type: 'Action.OpenUrl', title: button.name, url: button.url }] : [],
  );
  return [...toggle, ...(content.advice ? [showAdvice(content.advice)] : []), ...links];
}

function showAdvice(advice: Markdown): ShowCard {
  const hint = md`It can be silenced with POST /api/silences on the admin port.`;
  return {
    type: 'Action.ShowCard',
    title: 'What to do',
    card: { type: 'AdaptiveCard', body: [textBlock(advice), { ...textBlock(hint), isSubtle: true }] },
  };
}

function factSet(facts: readonly ContentFact[]): readonly FactSet[] {
  const [first, ...others] = facts.map(({ name, value }) => ({ title: name, value }));
  return first ? [{ type: 'FactSet', facts: [first, ...others] }] : [];
}

function textBlock(text: Markdown): TextBlock {
  return { type: 'TextBlock', text, wrap: true };
}
