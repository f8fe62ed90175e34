/** Shows `/api/status` and asks again every two seconds. Everything from outside becomes text, never markup. */
import { askAdmin } from '../../page/admin-api.js';
import { byId, element, fillFacts, fillTable, numberCell } from '../../page/elements.js';
import {
  formatByteRate,
  formatBytes,
  formatCount,
  formatDuration,
  formatRatio,
  formatTime,
  splitUnit,
} from '../../page/format.js';
import { spark } from './spark.js';

const INTERVAL_MS = 2_000;
const HISTORY = 90;
const OUTCOMES = ['HIT', 'REVALIDATED', 'STALE', 'PARTIAL', 'MISS', 'BYPASS'];

const history = [];
let links = {};
let shownAlerts = '';

async function refresh() {
  try {
    const answer = await askAdmin('/api/status');
    if (!answer.ok) throw new Error(`status ${answer.status}`);
    show(await answer.json());
    await showAlerts();
  } catch {
    setState('lost', 'no answer');
  }
  setTimeout(refresh, INTERVAL_MS);
}

function setState(state, text) {
  byId('state').dataset.state = state;
  byId('state').textContent = text;
}

function show(report) {
  byId('board').hidden = false;
  byId('about').textContent =
    `${report.version} · ${report.gateway} · up ${formatDuration(report.uptimeS * 1_000)}`;
  const isWell = report.ready && report.warnings.length === 0;
  setState(isWell ? 'ready' : 'not-ready', isWell ? 'ready' : report.ready ? 'in trouble' : 'not ready');
  const reasons = [...report.reasons, ...report.warnings];
  links = report.links;
  byId('reasons').hidden = reasons.length === 0;
  byId('reasons').replaceChildren(...reasons.map(reason => element('li', {}, reason)));
  remember(report);
  showTiles(report);
  showOutcomes(report.requests);
  showTiers(report.cache);
  showProcess(report);
  showBackends(report.backends);
  showBuckets(report.buckets);
}

/** Rates are differences of counters; a restart in between makes them start over. */
function remember(report) {
  const now = { atMs: performance.now(), uptimeS: report.uptimeS, ...counters(report) };
  const last = history.at(-1);
  if (last && last.uptimeS > now.uptimeS) history.length = 0;
  const seconds = last ? (now.atMs - last.atMs) / 1_000 : 0;
  const rate = name => (last && seconds > 0 ? Math.max(0, now[name] - last[name]) / seconds : 0);
  history.push({
    ...now,
    requestRate: rate('requests'),
    sentRate: rate('sent'),
    storeRate: rate('fromStores'),
  });
  if (history.length > HISTORY) history.shift();
}

function counters({ requests, bytes, lastMinute }) {
  return {
    requests: requests.total,
    sent: bytes.sent,
    fromStores: bytes.fromBackends,
    hitPercent: (lastMinute.hitRatio ?? 0) * 100,
    errorPercent: (lastMinute.errorRatio ?? 0) * 100,
    firstByteMs: (lastMinute.firstByteS.p99 ?? 0) * 1_000,
  };
}

function showTiles({ requests, bytes, lastMinute }) {
  const now = history.at(-1);
  const { hitRatio, errorRatio, firstByteS } = lastMinute;
  byId('tiles').replaceChildren(
    tile(
      'Requests',
      [formatCount(now.requestRate), '/s'],
      `${formatCount(requests.total)} in all, ${formatCount(requests.inFlight)} running`,
      'requestRate',
    ),
    tile(
      'Hit ratio',
      splitUnit(formatRatio(hitRatio)),
      'of what could be cached, last minute',
      'hitPercent',
      100,
    ),
    tile('Errors', splitUnit(formatRatio(errorRatio)), 'answered with 5xx, last minute', 'errorPercent', 100),
    tile(
      'First byte',
      splitUnit(formatSeconds(firstByteS.p99)),
      `p99 of the last minute; p50 ${formatSeconds(firstByteS.p50)}`,
      'firstByteMs',
    ),
    tile('Sent', splitUnit(formatByteRate(now.sentRate)), `${formatBytes(bytes.sent)} in all`, 'sentRate'),
    tile(
      'From stores',
      splitUnit(formatByteRate(now.storeRate)),
      `${formatBytes(bytes.fromBackends)} in all`,
      'storeRate',
    ),
  );
}

function formatSeconds(seconds) {
  return formatDuration(seconds === null ? null : seconds * 1_000);
}

function tile(title, [figure, unit], note, series, top) {
  return element(
    'article',
    { class: 'tile' },
    element('h2', {}, title),
    element('p', { class: 'figure' }, figure, element('small', {}, unit)),
    element('p', { class: 'subtle' }, note),
    spark(
      history.map(entry => entry[series]),
      HISTORY,
      top,
    ),
  );
}

