import { describe, expect, it } from 'vitest';
import type { Alert, Notification, NotificationKind } from '../../../../src/alerts/alert.ts';
import { type CardForm, type CardLinks, MAX_CARD_BYTES } from '../../../../src/alerts/card/card.ts';
import { renderCard, UnwritableCardError } from '../../../../src/alerts/card/render-card.ts';
import { validateCard } from '../../../../src/alerts/card/validate-card.ts';
import { foldIntoDigest } from '../../../../src/alerts/delivery/digest.ts';
import { exampleAlert, exampleNotification } from '../../../../src/alerts/example-alert.ts';
import { isNoticeName } from '../../../../src/alerts/rules/notice-table.ts';
import { alertNames, describeRule } from '../../../../src/alerts/rules/rule-description.ts';
import { adaptiveCardProblems } from '../../../support/adaptive-card-check.ts';
import { allLinks } from '../../../support/card-links.ts';

const NOW_MS = Date.UTC(2026, 0, 1, 12);
const HOUR_MS = 3_600_000;
const forms: readonly CardForm[] = ['connector', 'adaptive', 'text'];
const kinds: readonly NotificationKind[] = ['firing', 'resolved', 'repeat', 'digest', 'notice', 'test'];

function example(rule: string): Alert {
  const alert = exampleAlert(rule, NOW_MS);
  if (!alert) throw new Error(`no example of ${rule}`);
  return alert;
}

function news(kind: NotificationKind, ...alerts: readonly Alert[]): Notification {
  return { kind, alerts, severity: 'critical', dedupeKey: 'k' };
}

const silenced = { silencedUntilMs: NOW_MS + HOUR_MS, silencedBy: 'ann', silenceReason: 'the store moves' };
const states: readonly (readonly [string, (alert: Alert) => Alert])[] = [
  ['new', alert => alert],
  ['acknowledged', alert => ({ ...alert, acknowledgedBy: 'ann' })],
  ['silenced', alert => ({ ...alert, ...silenced })],
  ['resolved', alert => ({ ...alert, state: 'resolved', endedAtMs: NOW_MS })],
];

/** Every rule in every state, as every kind of news, in every form. */
const everyCard = alertNames.flatMap(rule =>
  states.flatMap(([state, change]) =>
    kinds.flatMap(kind => forms.map(form => ({ rule, state, kind, form, alert: change(example(rule)) }))),
  ),
);

/** What the service gets to see: the posted JSON, read again. */
function posted(notification: Notification, form: CardForm, links: CardLinks = allLinks) {
  const json = JSON.stringify(renderCard(notification, form, links));
  expect(Buffer.byteLength(json)).toBeLessThanOrEqual(MAX_CARD_BYTES);
  return JSON.parse(json);
}

it.each(everyCard)('a $form card of $rule, $state, as $kind keeps every limit', ({ alert, kind, form }) => {
  const card = posted(news(kind, alert), form);
  expect(validateCard(card, form)).toMatchObject({ kind: 'valid' });
  if (form === 'adaptive') expect(adaptiveCardProblems(card.attachments[0].content)).toEqual([]);
});

it.each(everyCard.filter(({ kind }) => kind === 'firing'))(
  'a $form card of $rule, $state, says what it is about',
  ({ alert, form }) => {
    const json = JSON.stringify(posted(news('firing', alert), form));
    expect(json).toContain(describeRule(alert.rule).title);
    expect(json).toContain(alert.rule);
  },
);

