import { z } from 'zod';
import { imageUrl, line, MAX_BUTTONS, webUrl } from './card-limits.ts';

/** docs/cards.md §1: the service silently drops what exceeds these limits. */
const MAX_SECTIONS = 10;
const MAX_IMAGES = 5;

const openUri = z.strictObject({
  '@type': z.literal('OpenUri'),
  name: line,
  targets: z.array(z.strictObject({ os: z.literal('default'), uri: webUrl })).length(1),
});

const httpPost = z.strictObject({
  '@type': z.literal('HttpPOST'),
  name: line,
  target: webUrl,
  body: z
    .string()
    .regex(/^token=[\w%.~-]+(&[a-z]+=\{\{[a-z]+\.value\}\})*$/, 'is no form with a token first'),
  bodyContentType: z.literal('application/x-www-form-urlencoded'),
});

const asked = { id: z.string().regex(/^[a-z]+$/), title: line };

const multichoice = z.strictObject({
  '@type': z.literal('MultichoiceInput'),
  ...asked,
  isMultiSelect: z.boolean(),
  style: z.enum(['compact', 'expanded']),
  value: z.string(),
  choices: z.array(z.strictObject({ display: line, value: z.string().min(1) })).min(1),
});

const input = z.discriminatedUnion('@type', [
  z.strictObject({
    '@type': z.literal('TextInput'),
    ...asked,
    isMultiline: z.boolean(),
    maxLength: z.int().positive(),
  }),
  z.strictObject({ '@type': z.literal('DateInput'), ...asked, includeTime: z.boolean() }),
  multichoice.refine(
    ({ value, choices }) => choices.some(choice => choice.value === value),
    'chooses what is no choice',
  ),
]);

/** No nested ActionCard, and no OpenUri, for which no button would be shown. */
const actionCard = z.strictObject({
  '@type': z.literal('ActionCard'),
  name: line,
  inputs: z.array(input).min(1),
  actions: z.array(httpPost).length(1),
});

const section = z.strictObject({
  activityTitle: z.string().min(1),
  activitySubtitle: z.string().min(1),
  activityImage: imageUrl.optional(),
  text: z.string().min(1).optional(),
  facts: z.array(z.strictObject({ name: z.string().min(1), value: z.string() })),
  markdown: z.literal(true),
});

const card = z.strictObject({
  '@type': z.literal('MessageCard'),
  '@context': z.literal('https://schema.org/extensions'),
  themeColor: z.string().regex(/^[0-9A-F]{6}$/),
  summary: line,
  title: z.string().min(1),
  sections: z.array(section).min(1).max(MAX_SECTIONS),
  potentialAction: z.array(z.discriminatedUnion('@type', [openUri, httpPost, actionCard])).max(MAX_BUTTONS),
});

type Card = z.infer<typeof card>;
type Action = Card['potentialAction'][number];

/** The requirements for our connector cards (docs/cards.md, Connector card; docs/cards.md §1, MessageCard). */
export const connectorRules = card
  .refine(
    ({ sections }) =>
      sections.filter(({ activityImage }) => activityImage !== undefined).length <= MAX_IMAGES,
    `shows more than ${MAX_IMAGES} pictures`,
  )
  .refine(({ potentialAction }) => {
    const ids = potentialAction.flatMap(idsAskedFor);
    return new Set(ids).size === ids.length;
  }, 'uses the id of an input twice')
  .refine(
    ({ potentialAction }) =>
      potentialAction.every(action => {
        const ids = idsAskedFor(action);
        return idsPosted(action).every(id => ids.includes(id));
      }),
    'posts a value that nobody is asked for',
  );

function idsAskedFor(action: Action): readonly string[] {
  return action['@type'] === 'ActionCard' ? action.inputs.map(({ id }) => id) : [];
}

/** The ids of `{{id.value}}` placeholders in the action's body. */
function idsPosted(action: Action): readonly string[] {
  if (action['@type'] === 'OpenUri') return [];
  const posts = action['@type'] === 'ActionCard' ? action.actions : [action];
  return posts.flatMap(({ body }) => Array.from(body.matchAll(/\{\{(\w+)\.value\}\}/g), ([, id = '']) => id));
}
