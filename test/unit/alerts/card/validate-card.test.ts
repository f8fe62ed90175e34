import { describe, expect, expectTypeOf, it } from 'vitest';
import type { AdaptiveAction, AdaptiveCard, ShowCard } from '../../../../src/alerts/card/adaptive-card.ts';
import type { CardForm, TextMessage } from '../../../../src/alerts/card/card.ts';
import type {
  ActionCard,
  ConnectorAction,
  ConnectorCard,
} from '../../../../src/alerts/card/connector-card.ts';
import { renderCard } from '../../../../src/alerts/card/render-card.ts';
import type { UpToFour } from '../../../../src/alerts/card/up-to-four.ts';
import { validateCard } from '../../../../src/alerts/card/validate-card.ts';
import { exampleAlert, exampleNotification } from '../../../../src/alerts/example-alert.ts';
import { allLinks } from '../../../support/card-links.ts';

type Path = readonly (string | number)[];

/** A copy of `value` in which what stands at `path` is replaced by what `change` makes of it. */
function changed(value: unknown, [key, ...rest]: Path, change: (before: unknown) => unknown): unknown {
  if (key === undefined) return change(value);
  if (Array.isArray(value)) {
    const copy: unknown[] = [...value];
    copy[Number(key)] = changed(copy[Number(key)], rest, change);
    return copy;
  }
  const entries = Object.entries(typeof value === 'object' && value !== null ? value : {});
  const before = new Map<string, unknown>(entries);
  return Object.fromEntries(before.set(String(key), changed(before.get(String(key)), rest, change)));
}

function sound(form: CardForm): unknown {
  const alert = exampleAlert('archivedObjects', 0);
  if (!alert) throw new Error('no example');
  return JSON.parse(JSON.stringify(renderCard(exampleNotification(alert, 'firing', 0), form, allLinks)));
}

const times = (count: number) => (before: unknown) =>
  Array.from({ length: count }, () => (Array.isArray(before) ? before[0] : before));
const to = (value: unknown) => () => value;
const without = (key: string) => (before: unknown) =>
  Object.fromEntries(Object.entries(Object(before)).filter(([name]) => name !== key));

const CONTENT: Path = ['attachments', 0, 'content'];
const SILENCE: Path = ['potentialAction', 1];