describe('a connector card', () => {
  const actionsOf = (kind: NotificationKind, alert: Alert, links = allLinks): readonly string[] =>
    posted(news(kind, alert), 'connector', links).potentialAction.map(
      (action: { name: string }) => action.name,
    );
  const errors = example('backendErrors');
  const archived = example('archivedObjects');

  it.each<[string, NotificationKind, Alert, readonly string[]]>([
    ['of what fires', 'firing', errors, ['Acknowledge', 'Silence…', 'Status page', 'Runbook']],
    [
      'of archived objects',
      'firing',
      archived,
      ['Acknowledge', 'Silence…', 'Restore sample/archive.bin…', 'Status page'],
    ],
    [
      'of what somebody has in hand',
      'repeat',
      { ...errors, acknowledgedBy: 'ann' },
      ['Silence…', 'Status page', 'Runbook'],
    ],
    [
      'of what is silenced',
      'firing',
      { ...errors, ...silenced },
      ['End the silence', 'Status page', 'Runbook'],
    ],
    ['of what is over', 'resolved', errors, ['Status page', 'Runbook']],
    ['of several rules', 'digest', errors, ['Status page']],
    ['of a notice', 'notice', example('started'), ['Status page', 'Runbook']],
  ])('%s has the buttons for it', (_, kind, alert, names) => {
    expect(actionsOf(kind, alert)).toEqual(names);
  });

  it('leaves out what leads nowhere', () => {
    expect(actionsOf('firing', archived, { source: 'gateway-1' })).toEqual([]);
    const { callbacks } = allLinks;
    if (!callbacks) throw new Error('no callbacks');
    const links = { source: 'gateway-1', callbacks: { ...callbacks, restore: false } };
    expect(actionsOf('firing', archived, links)).toEqual(['Acknowledge', 'Silence…']);
  });

  it('asks for how long, until when and why, and posts the answers with a signed token', () => {
    const card = posted(news('firing', errors), 'connector');
    const silence = card.potentialAction[1];
    expect(
      silence.inputs.map((input: { '@type': string; id: string }) => [input['@type'], input.id]),
    ).toEqual([
      ['MultichoiceInput', 'duration'],
      ['DateInput', 'until'],
      ['TextInput', 'why'],
    ]);
    const [post] = silence.actions;
    expect(post).toMatchObject({
      '@type': 'HttpPOST',
      target: 'https://gateway.example/callbacks/cards/action',
      bodyContentType: 'application/x-www-form-urlencoded',
    });
    const form = new URLSearchParams(post.body);
    expect([...form.keys()]).toEqual(['token', 'duration', 'until', 'why']);
    expect(form.get('token')).toBe(
      allLinks.callbacks?.signAction({ action: 'silence', alertIds: [errors.id] }),
    );
  });

  it('asks for a restore of the object that is asked for most', () => {
    const restore = posted(news('firing', archived), 'connector').potentialAction[2];
    const form = new URLSearchParams(restore.actions[0].body);
    expect([...form.keys()]).toEqual(['token', 'days', 'tier']);
    expect(form.get('token')).toBe(
      allLinks.callbacks?.signAction({
        action: 'restore',
        alertIds: [archived.id],
        objects: [{ bucket: 'sample', key: 'archive.bin' }],
      }),
    );
  });

  it('names the object on the button that restores it', () => {
    const restore = posted(news('firing', archived), 'connector').potentialAction[2];
    expect(restore.name).toBe('Restore sample/archive.bin…');
  });

  it('offers the choice where several objects can be restored', () => {
    const subjects = [
      { bucket: 'sample', key: 'archive.bin' },
      { bucket: 'sample', key: 'old/film.mov', versionId: 'v1' },
    ];
    const restore = posted(news('firing', { ...archived, subjects }), 'connector').potentialAction[2];
    expect(restore.name).toBe('Restore an archived object…');
    expect(restore.inputs[0]).toMatchObject({
      ...{ id: 'object', title: 'Which object', value: '0' },
      choices: [
        { display: 'sample/archive.bin', value: '0' },
        { display: 'sample/old/film.mov, version v1', value: '1' },
      ],
    });
    const form = new URLSearchParams(restore.actions[0].body);
    expect([...form.keys()]).toEqual(['token', 'object', 'days', 'tier']);
    expect(form.get('token')).toBe(
      allLinks.callbacks?.signAction({ action: 'restore', alertIds: [archived.id], objects: subjects }),
    );
  });

  it('has the colour and the picture of how much it hurries, or that it is over', () => {
    const look = (notification: Notification) => {
      const { themeColor, sections } = posted(notification, 'connector');
      return [themeColor, sections[0].activityImage];
    };
    const seen = [
      look({ ...news('firing', errors), severity: 'critical' }),
      look({ ...news('firing', errors), severity: 'warning' }),
      look({ ...news('firing', errors), severity: 'info' }),
      look(news('resolved', { ...errors, state: 'resolved', endedAtMs: NOW_MS })),
    ];
    expect(seen.map(([colour]) => colour)).toEqual(['C4314B', 'D98200', '2B6CB0', '2E8B57']);
    expect(new Set(seen.map(([, picture]) => picture)).size).toBe(4);
  });

  it('that says it is over names how long it lasted', () => {
    const { title, sections } = posted(exampleNotification(errors, 'resolved', NOW_MS), 'connector');
    expect(title).toBe('Resolved: A backend answers with errors');
    expect(sections[0].activitySubtitle).toBe(
      'gateway-1 · the alert lasted 47 min, until 2026-01-01 12:00:00 UTC',
    );
  });

  it('bears who did what, until when and why', () => {
    const { sections } = posted(
      news('repeat', { ...errors, acknowledgedBy: 'bob', ...silenced }),
      'connector',
    );
    expect(sections[0].facts).toEqual(
      expect.arrayContaining([
        { name: 'Acknowledged by', value: 'bob' },
        { name: 'Silenced until', value: '2026-01-01 13:00:00 UTC' },
        { name: 'Silenced by', value: 'ann' },
        { name: 'Reason', value: 'the store moves' },
      ]),
    );
  });
});

