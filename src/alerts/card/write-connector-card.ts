import type { RestoreTier } from '../callbacks/card-operations.ts';
import type { CardButton } from './card-buttons.ts';
import type { CardContent } from './card-content.ts';
import type {
  ActionCard,
  Choice,
  ConnectorAction,
  ConnectorCard,
  ConnectorInput,
  ConnectorSection,
  HttpPost,
} from './connector-card.ts';
import type { ContentSection } from './content-sections.ts';
import { toneColours } from './tone.ts';
import { toneImage } from './tone-image.ts';
import { firstFour } from './up-to-four.ts';

const HOUR_MS = 3_600_000;

/** The offered durations of a silence; values are in milliseconds. */
const silenceChoices: readonly [Choice, ...Choice[]] = [
  { display: '1 hour', value: String(HOUR_MS) },
  { display: '4 hours', value: String(4 * HOUR_MS) },
  { display: '1 day', value: String(24 * HOUR_MS) },
  { display: '1 week', value: String(168 * HOUR_MS) },
];

/** The offered numbers of days for a restored copy. */
const restoreDays: readonly [Choice, ...Choice[]] = [
  { display: '1 day', value: '1' },
  { display: '1 week', value: '7' },
  { display: '30 days', value: '30' },
];

interface TierChoice extends Choice {
  readonly value: RestoreTier;
}

/** The offered restore tiers, which differ in speed and price. */
const restoreTiers: readonly [TierChoice, ...TierChoice[]] = [
  { display: 'Within hours', value: 'Standard' },
  { display: 'Cheaper, within half a day', value: 'Bulk' },
  { display: 'Within minutes, where the store can', value: 'Expedited' },
];

/** Renders a connector card (docs/cards.md, Connector card). */
export function writeConnectorCard(content: CardContent): ConnectorCard {
  const { tone, title, summary, sections, advice, buttons } = content;
  const image = content.images ? toneImage(tone) : undefined;
  return {
    '@type': 'MessageCard',
    '@context': 'https://schema.org/extensions',
    ...{ themeColor: toneColours[tone], summary, title },
    sections: sections.map((section, index) => ({
      ...writeSection(section),
      ...(index === 0 && image ? { activityImage: image } : {}),
      ...(index === 0 && advice ? { text: advice } : {}),
    })),
    potentialAction: firstFour(buttons.map(writeButton)),
  };
}

function writeSection({ heading, subtitle, facts, details }: ContentSection): ConnectorSection {
  return {
    ...{ activityTitle: heading, activitySubtitle: subtitle },
    facts: [...facts, ...details],
    markdown: true,
  };
}

function writeButton(button: CardButton): ConnectorAction {
  const { name } = button;
  switch (button.kind) {
    case 'open':
      return { '@type': 'OpenUri', name, targets: [{ os: 'default', uri: button.url }] };
    case 'post':
      return writePost(name, button, []);
    case 'silence':
      return writeActionCard(button, 'Silence', silenceInputs());
    case 'restore':
      return writeActionCard(button, 'Restore', restoreInputs(button.objects));
  }
}

interface PostTarget {
  readonly name: string;
  readonly url: string;
  readonly token: string;
}

function writeActionCard(
  target: PostTarget,
  done: string,
  inputs: readonly [ConnectorInput, ...ConnectorInput[]],
): ActionCard {
  return { '@type': 'ActionCard', name: target.name, inputs, actions: [writePost(done, target, inputs)] };
}

/** URL-encoded, because it is not documented how values are escaped in JSON (docs/cards.md §2). */
function writePost(name: string, { url, token }: PostTarget, inputs: readonly ConnectorInput[]): HttpPost {
  return {
    '@type': 'HttpPOST',
    ...{ name, target: url },
    body: [`token=${encodeURIComponent(token)}`, ...inputs.map(({ id }) => `${id}={{${id}.value}}`)].join(
      '&',
    ),
    bodyContentType: 'application/x-www-form-urlencoded',
  };
}

function silenceInputs(): readonly [ConnectorInput, ...ConnectorInput[]] {
  return [
    choice('duration', 'For how long', silenceChoices),
    { '@type': 'DateInput', id: 'until', title: 'Or until', includeTime: true },
    { '@type': 'TextInput', id: 'why', title: 'Why', isMultiline: true, maxLength: 300 },
  ];
}

function restoreInputs(objects: readonly string[]): readonly [ConnectorInput, ...ConnectorInput[]] {
  const [first, ...others] = objects.map((display, index) => ({ display, value: String(index) }));
  const which = first && others.length > 0 ? [choice('object', 'Which object', [first, ...others])] : [];
  const [days, tier] = [
    choice('days', 'Keep the copy for', restoreDays),
    choice('tier', 'How fast', restoreTiers),
  ];
  const [begin = days, ...rest] = [...which, days, tier];
  return [begin, ...rest];
}

function choice(id: string, title: string, choices: readonly [Choice, ...Choice[]]): ConnectorInput {
  const [{ value }] = choices;
  return { '@type': 'MultichoiceInput', id, title, isMultiSelect: false, style: 'compact', value, choices };
}
