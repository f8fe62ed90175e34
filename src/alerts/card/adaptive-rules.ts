import { z } from 'zod';
import { imageUrl, line, MAX_BUTTONS, webUrl } from './card-limits.ts';

const common = {
  id: z.string().min(1).optional(),
  isVisible: z.boolean().optional(),
  separator: z.boolean().optional(),
  spacing: z.enum(['none', 'small', 'default', 'medium', 'large']).optional(),
};

const textBlock = z.strictObject({
  type: z.literal('TextBlock'),
  ...common,
  text: z.string().min(1),
  wrap: z.boolean(),
  size: z.enum(['small', 'default', 'medium', 'large']).optional(),
  weight: z.enum(['lighter', 'default', 'bolder']).optional(),
  isSubtle: z.boolean().optional(),
});

const factSet = z.strictObject({
  type: z.literal('FactSet'),
  ...common,
  facts: z.array(z.strictObject({ title: z.string().min(1), value: z.string() })).min(1),
});

const image = z.strictObject({
  type: z.literal('Image'),
  ...common,
  url: imageUrl,
  altText: line,
  width: z.string().regex(/^\d+px$/),
});

const columnSet = z.strictObject({
  type: z.literal('ColumnSet'),
  ...common,
  columns: z
    .array(
      z.strictObject({
        type: z.literal('Column'),
        width: z.enum(['auto', 'stretch']),
        verticalContentAlignment: z.enum(['top', 'center', 'bottom']).optional(),
        items: z.array(z.discriminatedUnion('type', [textBlock, image])).min(1),
      }),
    )
    .min(1),
});

const container = z.strictObject({
  type: z.literal('Container'),
  ...common,
  style: z.enum(['default', 'emphasis', 'good', 'attention', 'warning', 'accent']).optional(),
  bleed: z.boolean().optional(),
  items: z.array(z.discriminatedUnion('type', [textBlock, factSet, image, columnSet])).min(1),
});

const element = z.discriminatedUnion('type', [textBlock, factSet, image, columnSet, container]);

/** The actions that the service supports (docs/cards.md), which do not include Action.Submit. */
const action = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('Action.OpenUrl'), title: line, url: webUrl }),
  z.strictObject({
    type: z.literal('Action.ShowCard'),
    title: line,
    card: z.strictObject({ type: z.literal('AdaptiveCard'), body: z.array(element).min(1) }),
  }),
  z.strictObject({
    type: z.literal('Action.ToggleVisibility'),
    title: line,
    targetElements: z.array(z.string()).min(1),
  }),
]);

const content = z
  .strictObject({
    $schema: z.literal('http://adaptivecards.io/schemas/adaptive-card.json'),
    type: z.literal('AdaptiveCard'),
    version: z.literal('1.4'),
    fallbackText: line,
    msteams: z.strictObject({ width: z.literal('Full') }),
    body: z.array(element).min(1),
    actions: z.array(action).max(MAX_BUTTONS),
  })
  .refine(({ body }) => {
    const ids = body.flatMap(({ id }) => id ?? []);
    return new Set(ids).size === ids.length;
  }, 'uses the id of an element twice')
  .refine(({ body, actions }) => {
    const ids = body.flatMap(({ id }) => id ?? []);
    const targets = actions.flatMap(one => ('targetElements' in one ? one.targetElements : []));
    return targets.every(target => ids.includes(target));
  }, 'shows and hides what is not there');

/** The requirements for our adaptive cards (docs/cards.md, Adaptive card envelope; docs/cards.md §1). */
export const adaptiveRules = z.strictObject({
  type: z.literal('message'),
  attachments: z
    .array(
      z.strictObject({
        contentType: z.literal('application/vnd.microsoft.card.adaptive'),
        contentUrl: z.null(),
        content,
      }),
    )
    .length(1),
});