describe('an adaptive card', () => {
  it('opens pages, unfolds details and what to do, and posts nothing', () => {
    const { actions } = posted(news('firing', example('archivedObjects')), 'adaptive').attachments[0].content;
    expect(actions.map((action: { type: string }) => action.type)).toEqual([
      'Action.ToggleVisibility',
      'Action.ShowCard',
      'Action.OpenUrl',
      'Action.OpenUrl',
    ]);
  });

  it('asks for no signature, since it could not post it', () => {
    const signAction = () => {
      throw new Error('signed for nothing');
    };
    const links = { ...allLinks, callbacks: { url: 'https://x.example/', signAction, restore: true } };
    for (const form of ['adaptive', 'text'] as const) {
      expect(() => renderCard(news('firing', example('backendErrors')), form, links)).not.toThrow();
    }
  });
});

describe('a card of many alerts', () => {
  const many = (count: number) =>
    Array.from({ length: count }, (_, index): Alert => {
      const alert = example('backendErrors');
      return { ...alert, id: `${alert.fingerprint}.${index}`, summary: `Backend number ${index} fails.` };
    });

  it('shows nine and says how many are missing; its buttons are about those nine', () => {
    const card = posted(news('firing', ...many(40)), 'connector');
    expect(card.sections).toHaveLength(10);
    expect(card.sections[9].activityTitle).toBe('and 31 more');
    expect(card.potentialAction[0].name).toBe('Acknowledge these');
    expect(card.title).toBe('Critical: A backend answers with errors (40)');
  });

  it('as a digest has one line for each, what is over apart', () => {
    const [first, ...others] = many(30);
    const over = others.map((alert): Alert => ({ ...alert, state: 'resolved', endedAtMs: NOW_MS }));
    const { sections, title } = posted(news('digest', ...(first ? [first] : []), ...over), 'connector');
    expect(title).toBe('30 alerts in one card');
    expect(sections.map((section: { activityTitle: string }) => section.activityTitle)).toEqual([
      '1 to look at',
      '29 resolved',
    ]);
    expect(sections[1].facts).toHaveLength(29);
    expect(sections[1].facts[0].value).toBe('Backend number 1 fails. The alert lasted 47 min.');
  });
});

