/** Open alerts, silences, and cards that no webhook took. */

import { formatMoment } from '../../../base/time-text.js';
import { askAdmin, changeAdmin, reasonOf } from '../../page/admin-api.js';
import { byId, element, visible } from '../../page/elements.js';
import { formatCount } from '../../page/format.js';
import { objectPage } from '../../page/object-page.js';
import { askAbout } from './alert-form.js';

/**
 * @typedef {object} ReportedAlert
 * @property {string} id
 * @property {string} rule
 * @property {'pending' | 'firing' | 'resolved'} state
 * @property {string} severity
 * @property {string} summary
 * @property {Readonly<Record<string, string>>} labels
 * @property {string} startedAt
 * @property {readonly import('../../page/object-page.js').NamedObject[]} [subjects]
 * @property {string} [acknowledgedBy]
 * @property {string} [silencedUntil]
 * @property {string} [silencedBy]
 *
 * @typedef {object} ReportedSilence
 * @property {string} id
 * @property {string} [rule]
 * @property {Readonly<Record<string, string>>} labels
 * @property {string} until
 * @property {string} by
 * @property {string} why
 *
 * @typedef {object} ReportedLetter
 * @property {number} id
 * @property {string} webhook
 * @property {number} attempts
 * @property {string} reason
 * @property {string} diedAt
 * @property {readonly { rule: string, summary: string }[]} alerts
 *
 * @typedef {object} ReportedWebhook
 * @property {string} name
 * @property {number} waiting
 * @property {string} [oldestWaitingSince]
 * @property {string} [failing]
 *
 * @typedef {object} AlertsReport
 * @property {readonly ReportedAlert[]} alerts
 * @property {readonly ReportedSilence[]} silences
 * @property {readonly ReportedWebhook[]} webhooks
 * @property {readonly ReportedLetter[]} deadLetters
 */

/** Where the runbook says what to do; `{rule}` stands for the rule's name. */
let runbook = '';

/**
 * @param {string} template
 * @param {number} [patienceMs]
 */
export async function showAlerts(template, patienceMs) {
  runbook = template;
  const answer = await askAdmin('/api/alerts', {}, patienceMs);
  if (!answer.ok) throw new Error(await reasonOf(answer));
  /** @type {AlertsReport} */
  const report = await answer.json();
  const open = report.alerts.filter(({ state }) => state !== 'resolved');
  fill('alerts', open, ({ id }) => id, alertLine);
  fill('silences', report.silences, ({ id }) => id, silenceLine);
  const failing = report.webhooks.filter(({ failing, waiting }) => failing !== undefined && waiting > 0);
  fill('webhooks', failing, ({ name }) => name, webhookLine);
  fill('dead-letters', report.deadLetters, ({ id }) => String(id), letterLine);
  byId('cards').hidden = failing.length + report.deadLetters.length === 0;
  byId('send-all').hidden = report.deadLetters.length < 2;
}

/**
 * Fills the list `id` and hides it where it is empty. A line that stays as it is keeps the keyboard's focus.
 * @template Item
 * @param {string} id
 * @param {readonly Item[]} items
 * @param {(item: Item) => string} keyOf
 * @param {(item: Item) => HTMLElement} line
 */
function fill(id, items, keyOf, line) {
  const list = byId(id);
  const section = list.closest('section');
  if (section && section.id !== 'cards') section.hidden = items.length === 0;
  list.hidden = items.length === 0;
  const known = new Map(
    Array.from(/** @type {NodeListOf<HTMLElement>} */ (list.querySelectorAll(':scope > li')), shown => [
      shown.dataset.key,
      shown,
    ]),
  );
  const wanted = items.map(item => {
    const before = known.get(keyOf(item));
    const state = JSON.stringify([item, runbook]);
    if (before && before.dataset.state === state) return before;
    const made = line(item);
    made.dataset.key = keyOf(item);
    made.dataset.state = state;
    if (before) keepFocus(before, made);
    return made;
  });
  const isSame =
    wanted.length === list.children.length && wanted.every((each, at) => each === list.children[at]);
  if (isSame) return;
  const focused = document.activeElement;
  list.replaceChildren(...wanted);
  const next = wanted.flatMap(
    each => /** @type {HTMLElement | null} */ (each.querySelector('[data-focus]')) ?? [],
  );
  if (next[0]) {
    next[0].removeAttribute('data-focus');
    next[0].focus();
  } else if (focused instanceof HTMLElement && list.contains(focused)) focused.focus();
}

/**
 * Marks in the new line the control that has the focus in the old one.
 * @param {HTMLElement} before
 * @param {HTMLElement} made
 */
function keepFocus(before, made) {
  const controls = (/** @type {HTMLElement} */ line) => Array.from(line.querySelectorAll('a, button'));
  const text = controls(before).find(control => control === document.activeElement)?.textContent;
  const same = controls(made).find(control => text !== undefined && control.textContent === text);
  same?.setAttribute('data-focus', '');
}

