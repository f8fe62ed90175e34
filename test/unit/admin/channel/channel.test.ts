import { expect, it } from 'vitest';
import { Channel, type ChannelMessage } from '../../../../src/admin/channel/channel.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { adaptiveEnvelope, everythingCard } from '../../../support/posted-cards.ts';

const JSON_TYPE = 'application/json; charset=utf-8';

function post(channel: Channel, payload: unknown, contentType: string = JSON_TYPE) {
  return channel.receive(
    contentType,
    Buffer.from(typeof payload === 'string' ? payload : JSON.stringify(payload)),
  );
}

it.each([
  ['plain text', { text: 'Hello **you**' }, 'text'],
  ['a connector card', everythingCard, 'connector'],
  ['an adaptive card in its envelope', adaptiveEnvelope([{ type: 'TextBlock', text: 'Hi' }]), 'adaptive'],
])('answers 1 to %s and shows it (docs/cards.md, Post a message)', (_, payload, form) => {
  const channel = new Channel(new ManualClock());
  expect(post(channel, payload)).toEqual({ status: 200, text: '1' });
  expect(channel.messages()).toMatchObject([{ id: 1, form }]);
});

const { summary: _summary, text: _text, ...saysNothing } = everythingCard;
const envelope = adaptiveEnvelope([{ type: 'TextBlock', text: 'Hi' }]);
const [attachment] = envelope.attachments;
const submit = { type: 'Action.Submit', title: 'x' };
const showCard = {
  type: 'Action.ShowCard',
  title: 'x',
  card: { type: 'AdaptiveCard', body: [], actions: [submit] },
};

it.each<[string, unknown, string, string]>([
  ['no JSON', '{', JSON_TYPE, 'Bad payload'],
  ['an empty body', '', JSON_TYPE, 'Bad payload'],
  ['a list', [], JSON_TYPE, 'Bad payload'],
  ['another content type', { text: 'x' }, 'text/plain', 'Bad payload'],
  ['an empty object', {}, JSON_TYPE, 'Summary or Text is required.'],
  ['a card that says nothing', saysNothing, JSON_TYPE, 'Summary or Text is required.'],
  ['a card without context', { ...everythingCard, '@context': undefined }, JSON_TYPE, 'Bad payload'],
  [
    'an unknown kind of action',
    { ...everythingCard, potentialAction: [{ '@type': 'InvokeAddInCommand' }] },
    JSON_TYPE,
    'Bad payload',
  ],
  [
    'an ActionCard within an ActionCard',
    {
      ...everythingCard,
      potentialAction: [{ '@type': 'ActionCard', name: 'a', actions: [everythingCard.potentialAction[1]] }],
    },
    JSON_TYPE,
    'Bad payload',
  ],
  [
    'a fact without value',
    { ...everythingCard, sections: [{ facts: [{ name: 'a' }] }] },
    JSON_TYPE,
    'Bad payload',
  ],
  [
    'a link that is no web address',
    {
      ...everythingCard,
      potentialAction: [
        { '@type': 'OpenUri', name: 'x', targets: [{ os: 'default', uri: 'javascript:alert(1)' }] },
      ],
    },
    JSON_TYPE,
    'Bad payload',
  ],
  ['an envelope of another type', { ...envelope, type: 'card' }, JSON_TYPE, 'Bad payload'],
  [
    'an attachment of another media type',
    { ...envelope, attachments: [{ ...attachment, contentType: 'application/json' }] },
    JSON_TYPE,
    'Bad payload',
  ],
  [
    'an attachment with an address',
    { ...envelope, attachments: [{ ...attachment, contentUrl: 'https://a.test' }] },
    JSON_TYPE,
    'Bad payload',
  ],
  [
    'an adaptive card without version',
    adaptiveEnvelope([], { version: undefined }),
    JSON_TYPE,
    'Bad payload',
  ],
  [
    'an adaptive card that opens what no link may open on one system',
    adaptiveEnvelope([], {
      actions: [
        {
          type: 'Action.OpenUrl',
          title: 'x',
          url: 'https://a.test',
          targets: [{ os: 'windows', uri: 'javascript:alert(1)' }],
        },
      ],
    }),
    JSON_TYPE,
    'Bad payload',
  ],
  ['an element that no card has', adaptiveEnvelope([{ type: 'Carousel' }]), JSON_TYPE, 'Bad payload'],
  [
    'such an element within a column',
    adaptiveEnvelope([{ type: 'ColumnSet', columns: [{ items: [{ type: 'textBlock', text: 'x' }] }] }]),
    JSON_TYPE,
    'Bad payload',
  ],
  [
    'such an element in the card of a button',
    adaptiveEnvelope([], {
      actions: [{ ...showCard, card: { type: 'AdaptiveCard', body: [{ type: 'Graph' }] } }],
    }),
    JSON_TYPE,
    'Bad payload',
  ],
  [
    'Action.Execute',
    adaptiveEnvelope([], { actions: [{ type: 'Action.Execute', title: 'x' }] }),
    JSON_TYPE,
    'Bad payload',
  ],
  [
    'an adaptive link that runs a script',
    adaptiveEnvelope([], { actions: [{ type: 'Action.OpenURL', title: 'x', url: 'java\tscript:alert(1)' }] }),
    JSON_TYPE,
    'Bad payload',
  ],
  ['Action.Submit', adaptiveEnvelope([], { actions: [submit] }), JSON_TYPE, 'Bad payload'],
  [
    'Action.Submit within a ShowCard',
    adaptiveEnvelope([], { actions: [showCard] }),
    JSON_TYPE,
    'Bad payload',
  ],
])('refuses %s with 400', (_, payload, contentType, text) => {
  const channel = new Channel(new ManualClock());
  const reply = post(channel, payload, contentType);
  expect(reply.status).toBe(400);
  expect(reply.text).toContain(text);
  expect(channel.messages()).toEqual([]);
});