describe('a test card', () => {
  const tests = ['backendErrors', 'archivedObjects'].map(rule =>
    exampleNotification(example(rule), 'test', NOW_MS),
  );

  it.each(tests)('says Test in title and summary, and that its figures are made up', notification => {
    const { title, summary, sections, potentialAction } = posted(notification, 'connector');
    expect(title).toMatch(/^Test: /);
    expect(summary).toMatch(/^Test: .*made-up figures/);
    expect(sections[0].activityTitle).toMatch(/^Test with made.up figures: /);
    expect(potentialAction.map(({ name }: { name: string }) => name)).toContain('Acknowledge');
    expect(posted(notification, 'adaptive').attachments[0].content.fallbackText).toMatch(/^Test: /);
    expect(posted(notification, 'text').text).toMatch(/^\*\*Test: /);
  });

  it('says so in a digest too, alone and beside others', () => {
    const [first, second] = tests;
    if (!first || !second) throw new Error('two are needed');
    const alone = posted(foldIntoDigest([first, second]), 'connector');
    expect([alone.title, alone.summary]).toEqual([
      'Test: 2 alerts in one card',
      'Test: 2 alerts in one card',
    ]);
    expect(alone.sections.map(({ activityTitle }: { activityTitle: string }) => activityTitle)).toEqual([
      '2 made up, for a test',
    ]);
    const mixed = posted(foldIntoDigest([first, news('firing', example('retryStorm'))]), 'connector');
    expect(mixed.sections[0].facts).toMatchObject([{ name: describeRule('retryStorm').title }]);
    expect(mixed.sections[1].facts[0].name).toMatch(/^Test: /);
    expect(mixed.sections[1].facts[0].value).toMatch(/^Test with made.up figures: /);
  });
});

describe('a card that would be too long', () => {
  const long = { ...example('backendErrors'), summary: 'x'.repeat(900) };
  const wordy = {
    ...long,
    facts: Array.from({ length: 10 }, () => ({ name: 'Fact', value: '€'.repeat(900) })),
  };

  it.each(forms)('is shortened in its %s form, and says so', form => {
    const json = JSON.stringify(posted(news('firing', wordy), form));
    expect(json).toContain('This card was too long; the status page has all of it.');
  });

  it('has no such note when it is whole', () => {
    expect(JSON.stringify(posted(news('firing', long), 'connector'))).not.toContain('too long');
  });
});

describe('a card that names objects', () => {
  const withKeys = (...keys: readonly string[]): Alert => ({
    ...example('archivedObjects'),
    facts: keys.map(key => ({
      name: 'Object',
      value: `${key} (7 times)`,
      object: { bucket: 'photos', key },
    })),
  });
  const link = (text: string, key: string) =>
    `[${text} (7 times)](<https://gateway.example/objects?bucket=photos&key=${key}>)`;

  it.each(forms)('leads to what is cached of them in its %s form', form => {
    const json = JSON.stringify(posted(news('firing', withKeys('a<b>](c', 'plain')), form));
    expect(json).toContain(link('plain', 'plain'));
    expect(json).toContain('key=a%3Cb%3E%5D%28c>)');
  });

  it('has no link where the page is not known', () => {
    const { objectUrl: _, ...links } = allLinks;
    const json = JSON.stringify(posted(news('firing', withKeys('plain')), 'connector', links));
    expect(json).toContain('plain (7 times)');
    expect(json).not.toContain('objects?');
  });

  it('shows a long key without a link, and many keys in a shorter form', () => {
    const long = 'é'.repeat(300);
    const card = posted(news('firing', withKeys(long)), 'connector');
    expect(JSON.stringify(card)).not.toContain('objects?');
    const keys = Array.from({ length: 12 }, (_, index) => `${index}`.padEnd(500, 'x'));
    for (const form of forms)
      posted(news('firing', ...Array.from({ length: 9 }, () => withKeys(...keys))), form);
  });
});

it('refuses links that a service would not open', () => {
  const links = { ...allLinks, statusPageUrl: 'javascript:alert(1)' };
  expect(() => renderCard(news('firing', example('backendErrors')), 'connector', links)).toThrow(
    UnwritableCardError,
  );
});

it('has an example for every name in alerts.rules, and for no other', () => {
  for (const rule of alertNames) expect(example(rule).rule).toBe(rule);
  expect(exampleAlert('unheardOf', NOW_MS)).toBeUndefined();
  expect(exampleAlert('backendErrors', NOW_MS, { backendErrors: false })?.rule).toBe('backendErrors');
  const notice = exampleNotification(example('heartbeat'), 'firing', NOW_MS);
  expect([notice.kind, isNoticeName('heartbeat')]).toEqual(['notice', true]);
});