/** @param {ReportedAlert} alert */
function alertLine(alert) {
  const { severity, state, rule, summary, startedAt, subjects = [] } = alert;
  const { acknowledgedBy, silencedUntil, silencedBy } = alert;
  const isFiring = state === 'firing';
  const href = runbook.replaceAll('{rule}', () => encodeURIComponent(rule));
  const notes = [`${isFiring ? severity : 'about to fire'}, since ${formatMoment(startedAt)}`];
  if (acknowledgedBy) notes.push(`acknowledged by ${acknowledgedBy}`);
  if (silencedUntil)
    notes.push(`silenced until ${formatMoment(silencedUntil)} by ${silencedBy ?? 'somebody'}`);
  const buttons = [
    ...(isFiring && !acknowledgedBy
      ? [actionButton('Acknowledge', () => askAbout('acknowledge', alert, again))]
      : []),
    ...(silencedUntil ? [] : [actionButton('Silence', () => askAbout('silence', alert, again))]),
  ];
  return element(
    'li',
    { 'data-severity': isFiring ? severity : 'pending' },
    element(
      'div',
      {},
      element('strong', {}, summary),
      element(
        'span',
        { class: 'subtle' },
        element('a', { href, title: 'what to do' }, rule),
        ` · ${notes.join(' · ')}`,
        ...subjects.flatMap(subject => [' · ', objectLink(subject)]),
      ),
    ),
    element('div', { class: 'row' }, ...buttons),
  );
}

/** @param {import('../../page/object-page.js').NamedObject} object */
function objectLink(object) {
  const { bucket, key = '', versionId } = object;
  const version = versionId === undefined ? '' : `, version ${versionId}`;
  const title = 'what is cached of it';
  return element('a', { href: objectPage(object), title }, visible(`${bucket}/${key}${version}`));
}

/** @param {ReportedSilence} silence */
function silenceLine({ id, rule, labels, until, by, why }) {
  const matched = [rule ?? 'any rule', ...Object.entries(labels).map(([name, value]) => `${name}=${value}`)];
  const end = () => change(byId('silences'), `/api/silences?id=${encodeURIComponent(id)}`, {}, 'DELETE');
  return element(
    'li',
    {},
    element(
      'div',
      {},
      element('strong', {}, matched.join(' ')),
      element('span', { class: 'subtle' }, `until ${formatMoment(until)} · ${by}: ${why}`),
    ),
    element('div', { class: 'row' }, actionButton('End', end)),
  );
}

/** @param {ReportedWebhook} webhook */
function webhookLine({ name, waiting, oldestWaitingSince, failing = '' }) {
  const since =
    oldestWaitingSince === undefined ? '' : `, the oldest since ${formatMoment(oldestWaitingSince)}`;
  return element(
    'li',
    {},
    element(
      'div',
      {},
      element('strong', {}, `${name} fails: ${failing}`),
      element(
        'span',
        { class: 'subtle' },
        `${waiting === 1 ? 'one card waits' : `${formatCount(waiting)} cards wait`}${since}; tried again until taken`,
      ),
    ),
  );
}

/** @param {ReportedLetter} letter */
function letterLine({ id, webhook, attempts, reason, diedAt, alerts }) {
  const told = alerts.map(({ rule, summary }) => `${rule}: ${summary}`).join('; ');
  const posts = attempts === 1 ? 'one post' : `${formatCount(attempts)} posts`;
  return element(
    'li',
    {},
    element(
      'div',
      {},
      element('strong', {}, told),
      element(
        'span',
        { class: 'subtle' },
        `given up by ${webhook} at ${formatMoment(diedAt)} after ${posts}: ${reason}`,
      ),
    ),
    element(
      'div',
      { class: 'row' },
      actionButton('Send again', () => resend({ id })),
    ),
  );
}

byId('send-all').addEventListener('click', () => void resend({ all: true }));

/** @param {{ id: number } | { all: true }} what */
function resend(what) {
  return change(byId('cards'), '/api/alerts/resend', what);
}

/**
 * Sends a change and shows why it was refused.
 * @param {HTMLElement} near the problem is told in the section around it
 * @param {string} path
 * @param {unknown} body
 * @param {'POST' | 'DELETE'} [method]
 */
async function change(near, path, body, method) {
  const refused = await changeAdmin(path, body, method).then(
    answer => (answer.ok ? undefined : reasonOf(answer)),
    () => 'The gateway does not answer.',
  );
  const problem = near.closest('section')?.querySelector('.problem');
  if (problem instanceof HTMLElement) {
    problem.hidden = refused === undefined;
    problem.textContent = refused ?? '';
  }
  await again();
}

/** Shows what has changed by a press at once. */
async function again() {
  // the page says itself when there is no answer
  await showAlerts(runbook).catch(() => undefined);
}

/**
 * @param {string} label
 * @param {() => unknown} act
 */
function actionButton(label, act) {
  const made = element('button', { type: 'button' }, label);
  made.addEventListener('click', () => void act());
  return made;
}