it('throttles the fifth post of a second by text inside a 200, until the window refreshes', () => {
  const clock = new ManualClock(60_000);
  const channel = new Channel(clock);
  const replies = Array.from({ length: 5 }, () => post(channel, { text: 'x' }));
  expect(replies.map(({ text }) => text).slice(0, 4)).toEqual(['1', '1', '1', '1']);
  expect(replies[4]).toMatchObject({ status: 200 });
  expect(replies[4]?.text).toMatch(/HTTP error 429/);
  clock.advance(1_000);
  expect(post(channel, { text: 'x' }).text).toBe('1');
});

it.each([
  [30, 60],
  [3_600, 100],
  [7_200, 150],
])('in %i seconds at most %i posts are taken (docs/cards.md, Limits)', (seconds, limit) => {
  const clock = new ManualClock(86_400_000 * 100);
  const channel = new Channel(clock);
  let taken = 0;
  const stepMs = Math.max(251, Math.floor((seconds * 1_000) / (limit * 1.1)));
  for (let elapsedMs = 0; elapsedMs < seconds * 1_000; elapsedMs += stepMs) {
    if (post(channel, { text: 'x' }).text === '1') taken++;
    clock.advance(stepMs);
  }
  expect(taken).toBe(limit);
});

it('takes 1800 posts a day at an even pace, and not one more', () => {
  const clock = new ManualClock(86_400_000 * 100);
  const channel = new Channel(clock);
  const replies = Array.from({ length: 1_801 }, (_, index) => {
    if (index > 0 && index < 1_800) clock.advance(48_000);
    return post(channel, { text: 'x' }).text;
  });
  expect(replies.filter(text => text === '1')).toHaveLength(1_800);
  expect(replies.at(-1)).toMatch(/HTTP error 429/);
});

it('tells of a payload that is too large inside a 200', () => {
  const channel = new Channel(new ManualClock());
  expect(post(channel, { text: 'x'.repeat(30_000) }).text).toMatch(/HTTP error 413/);
});

it('takes a theme colour with or without #, and nothing else for one', () => {
  const clock = new ManualClock();
  const channel = new Channel(clock);
  for (const themeColor of ['D13438', '#d13438', 'red']) {
    clock.advance(1_000);
    post(channel, { ...everythingCard, themeColor });
  }
  expect(channel.messages().map(({ accent }) => accent)).toEqual(['#d13438', '#d13438', undefined]);
});

it('holds the latest 200 messages', () => {
  const clock = new ManualClock();
  const channel = new Channel(clock);
  for (let index = 0; index < 201; index++) {
    clock.advance(86_400_000);
    post(channel, everythingCard);
  }
  expect(channel.messages().map(({ id }) => id)).toEqual(
    Array.from({ length: 200 }, (_, index) => index + 2),
  );
  expect(channel.connectorCard(1)).toBeUndefined();
});

