/** Shows `/api/status` and its history, and asks again every two seconds. What comes from outside becomes text, never markup. */

import { formatMoment } from '../../../base/time-text.js';
import { askAdmin } from '../../page/admin-api.js';
import { byId, element } from '../../page/elements.js';
import { formatDuration } from '../../page/format.js';
import { showAlerts } from './alerts.js';
import { showCharts } from './charts.js';
import { showFigures } from './figures.js';
import { Traffic } from './traffic.js';

/** @typedef {import('../status-report.ts').StatusReport} StatusReport */

const INTERVAL_MS = 2_000;
/** A gateway that hangs keeps connections open without an answer. */
const PATIENCE_MS = 8_000;

const traffic = new Traffic();
/** @type {StatusReport | undefined} */
let latest;
/** @type {number | undefined} */
let answeredMs;
let rangeS = 900;

async function refresh() {
  try {
    /** @type {StatusReport} */
    const report = await ask('/api/status');
    if (!traffic.add(await ask(`/api/status/history?after=${traffic.next}`)))
      traffic.add(await ask('/api/status/history'));
    latest = report;
    show(report);
    await showAlerts(report.links.runbook, PATIENCE_MS);
    answeredMs = Date.now();
    byId('lost').hidden = true;
    byId('board').classList.remove('outdated');
  } catch {
    showLost();
  }
  setTimeout(refresh, INTERVAL_MS);
}

/** @param {string} path */
async function ask(path) {
  const answer = await askAdmin(path, {}, PATIENCE_MS);
  if (!answer.ok) throw new Error(`status ${answer.status}`);
  return answer.json();
}

function showLost() {
  setState('lost', 'no answer');
  const since =
    answeredMs === undefined ? '' : ` since ${formatMoment(answeredMs)}. What is shown is from then`;
  byId('lost').textContent = `The admin port gives no answer${since}.`;
  byId('lost').hidden = false;
  byId('board').classList.add('outdated');
}

/**
 * @param {string} state
 * @param {string} text
 */
function setState(state, text) {
  byId('state').dataset.state = state;
  byId('state').textContent = text;
}

/** @param {StatusReport} report */
function showState({ ready, firing, warnings }) {
  const count = warnings.length;
  if (!ready) setState('not-ready', 'not ready');
  else if (firing) setState('not-ready', 'in trouble');
  else if (count > 0) setState('warned', `ready, ${count === 1 ? '1 warning' : `${count} warnings`}`);
  else setState('ready', 'ready');
}

/** @param {StatusReport} report */
function show(report) {
  byId('board').hidden = false;
  byId('about').textContent =
    `${report.version} · ${report.gateway} · up ${formatDuration(report.uptimeS * 1_000)}`;
  showState(report);
  byId('reasons').hidden = report.reasons.length === 0;
  byId('reasons').replaceChildren(...report.reasons.map(reason => element('li', {}, reason)));
  showCharts(traffic, report, rangeS);
  showFigures(report);
}

for (const button of document.querySelectorAll('button[data-range]')) {
  button.addEventListener('click', () => {
    rangeS = Number(button.getAttribute('data-range'));
    for (const each of document.querySelectorAll('button[data-range]'))
      each.setAttribute('aria-pressed', String(each === button));
    if (latest) showCharts(traffic, latest, rangeS);
  });
}

void refresh();
