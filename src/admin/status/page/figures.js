/** Tables and lists of the page that show `/api/status` as it is. */

import { formatMoment } from '../../../base/time-text.js';
import { byId, element, fillFacts, fillTable, numberCell } from '../../page/elements.js';
import { formatBytes, formatCount, formatRatio } from '../../page/format.js';
import { objectPage } from '../../page/object-page.js';

/** @typedef {import('../status-report.ts').StatusReport} StatusReport */

/** The configuration's name for all other buckets. */
const ANY_BUCKET = '*';

const OUTCOMES = ['HIT', 'REVALIDATED', 'STALE', 'PARTIAL', 'MISS', 'BYPASS'];

/** @param {StatusReport} report */
export function showFigures(report) {
  showOutcomes(report.requests);
  showTiers(report.cache);
  showProcess(report);
  showBackends(report.backends);
  showBuckets(report.buckets);
}

/** @param {StatusReport['requests']} requests */
function showOutcomes({ byCache, total }) {
  const known = OUTCOMES.map(outcome => ({ name: outcome, count: byCache[outcome] ?? 0 }));
  const other = total - known.reduce((sum, { count }) => sum + count, 0);
  const shares = [...known, { name: 'other', count: other }].filter(({ count }) => count > 0);
  byId('outcomes').setAttribute('aria-label', shares.map(({ name, count }) => `${name} ${count}`).join(', '));
  byId('outcomes').replaceChildren(
    ...shares.map(({ name, count }) => {
      const part = element('span', { 'data-cache': name, title: `${name}: ${formatCount(count)}` });
      part.style.setProperty('--share', String(count));
      return part;
    }),
  );
  const legend = shares.map(({ name, count }) =>
    element('li', { 'data-cache': name }, name, element('b', {}, formatCount(count))),
  );
  byId('legend').replaceChildren(
    ...(legend.length > 0 ? legend : [element('li', { class: 'subtle' }, 'no requests yet')]),
  );
}

/** @param {StatusReport['cache']} tiers */
function showTiers(tiers) {
  byId('tiers').replaceChildren(
    ...tiers.map(({ tier, bytes, capacityBytes, entries }) => {
      const filled = element('span');
      filled.style.setProperty('--filled', `${capacityBytes > 0 ? (bytes / capacityBytes) * 100 : 0}%`);
      const held = entries === 1 ? '1 entry' : `${formatCount(entries)} entries`;
      const text = `${formatBytes(bytes)} of ${formatBytes(capacityBytes)} · ${held}`;
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

/** @param {StatusReport} report */
function showProcess({
  residentBytes,
  objectBytes,
  fillsInFlight,
  workerRestarts,
  startedAt,
  workers,
  bytes,
}) {
  fillFacts(byId('process'), [
    ['Memory', formatBytes(residentBytes)],
    ['Cache, for each object', objectBytes === null ? '–' : formatBytes(objectBytes)],
    ['Sent', formatBytes(bytes.sent)],
    ['Received from stores', formatBytes(bytes.fromBackends)],
    ['Received from clients', formatBytes(bytes.fromClients)],
    ['Fills under way', formatCount(fillsInFlight)],
    ['Worker restarts', formatCount(workerRestarts)],
    ['Started', formatMoment(startedAt)],
  ]);
  byId('workers').replaceChildren(
    ...workers.map(({ index, state }) => element('li', { 'data-state': state }, `worker ${index} ${state}`)),
  );
}

/** @param {StatusReport['backends']} backends */
function showBackends(backends) {
  const rows = backends.map(({ name, type, location, requests, errors, bytes, lastMinute, breaker }) => [
    element('td', {}, name),
    element('td', { class: breaker === undefined || breaker === 'closed' ? 'subtle' : 'bad' }, breaker ?? ''),
    numberCell(formatRatio(lastMinute), (lastMinute ?? 0) > 0 ? 'number bad' : 'number'),
    numberCell(formatCount(requests)),
    numberCell(formatCount(errors)),
    numberCell(formatBytes(bytes)),
    element('td', {}, type),
    element('td', { class: 'subtle' }, location),
  ]);
  fillTable(
    'backends',
    ['name', 'breaker', '#failed, last minute', '#requests', '#errors', '#bytes', 'type', 'where'],
    rows,
  );
}

/** @param {StatusReport['buckets']} buckets */
function showBuckets(buckets) {
  const rows = buckets.map(({ name, backend, access, requests, bytes, hitRatio }) => [
    element(
      'td',
      {},
      name === ANY_BUCKET ? name : element('a', { href: objectPage({ bucket: name }) }, name),
    ),
    numberCell(formatRatio(hitRatio)),
    numberCell(formatCount(requests)),
    numberCell(formatBytes(bytes)),
    element('td', {}, access),
    element('td', {}, backend),
  ]);
  fillTable('buckets', ['name', '#hits, last minute', '#requests', '#bytes sent', 'access', 'backend'], rows);
}