it('tells listeners of what is new and of what changed', () => {
  const channel = new Channel(new ManualClock());
  const seen: ChannelMessage[] = [];
  const end = channel.subscribe(message => seen.push(message));
  post(channel, everythingCard);
  const card = channel.connectorCard(1);
  if (card) channel.refresh(1, { ...card, title: 'Acknowledged' });
  end();
  post(channel, everythingCard);
  expect(seen.map(({ id, refreshedAtMs }) => [id, refreshedAtMs !== undefined])).toEqual([
    [1, false],
    [1, true],
  ]);
  expect(JSON.stringify(seen[1]?.cards)).toContain('Acknowledged');
});

it.each(['Action.OpenURL', 'Action.OpenUrl'])('shows a link in the spelling %s', type => {
  const channel = new Channel(new ManualClock());
  const url = 'https://a.test/';
  expect(post(channel, adaptiveEnvelope([], { actions: [{ type, title: 'x', url }] })).text).toBe('1');
  expect(channel.messages()[0]?.cards).toMatchObject([{ actions: [{ type: 'Action.OpenUrl', url }] }]);
});

it('takes links to apps, with the target of each system', () => {
  const channel = new Channel(new ManualClock());
  const targets = [
    { os: 'default', uri: 'https://a.test/' },
    { os: 'iOS', uri: 'myapp://open/1' },
  ];
  const potentialAction = [{ '@type': 'OpenUri', name: 'x', targets }];
  expect(post(channel, { ...everythingCard, potentialAction }).text).toBe('1');
  expect(channel.messages()[0]?.cards).toMatchObject([{ actions: [{ url: 'https://a.test/', targets }] }]);
});

it('takes every native element, also with what to show instead of it', () => {
  const text = { type: 'TextBlock', text: 'x' };
  const native = [
    text,
    { type: 'RichTextBlock', inlines: ['x', { type: 'TextRun', text: 'y' }] },
    { type: 'ImageSet', images: [{ type: 'Image', url: 'https://example.test/a.png' }] },
    { type: 'ColumnSet', columns: [{ width: 'auto', items: [text] }] },
    { type: 'Container', items: [{ type: 'FactSet', facts: [{ title: 'type', value: 'x' }] }] },
    { type: 'Table', rows: [{ type: 'TableRow', cells: [{ type: 'TableCell', items: [text] }] }] },
    ...['Text', 'Number', 'Date', 'Time', 'Toggle', 'ChoiceSet'].map(kind => ({
      type: `Input.${kind}`,
      id: kind,
    })),
    { type: 'Table', rows: [], fallback: text },
    { type: 'Image', url: 'https://example.test/a.png', fallback: 'drop' },
  ];
  expect(post(new Channel(new ManualClock()), adaptiveEnvelope(native))).toEqual({ status: 200, text: '1' });
});

it.each([
  ['a card', { actions: [{ type: 'Foo', title: 'x' }] }],
  ['an action without a type', { actions: [{ title: 'x' }] }],
  ['what is chosen', { body: [{ type: 'Container', items: [], selectAction: { type: 'Foo' } }] }],
  ['an input', { body: [{ type: 'Input.Text', id: 'a', inlineAction: { type: 'Foo' } }] }],
])('refuses an action that the document does not list: %s', (_, content) => {
  const { body = [], ...rest } = { body: [], ...content };
  expect(post(new Channel(new ManualClock()), adaptiveEnvelope(body, rest)).text).toContain('Bad payload');
});

it.each(['items', 'columns', 'rows', 'cells', 'images', 'inlines'])(
  'refuses an element in %s that no card has, however deep',
  place => {
    const holding = (element: object) =>
      adaptiveEnvelope([{ type: 'Container', items: [{ type: 'Container', [place]: [element] }] }]);
    const answer = (element: object) => post(new Channel(new ManualClock()), holding(element));
    expect(answer({ type: 'Graph' }).text).toContain('Bad payload');
    expect(answer({ type: 'Graph', fallback: 'drop' }).text).toContain('Bad payload');
    expect(answer({ type: 'Graph', fallback: { type: 'TextBlock', text: 'x' } }).text).toContain(
      'Bad payload',
    );
    expect(answer({ type: 'TextBlock', text: 'x', fallback: { type: 'Graph' } }).text).toContain(
      'Bad payload',
    );
    expect(answer({ type: 'TextBlock', text: 'x' }).text).toBe('1');
  },
);
