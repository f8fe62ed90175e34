// @ts-check
import { byId } from '../../page/elements.js';
import { formatTimeOfDay } from '../../page/format.js';
import { hostConfig } from './host-config.js';

/** @typedef {import('../channel.ts').ChannelMessage} ChannelMessage */
/** @typedef {import('../press-button.ts').PressOutcome} PressOutcome */
/** @typedef {ReturnType<import('../channel.ts').Channel['levels']>} Levels */

const { AdaptiveCards, markdownit } = globalThis;
const dark = matchMedia('(prefers-color-scheme: dark)');
const markdown = markdownit({ html: false, linkify: false, breaks: true });
/** @type {Map<number, { message: ChannelMessage, item: HTMLElement }>} */
const shown = new Map();

AdaptiveCards.AdaptiveCard.onProcessMarkdown = (
  /** @type {string} */ text,
  /** @type {{ outputHtml?: string, didProcess: boolean }} */ result,
) => {
  result.outputHtml = markdown.render(text);
  result.didProcess = true;
};

const stream = byId('stream');
const list = byId('messages');
byId('try').textContent =
  `curl -X POST -H 'content-type: application/json' -d '{}' ${location.origin}/api/alerts/test`;

// the newest card is in view until the reader scrolls up, and again once they are back at the end
let followsEnd = true;
let lastTop = 0;
stream.addEventListener('scroll', () => {
  const isAtEnd = stream.scrollHeight - stream.scrollTop - stream.clientHeight < 80;
  // a card that grows leaves the position as it is: only readers move up
  if (isAtEnd || stream.scrollTop < lastTop) followsEnd = isAtEnd;
  lastTop = stream.scrollTop;
});
// cards grow after they have been put in, when their pictures and fonts arrive
const sizes = new ResizeObserver(() => {
  if (followsEnd) stream.scrollTop = stream.scrollHeight;
});
sizes.observe(list);
sizes.observe(stream);

const events = new EventSource('/channel/events');
events.onopen = () => connection('live');
events.onerror = () => connection('reconnecting');
events.addEventListener('message', event => show(JSON.parse(event.data)));
events.addEventListener('levels', event => showLevels(JSON.parse(event.data)));
dark.addEventListener('change', () => {
  for (const { message, item } of shown.values()) fill(item, message);
});

/** @param {'live' | 'reconnecting'} state */
function connection(state) {
  const sign = byId('connection');
  sign.dataset.state = state;
  sign.textContent = state;
}

/** @param {ChannelMessage} message */
function show(message) {
  const known = shown.get(message.id);
  // after a reconnection the stream begins from the front
  if (known && JSON.stringify(known.message) === JSON.stringify(message)) return;
  const item = known?.item ?? newItem();
  shown.set(message.id, { message, item });
  fill(item, message);
  byId('empty').hidden = true;
  if (!known) list.append(item);
}

function newItem() {
  const template = byId('message');
  if (!(template instanceof HTMLTemplateElement)) throw new Error('#message is no template');
  const item = template.content.firstElementChild?.cloneNode(true);
  if (!(item instanceof HTMLElement)) throw new Error('#message is empty');
  return item;
}

/**
 * @param {HTMLElement} item
 * @param {ChannelMessage} message
 */
function fill(item, message) {
  item.dataset.message = String(message.id);
  item.style.setProperty('--accent', message.accent ?? 'var(--line-strong)');
  const time = part(item, 'time');
  const at = new Date(message.receivedAtMs);
  time.setAttribute('datetime', at.toISOString());
  time.textContent = `${formatTimeOfDay(message.receivedAtMs)} UTC`;
  part(item, '.refreshed').hidden = message.refreshedAtMs === undefined;
  part(item, '.cards').replaceChildren(...message.cards.map(card => render(item, message, card)));
}

/**
 * @param {HTMLElement} item
 * @param {ChannelMessage} message
 * @param {ChannelMessage['cards'][number]} json
 */