function showOutcomes({ byCache, total }) {
  const known = OUTCOMES.filter(outcome => byCache[outcome] > 0).map(outcome => [outcome, byCache[outcome]]);
  const other = total - known.reduce((sum, [, requests]) => sum + requests, 0);
  const shares = other > 0 ? [...known, ['other', other]] : known;
  byId('outcomes').setAttribute(
    'aria-label',
    shares.map(([name, requests]) => `${name} ${requests}`).join(', '),
  );
  byId('outcomes').replaceChildren(
    ...shares.map(([name, requests]) => {
      const part = element('span', { 'data-cache': name, title: `${name}: ${requests}` });
      part.style.setProperty('--share', requests);
      return part;
    }),
  );
  const legend = shares.map(([name, requests]) =>
    element('li', { 'data-cache': name }, name, element('b', {}, formatCount(requests))),
  );
  byId('legend').replaceChildren(
    ...(legend.length > 0 ? legend : [element('li', { class: 'subtle' }, 'no requests yet')]),
  );
}

function showTiers(tiers) {
  byId('tiers').replaceChildren(
    ...tiers.map(({ tier, bytes, capacityBytes, entries }) => {
      const filled = element('span');
      filled.style.setProperty('--filled', `${capacityBytes > 0 ? (bytes / capacityBytes) * 100 : 0}%`);
      const text = `${formatBytes(bytes)} of ${formatBytes(capacityBytes)} · ${formatCount(entries)} entries`;
      const line = element(
        'p',
        { class: 'tier-line' },
        element('span', {}, tier),
        element('span', { class: 'subtle' }, text),
      );
      return element('div', {}, line, element('div', { class: 'gauge' }, filled));
    }),
  );
}

function showProcess({ residentBytes, fillsInFlight, requests, workerRestarts, startedAt, workers }) {
  const facts = [
    ['Memory', formatBytes(residentBytes)],
    ['Fills under way', formatCount(fillsInFlight)],
    ['Server errors', formatCount(requests.serverErrors)],
    ['Worker restarts', formatCount(workerRestarts)],
    ['Started', formatTime(startedAt)],
  ];
  fillFacts(byId('process'), facts);
  byId('workers').replaceChildren(
    ...workers.map(({ index, state }) => element('li', { 'data-state': state }, `worker ${index} ${state}`)),
  );
}

function showBackends(backends) {
  const rows = backends.map(({ name, type, location, requests, errors, bytes, lastMinute }) => [
    element('td', {}, name),
    element('td', {}, type),
    element('td', { class: 'subtle' }, location),
    numberCell(formatCount(requests)),
    numberCell(formatRatio(lastMinute), lastMinute > 0 ? 'number bad' : 'number'),
    numberCell(formatCount(errors), errors > 0 ? 'number bad' : 'number'),
    numberCell(formatBytes(bytes)),
  ]);
  fillTable(
    'backends',
    ['name', 'type', 'where', '#requests', '#failed, last minute', '#errors', '#bytes'],
    rows,
  );
}

function showBuckets(buckets) {
  const rows = buckets.map(({ name, backend, access, requests, bytes }) => [
    element('td', {}, name),
    element('td', {}, backend),
    element('td', {}, access),
    numberCell(formatCount(requests)),
    numberCell(formatBytes(bytes)),
  ]);
  fillTable('buckets', ['name', 'backend', 'access', '#requests', '#bytes sent'], rows);
}

async function showAlerts() {
  const answer = await askAdmin('/api/alerts');
  const { alerts = [] } = answer.ok ? await answer.json() : {};
  const firing = alerts.filter(({ state }) => state === 'firing');
  // what stays as it is keeps the keyboard's focus
  const shown = JSON.stringify([links, firing]);
  if (shown === shownAlerts) return;
  shownAlerts = shown;
  byId('alerts').hidden = firing.length === 0;
  byId('alerts')
    .querySelector('ul')
    .replaceChildren(...firing.map(alertLine));
}

function alertLine({ severity, rule, summary, startedAt, acknowledgedBy, silencedUntil }) {
  const runbook = links.runbook.replaceAll('{rule}', () => encodeURIComponent(rule));
  const notes = [`, since ${formatTime(startedAt)}`];
  if (acknowledgedBy) notes.push(`acknowledged by ${acknowledgedBy}`);
  if (silencedUntil) notes.push(`silenced until ${formatTime(silencedUntil)}`);
  return element(
    'li',
    { 'data-severity': severity },
    element('strong', {}, summary),
    element(
      'span',
      { class: 'subtle' },
      element('a', { href: runbook, title: 'what to do' }, rule),
      notes.join(' · '),
    ),
  );
}

void refresh();
