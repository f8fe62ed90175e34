import { AdaptiveCard, SerializationContext, Versions } from 'adaptivecards';
import { expect, it } from 'vitest';
import { connectorToAdaptive } from '../../../../src/admin/channel/connector-to-adaptive.ts';
import { type ReceivedCard, readPostedCard } from '../../../../src/admin/channel/payload.ts';
import { everythingCard } from '../../../support/posted-cards.ts';

function read(card: unknown): ReceivedCard {
  const payload = readPostedCard(card);
  if (payload.form !== 'connector') throw new Error('no connector card');
  return payload.card;
}

/** What the renderer's own parser and validation say about a card. */
function complaints(card: unknown): readonly string[] {
  const context = new SerializationContext(Versions.v1_5);
  const parsed = new AdaptiveCard();
  parsed.parse(card, context);
  const events = Array.from({ length: context.eventCount }, (_, index) => context.getEventAt(index).message);
  return [...events, ...parsed.validateProperties().validationEvents.map(({ message }) => message)];
}

it('makes a card that the renderer has nothing to complain of', () => {
  const card = connectorToAdaptive(read(everythingCard));
  expect(complaints(card)).toEqual([]);
});

it('shows title, text, activity, facts and buttons', () => {
  const shown = JSON.stringify(connectorToAdaptive(read(everythingCard)));
  for (const text of [
    'Backend main does not answer',
    'Reads of what',
    '**critical**',
    'since 09:14',
    '42 in a minute',
  ]) {
    expect(shown).toContain(text);
  }
  expect(connectorToAdaptive(read(everythingCard)).actions).toMatchObject([
    { type: 'Action.Submit', title: 'Acknowledge', data: { action: [0] } },
    {
      type: 'Action.ShowCard',
      title: 'Silence',
      card: { actions: [{ type: 'Action.Submit', data: { action: [1, 0] } }] },
    },
    { type: 'Action.OpenUrl', title: 'Status page', url: 'http://127.0.0.1:9/' },
  ]);
});

it('shows at most six buttons and ten sections, as the service does', () => {
  const action = everythingCard.potentialAction[2];
  const card = connectorToAdaptive(
    read({
      ...everythingCard,
      sections: Array.from({ length: 12 }, () => ({ text: 'x' })),
      potentialAction: Array.from({ length: 9 }, () => action),
    }),
  );
  expect(card.actions).toHaveLength(6);
  expect(JSON.stringify(card).match(/"Container"/g)).toHaveLength(10);
});

it('leaves nothing to format where a section is not Markdown', () => {
  const shown = JSON.stringify(connectorToAdaptive(read(everythingCard)));
  expect(shown).toContain(JSON.stringify('literally \\*this\\*'));
  expect(shown).toContain(JSON.stringify('\\<b\\>'));
});

it.each([
  [{}, 'compact'],
  [{ isMultiSelect: false }, 'compact'],
  [{ isMultiSelect: true }, 'expanded'],
  [{ isMultiSelect: true, style: true }, 'compact'],
  [{ style: 'normal' }, 'compact'],
  [{ style: 'expanded' }, 'expanded'],
])('lists choices %j in style %s (docs/cards.md, MultichoiceInput)', (changes, style) => {
  const choice = {
    '@type': 'MultichoiceInput',
    id: 'c',
    title: 'C',
    choices: [{ display: 'a', value: 'a' }],
    ...changes,
  };
  const card = read({
    ...everythingCard,
    potentialAction: [{ '@type': 'ActionCard', name: 'x', inputs: [choice], actions: [] }],
  });
  expect(connectorToAdaptive(card).actions).toMatchObject([
    { card: { body: [{ type: 'Input.ChoiceSet', style }] } },
  ]);
});
