import { z } from 'zod';
import { holdsForeignElement } from './native-elements.ts';

/** docs/cards.md §1, Inputs. The specification also uses `style: true` for a compact list. */
const input = z.looseObject({
  '@type': z.enum(['TextInput', 'DateInput', 'MultichoiceInput']),
  id: z.string().min(1),
  title: z.string(),
  value: z.string().optional(),
  isRequired: z.boolean().optional(),
  isMultiline: z.boolean().optional(),
  maxLength: z.number().int().positive().optional(),
  includeTime: z.boolean().optional(),
  isMultiSelect: z.boolean().optional(),
  style: z.union([z.literal(true), z.enum(['normal', 'compact', 'expanded'])]).optional(),
  choices: z.array(z.looseObject({ display: z.string(), value: z.string() })).optional(),
});

/** What a browser would run, or open from the reader's own disk. */
const dangerous = /^(?:javascript|data|vbscript|file|blob|about|view-source|filesystem):$/;

/** Pages, and apps by schemes of their own. */
const appUri = z.url().refine(uri => !dangerous.test(URL.parse(uri)?.protocol ?? 'about:'));

const openUri = z.looseObject({
  '@type': z.literal('OpenUri'),
  name: z.string().min(1),
  targets: z.array(z.looseObject({ os: z.string(), uri: appUri })).min(1),
});

const httpPost = z.looseObject({
  '@type': z.literal('HttpPOST'),
  name: z.string().min(1),
  target: z.url({ protocol: /^https?$/ }),
  headers: z.array(z.looseObject({ name: z.string(), value: z.string() })).optional(),
  body: z.string().optional(),
  bodyContentType: z.enum(['application/json', 'application/x-www-form-urlencoded']).optional(),
});

/** An ActionCard cannot contain another ActionCard. */
const actionCard = z.looseObject({
  '@type': z.literal('ActionCard'),
  name: z.string().min(1),
  inputs: z.array(input).optional(),
  actions: z.array(z.discriminatedUnion('@type', [openUri, httpPost])),
});

const section = z.looseObject({
  title: z.string().optional(),
  text: z.string().optional(),
  activityTitle: z.string().optional(),
  activitySubtitle: z.string().optional(),
  activityText: z.string().optional(),
  activityImage: z.string().optional(),
  facts: z.array(z.looseObject({ name: z.string(), value: z.string() })).optional(),
  markdown: z.boolean().optional(),
});

const connectorCard = z.looseObject({
  '@type': z.literal('MessageCard'),
  '@context': z.string().min(1),
  title: z.string().optional(),
  summary: z.string().optional(),
  text: z.string().optional(),
  themeColor: z.string().optional(),
  sections: z.array(section).optional(),
  potentialAction: z.array(z.discriminatedUnion('@type', [openUri, httpPost, actionCard])).optional(),
});

const adaptiveContent = z.looseObject({
  type: z.literal('AdaptiveCard'),
  version: z.string().regex(/^\d+\.\d+$/),
  body: z.array(z.looseObject({ type: z.string() })),
});

const adaptiveEnvelope = z.looseObject({
  type: z.literal('message'),
  attachments: z
    .array(
      z.looseObject({
        contentType: z.string().regex(/^application\/vnd\.[a-z0-9.-]+\.card\.adaptive$/),
        contentUrl: z.null().optional(),
        content: adaptiveContent,
      }),
    )
    .min(1),
});

const plainText = z.strictObject({ text: z.string().min(1) });

export type ReceivedCard = z.infer<typeof connectorCard>;
export type ReceivedSection = z.infer<typeof section>;
export type ReceivedInput = z.infer<typeof input>;
export type ReceivedAction = NonNullable<ReceivedCard['potentialAction']>[number];
export type HttpPostAction = z.infer<typeof httpPost>;
type AdaptiveContent = z.infer<typeof adaptiveContent>;

/** A payload in one of the three forms of docs/cards.md, or the service's reason for refusing it. */
export type Payload =
  | { readonly form: 'text'; readonly text: string }
  | { readonly form: 'connector'; readonly card: ReceivedCard }
  | { readonly form: 'adaptive'; readonly cards: readonly AdaptiveContent[] }
  | { readonly form: 'none'; readonly refusal: string };

const BAD_PAYLOAD = 'Bad payload received by generic incoming webhook.';
const NOTHING_TO_SAY = 'Summary or Text is required.';

/** Validates a posted body, already parsed from JSON; refusals are those of docs/cards.md §1, Replies. */
export function readPostedCard(value: unknown): Payload {
  const connector = connectorCard.safeParse(value);
  if (connector.success) {
    const said = connector.data.summary || connector.data.text;
    return said ? { form: 'connector', card: connector.data } : { form: 'none', refusal: NOTHING_TO_SAY };
  }
  const adaptive = adaptiveEnvelope.safeParse(value);
  if (adaptive.success) {
    const cards = adaptive.data.attachments.map(({ content }) => content);
    if (holdsUnlistedAction(cards) || holdsForeignElement(cards))
      return { form: 'none', refusal: BAD_PAYLOAD };
    return { form: 'adaptive', cards: cards.map(card => inUsualSpelling(card)) };
  }
  const text = plainText.safeParse(value);
  if (text.success) return { form: 'text', text: text.data.text };
  return {
    form: 'none',
    refusal: isPlainObject(value) && Object.keys(value).length === 0 ? NOTHING_TO_SAY : BAD_PAYLOAD,
  };
}

/** The actions that docs/cards.md lists. It writes `Action.OpenURL`; the schema of adaptive cards `Action.OpenUrl`. */
const listedActions: ReadonlySet<unknown> = new Set([
  'Action.OpenURL',
  'Action.OpenUrl',
  'Action.ShowCard',
  'Action.ToggleVisibility',
]);

/** The properties that hold an action or several. */
const actionPlaces = ['actions', 'selectAction', 'inlineAction'];

/** Whether an action is of another type, such as `Action.Submit`, or opens what no link may open. */
function holdsUnlistedAction(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(holdsUnlistedAction);
  if (!isPlainObject(value)) return false;
  const { type, url, targets } = value;
  if (/^Action\.OpenU(?:rl|RL)$/.test(String(type))) {
    // the page opens the one of the reader's system, wherever a card has them
    const uris = [url, ...[targets ?? []].flat().map(target => isPlainObject(target) && target.uri)];
    if (!uris.every(uri => appUri.safeParse(uri).success)) return true;
  }
  if (typeof type === 'string' && /^action\./i.test(type) && !listedActions.has(type)) return true;
  return Object.entries(value).some(
    ([name, held]) =>
      (actionPlaces.includes(name) && [held].flat().some(isUnlisted)) || holdsUnlistedAction(held),
  );
}

function isUnlisted(action: unknown): boolean {
  return !isPlainObject(action) || !listedActions.has(action.type);
}

/** The renderer of the page knows `Action.OpenUrl` only. */
function inUsualSpelling<Value>(value: Value): Value;
function inUsualSpelling(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(item => inUsualSpelling<unknown>(item));
  if (!isPlainObject(value)) return value;
  const entries = Object.entries(value).map(([name, item]) => [
    name,
    name === 'type' && item === 'Action.OpenURL' ? 'Action.OpenUrl' : inUsualSpelling<unknown>(item),
  ]);
  return Object.fromEntries(entries);
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
