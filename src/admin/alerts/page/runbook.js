// @ts-check
/** Marks which rules fire, again and again, and puts the address of this page into the commands. */

import { formatMoment } from '../../../base/time-text.js';
import { askAdmin, fetchAdmin } from '../../page/admin-api.js';
import { byId, element } from '../../page/elements.js';
import { formatDuration } from '../../page/format.js';

/**
 * The part of an alert of `/api/alerts` that is shown.
 * @typedef {object} Alert
 * @property {string} rule
 * @property {'pending' | 'firing' | 'resolved'} state
 * @property {string} severity
 * @property {string} summary
 * @property {Readonly<Record<string, string>>} labels
 * @property {string} startedAt
 * @property {string} [endedAt]
 * @property {string} [acknowledgedBy]
 * @property {string} [silencedUntil]
 */

const INTERVAL_MS = 5_000;

let shown = '';

for (const place of document.querySelectorAll('.admin-url')) place.textContent = location.origin;

byId('unlock').addEventListener('click', async () => {
  await askAdmin('/api/alerts');
  await refresh();
});

async function refresh() {
  const answer = await fetchAdmin('/api/alerts').catch(() => undefined);
  byId('locked').hidden = answer?.status !== 401;
  byId('summary').hidden = answer?.status === 401;
  if (answer?.ok) show((await answer.json()).alerts);
  else if (answer?.status !== 401)
    summarize('The gateway does not answer: what is marked may be out of date.', true);
}

/** @param {readonly Alert[]} alerts */
function show(alerts) {
  const firing = alerts.filter(({ state }) => state === 'firing').length;
  if (firing > 0) summarize(`${firing} ${firing === 1 ? 'alert fires' : 'alerts fire'} now.`, true);
  else summarize('No alert fires now.', false);
  // what stays as it is keeps the keyboard's focus and the selection
  const minute = Math.floor(Date.now() / 60_000);
  const now = JSON.stringify([minute, alerts]);
  if (now === shown) return;
  shown = now;
  for (const place of document.querySelectorAll('.index li, .rule')) {
    if (place instanceof HTMLElement)
      mark(
        place,
        alerts.filter(({ rule }) => rule === place.dataset.rule),
      );
  }
}

/**
 * @param {string} text
 * @param {boolean} isTrouble
 */
function summarize(text, isTrouble) {
  const summary = byId('summary');
  summary.hidden = false;
  summary.toggleAttribute('data-firing', isTrouble);
  if (summary.textContent !== text) summary.textContent = text;
}

/**
 * @param {HTMLElement} place a line of the index, or a section
 * @param {readonly Alert[]} alerts those of its rule
 */
function mark(place, alerts) {
  const [worst] = [...alerts].sort((a, b) => rank(a) - rank(b));
  place.dataset.now = worst?.state ?? 'inactive';
  const now = place.querySelector('.now');
  if (now) now.textContent = worst ? stateOf(worst) : '';
  const list = place.querySelector('.firing');
  if (!(list instanceof HTMLElement)) return;
  list.hidden = alerts.length === 0;
  list.replaceChildren(...alerts.map(line));
}

/** @param {Alert} alert */
function rank({ state }) {
  return ['firing', 'pending', 'resolved'].indexOf(state);
}

/** @param {Alert} alert */
function stateOf({ state, startedAt, endedAt }) {
  if (state === 'resolved') return `ended ${ago(endedAt ?? startedAt)} ago`;
  const since = `for ${ago(startedAt)}`;
  return state === 'firing' ? `firing ${since}` : `about to fire, ${since}`;
}

/** @param {string} at */
function ago(at) {
  const minutes = Math.floor((Date.now() - Date.parse(at)) / 60_000);
  return minutes < 1 ? 'less than 1 min' : formatDuration(minutes * 60_000);
}

/** @param {Alert} alert */
function line(alert) {
  const { state, severity, summary, labels, startedAt, endedAt, acknowledgedBy, silencedUntil } = alert;
  const notes = [
    { firing: 'Firing', pending: 'About to fire', resolved: 'Ended' }[state],
    ...Object.entries(labels).map(([name, value]) => `${name} ${value}`),
    `since ${formatMoment(startedAt)}`,
    ...(endedAt ? [`until ${formatMoment(endedAt)}`] : []),
    ...(acknowledgedBy ? [`acknowledged by ${acknowledgedBy}`] : []),
    ...(silencedUntil ? [`silenced until ${formatMoment(silencedUntil)}`] : []),
  ];
  return element(
    'li',
    { 'data-severity': severity, 'data-state': state },
    element('strong', {}, summary),
    element('span', { class: 'subtle' }, notes.join(' · ')),
  );
}

async function keepFresh() {
  await refresh();
  setTimeout(keepFresh, INTERVAL_MS);
}

void keepFresh();