function render(item, message, json) {
  const card = new AdaptiveCards.AdaptiveCard();
  card.hostConfig = new AdaptiveCards.HostConfig(hostConfig(dark.matches));
  card.onExecuteAction = action => {
    if (action instanceof AdaptiveCards.OpenUrlAction && action.url) open(action.url, '_blank', 'noopener');
    if (action instanceof AdaptiveCards.SubmitAction) void press(item, message.id, { ...action.data });
  };
  const frame = document.createElement('div');
  frame.className = 'card';
  try {
    card.parse(forThisSystem(json));
    frame.append(card.render() ?? '');
  } catch (error) {
    frame.textContent = `This card cannot be shown: ${error instanceof Error ? error.message : error}`;
  }
  return frame;
}

const systems = /** @type {const} */ ([
  ['iOS', /iPhone|iPad|iPod/],
  ['android', /Android/],
  ['windows', /Windows/],
]);
const system = systems.find(([, sign]) => sign.test(navigator.userAgent))?.[0];

/**
 * Links with a target of their own for the reader's system lead to that.
 * @param {any} json
 * @returns {any}
 */
function forThisSystem(json) {
  if (Array.isArray(json)) return json.map(forThisSystem);
  if (typeof json !== 'object' || json === null) return json;
  const copy = Object.fromEntries(Object.entries(json).map(([name, value]) => [name, forThisSystem(value)]));
  if (copy.type !== 'Action.OpenUrl' || !Array.isArray(copy.targets)) return copy;
  const { targets, ...action } = copy;
  const own = targets.find(({ os }) => String(os).toLowerCase() === system?.toLowerCase());
  return own ? { ...action, url: own.uri } : action;
}

/**
 * @param {HTMLElement} item
 * @param {number} message
 * @param {Record<string, unknown>} data what the button carries, and the inputs of its card by id
 */
async function press(item, message, { action, ...entered }) {
  tell(item, 'waiting', 'Asking the gateway …');
  const inputs = joinDates(entered);
  const answer = await fetch('/channel/actions', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ message, action, inputs }),
  }).catch(() => undefined);
  /** @type {PressOutcome} */
  const outcome = answer?.ok
    ? await answer.json()
    : { kind: 'failed', status: 'The channel does not answer.' };
  tell(item, outcome.kind, outcome.status);
}

/**
 * A date with a time beside it (`until` and `until:time`) becomes one moment in UTC.
 * @param {Record<string, unknown>} entered
 */
function joinDates(entered) {
  /** @type {Record<string, string>} */
  const inputs = {};
  for (const [id, value] of Object.entries(entered))
    if (!id.endsWith(':time')) inputs[id] = String(value ?? '');
  for (const [id, time] of Object.entries(entered)) {
    if (!id.endsWith(':time')) continue;
    const dateId = id.slice(0, -':time'.length);
    const moment = new Date(`${inputs[dateId]}T${time || '00:00'}`);
    if (!Number.isNaN(moment.getTime())) inputs[dateId] = moment.toISOString();
  }
  return inputs;
}

/**
 * @param {HTMLElement} item
 * @param {'waiting' | PressOutcome['kind']} kind
 * @param {string} text
 */
function tell(item, kind, text) {
  const outcome = part(item, '.outcome');
  outcome.hidden = false;
  outcome.dataset.kind = kind;
  outcome.textContent = text;
}

/** @param {Levels} levels */
function showLevels(levels) {
  byId('levels').replaceChildren(
    ...levels.map(({ windowSeconds, used, limit }) => {
      const level = document.createElement('li');
      const meter = document.createElement('meter');
      Object.assign(meter, {
        min: 0,
        max: limit,
        high: limit * 0.8,
        optimum: 0,
        value: Math.min(used, limit),
      });
      const label = document.createElement('span');
      label.textContent = `${used}/${limit} in ${windowName(windowSeconds)}`;
      level.append(label, meter);
      return level;
    }),
  );
}

/** @param {number} seconds */
function windowName(seconds) {
  if (seconds < 60) return `${seconds} s`;
  return seconds < 86_400 ? `${seconds / 3_600} h` : '1 d';
}

/**
 * @param {HTMLElement} item
 * @param {string} selector
 */
function part(item, selector) {
  const found = item.querySelector(selector);
  if (!(found instanceof HTMLElement)) throw new Error(`a message has no ${selector}`);
  return found;
}