describe('the validator refuses', () => {
  it.each<[string, CardForm, Path, (before: unknown) => unknown]>([
    ['a card without a summary', 'connector', [], without('summary')],
    ['an empty summary', 'connector', ['summary'], to(' ')],
    ['another type', 'connector', ['@type'], to('AdaptiveCard')],
    ['a colour that is none', 'connector', ['themeColor'], to('red')],
    ['eleven sections', 'connector', ['sections'], times(11)],
    ['six pictures', 'connector', ['sections'], times(6)],
    ['no section', 'connector', ['sections'], to([])],
    ['a section that is HTML', 'connector', ['sections', 0, 'markdown'], to(false)],
    ['a picture from elsewhere', 'connector', ['sections', 0, 'activityImage'], to('file:///etc/passwd')],
    ['five buttons', 'connector', ['potentialAction'], before => [...Object(before), Object(before)[3]]],
    ['an action of another kind', 'connector', [...SILENCE, '@type'], to('InvokeAddInCommand')],
    ['an ActionCard within another', 'connector', [...SILENCE, 'actions', 0, '@type'], to('ActionCard')],
    ['two inputs of one id', 'connector', [...SILENCE, 'inputs', 2, 'id'], to('until')],
    ['one id in two ActionCards', 'connector', ['potentialAction', 2, 'inputs', 0, 'id'], to('why')],
    ['a value nobody is asked for', 'connector', [...SILENCE, 'inputs'], times(1)],
    [
      'a value nobody is asked for, at once',
      'connector',
      ['potentialAction', 0, 'body'],
      to('token=a&x={{x.value}}'),
    ],
    ['a body without a token', 'connector', ['potentialAction', 0, 'body'], to('alert=1')],
    ['a JSON body', 'connector', ['potentialAction', 0, 'bodyContentType'], to('application/json')],
    ['a target that is no web page', 'connector', ['potentialAction', 0, 'target'], to('mailto:a@b.example')],
    [
      'a page that is no web page',
      'connector',
      ['potentialAction', 3, 'targets', 0, 'uri'],
      to('javascript:x'),
    ],
    ['a choice beforehand that is none', 'connector', [...SILENCE, 'inputs', 0, 'value'], to('1')],
    ['no choices', 'connector', [...SILENCE, 'inputs', 0, 'choices'], to([])],
    ['a key of its own', 'connector', ['heroImage'], to('x')],
    ['an action that submits', 'adaptive', [...CONTENT, 'actions', 0, 'type'], to('Action.Submit')],
    ['five actions', 'adaptive', [...CONTENT, 'actions'], before => [...Object(before), Object(before)[3]]],
    ['a later version', 'adaptive', [...CONTENT, 'version'], to('1.6')],
    ['an element of another kind', 'adaptive', [...CONTENT, 'body', 1, 'type'], to('Input.Text')],
    ['two elements of one id', 'adaptive', [...CONTENT, 'body', 1, 'id'], to('details-1')],
    ['showing what is not there', 'adaptive', [...CONTENT, 'actions', 0, 'targetElements'], to(['nothing'])],
    ['a page that is no web page', 'adaptive', [...CONTENT, 'actions', 2, 'url'], to('file:///x')],
    ['two cards', 'adaptive', ['attachments'], times(2)],
    ['another content type', 'adaptive', ['attachments', 0, 'contentType'], to('text/html')],
    ['a text that says nothing', 'text', ['text'], to(' ')],
    ['a text with more to it', 'text', ['title'], to('x')],
  ])('%s (%#: %s)', (_, form, path, change) => {
    expect(validateCard(sound(form), form).kind).toBe('valid');
    const verdict = validateCard(changed(sound(form), path, change), form);
    expect(verdict).toEqual({ kind: 'invalid', problems: expect.arrayContaining([expect.any(String)]) });
  });

  it('a card longer than 14 000 bytes of UTF-8', () => {
    const card = (length: number) => ({ text: '€'.repeat(length) });
    const frame = Buffer.byteLength('{"text":""}');
    const longest = Math.floor((14_000 - frame) / 3);
    expect(validateCard(card(longest), 'text')).toEqual({ kind: 'valid', bytes: frame + longest * 3 });
    expect(validateCard(card(longest + 1), 'text').kind).toBe('too-large');
  });
});

/** Checked by the compiler, when the tests' types are. */
describe('what does not compile', () => {
  it('is a card whose texts were not escaped', () => {
    expectTypeOf<string>().not.toExtend<ConnectorCard['title']>();
    expectTypeOf<string>().not.toExtend<TextMessage['text']>();
  });

  it('is a fifth button', () => {
    type Five = readonly [
      ConnectorAction,
      ConnectorAction,
      ConnectorAction,
      ConnectorAction,
      ConnectorAction,
    ];
    expectTypeOf<Five>().not.toExtend<ConnectorCard['potentialAction']>();
    expectTypeOf<readonly AdaptiveAction[]>().not.toExtend<AdaptiveCard['actions']>();
    expectTypeOf<readonly [ConnectorAction]>().toExtend<UpToFour<ConnectorAction>>();
  });

  it('is an ActionCard, or a link, within an ActionCard, or one that asks nothing', () => {
    expectTypeOf<ActionCard>().not.toExtend<ActionCard['actions'][0]>();
    expectTypeOf<Extract<ConnectorAction, { '@type': 'OpenUri' }>>().not.toExtend<ActionCard['actions'][0]>();
    expectTypeOf<readonly []>().not.toExtend<ActionCard['inputs']>();
  });

  it('is an adaptive card that submits, or one that unfolds a card with buttons', () => {
    expectTypeOf<AdaptiveAction['type']>().toEqualTypeOf<
      'Action.OpenUrl' | 'Action.ShowCard' | 'Action.ToggleVisibility'
    >();
    expectTypeOf<ShowCard['card']>().not.toHaveProperty('actions');
  });
});
