/** The figures of the last minute, each above its curve. */
import { byId, element } from '../../page/elements.js';
import { formatByteRate, formatCount, formatDuration, formatRatio, splitUnit } from '../../page/format.js';
import { Chart } from './chart.js';

/**
 * @typedef {import('../status-report.ts').StatusReport} StatusReport
 * @typedef {import('./traffic.js').Traffic} Traffic
 * @typedef {import('./chart.js').Curve} Curve
 *
 * @typedef {object} Panel
 * @property {string} title
 * @property {(value: number | null) => string} format
 * @property {number} [top]
 * @property {readonly number[]} [steps]
 * @property {(traffic: Traffic, report: StatusReport) => { figure: string, note: string, isBad?: boolean }} now
 * @property {(traffic: Traffic) => readonly Curve[]} curves
 */

/** Curves of more buckets cannot be told apart. */
const MAX_CURVES = 6;
const COLOURS = ['--hit', '--miss', '--stale', '--partial', '--good', '--attention'];

/** @param {number | null} perSecond */
const formatRate = perSecond => (perSecond === null ? '–' : `${formatCount(perSecond)}/s`);
/** @param {number | null} bytesPerSecond */
const formatBytesRate = bytesPerSecond => (bytesPerSecond === null ? '–' : formatByteRate(bytesPerSecond));
/** @param {number | null} seconds */
const formatSeconds = seconds => formatDuration(seconds === null ? null : seconds * 1_000);

const decimalSteps = [-4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6].flatMap(power =>
  [1, 2, 5].map(digit => Number(`${digit}e${power}`)),
);
const ratioSteps = [0.01, 0.02, 0.05, 0.1, 0.2, 0.25, 0.5];
const byteSteps = Array.from({ length: 40 }, (_, power) => 2 ** power);

/** @type {readonly Panel[]} */
const panels = [
  {
    ...{ title: 'Requests', format: formatRate, steps: decimalSteps.filter(step => step >= 1) },
    now: (traffic, { requests }) => ({
      figure: formatRate(traffic.lastMinute('requests')).replace('/s', ' req/s'),
      note: `${formatCount(requests.total)} since the start, ${formatCount(requests.inFlight)} running`,
    }),
    curves: traffic => [{ label: 'requests', colour: '--brand', values: traffic.rates('requests') }],
  },
  {
    ...{ title: 'Errors', format: formatRatio, steps: ratioSteps },
    now: (_, { lastMinute, requests }) => ({
      figure: formatRatio(lastMinute.errorRatio),
      note: `answered with 5xx; ${formatCount(requests.serverErrors)} of ${formatCount(requests.total)} since the start`,
      isBad: (lastMinute.errorRatio ?? 0) > 0,
    }),
    curves: traffic => [
      { label: 'error rate', colour: '--attention', values: traffic.ratios('errors', 'requests') },
    ],
  },
  {
    ...{ title: 'First byte', format: formatSeconds, steps: decimalSteps.filter(step => step >= 0.001) },
    now: (_, { lastMinute: { firstByteS } }) => ({
      figure: formatSeconds(firstByteS.p99),
      note: `p99; p50 ${formatSeconds(firstByteS.p50)}`,
    }),
    curves: traffic => [
      { label: 'p99', colour: '--miss', values: traffic.values('firstByteP99S') },
      { label: 'p50', colour: '--hit', values: traffic.values('firstByteP50S') },
    ],
  },
  {
    ...{ title: 'Hit ratio', format: formatRatio, top: 1, steps: ratioSteps },
    now: (_, { lastMinute, requests }) => ({
      figure: formatRatio(lastMinute.hitRatio),
      note: `of what could be cached; ${formatRatio(requests.hitRatio)} since the start`,
    }),
    curves: traffic => [{ label: 'hit ratio', colour: '--brand', values: traffic.ratios('hits', 'reads') }],
  },
  {
    ...{ title: 'Bytes', format: formatBytesRate, steps: byteSteps },
    now: traffic => ({
      figure: formatBytesRate(traffic.lastMinute('sentBytes')),
      note: [
        'sent',
        `${formatBytesRate(traffic.lastMinute('storeBytes'))} from stores`,
        `${formatBytesRate(traffic.lastMinute('receivedBytes'))} from clients`,
      ].join('; '),
    }),
    curves: traffic => [
      { label: 'to clients', colour: '--hit', values: traffic.rates('sentBytes') },
      { label: 'from stores', colour: '--miss', values: traffic.rates('storeBytes') },
      { label: 'from clients', colour: '--partial', values: traffic.rates('receivedBytes') },
    ],
  },
  {
    ...{ title: 'Hit ratio by bucket', format: formatRatio, top: 1, steps: ratioSteps },
    now: (_, { buckets }) => {
      const read = buckets.filter(({ hitRatio }) => hitRatio !== null);
      const lowest = read.sort((a, b) => (a.hitRatio ?? 0) - (b.hitRatio ?? 0))[0];
      return {
        figure: formatRatio(lowest?.hitRatio ?? null),
        note: lowest
          ? `of ${lowest.name}${read.length > 1 ? `, the lowest of ${read.length}` : ''}`
          : 'no bucket was read',
      };
    },
    curves: traffic =>
      traffic.hitRatios(MAX_CURVES).map(({ name, values }, index) => ({
        label: bucketLabel(name),
        colour: COLOURS[index] ?? '--bypass',
        values,
      })),
  },
];

/** @param {string | null} name */
function bucketLabel(name) {
  if (name === null) return 'further buckets';
  return name === '_other' ? 'not configured by name' : name;
}

/** @type {readonly { panel: Panel, chart: Chart, figure: HTMLElement, note: HTMLElement }[]} */
let shown = [];

/**
 * @param {Traffic} traffic
 * @param {StatusReport} report
 * @param {number} rangeS the length of the time axis
 */
export function showCharts(traffic, report, rangeS) {
  if (shown.length === 0) build();
  const times = traffic.times();
  const end = times.at(-1) ?? Date.now() / 1_000;
  byId('charts').toggleAttribute('data-empty', times.length === 0);
  for (const { panel, chart, figure, note } of shown) {
    const now = panel.now(traffic, report);
    const [value, unit] = splitUnit(now.figure);
    figure.replaceChildren(value, element('small', {}, unit));
    figure.classList.toggle('bad', now.isBad === true);
    note.textContent = now.note;
    chart.show(times, panel.curves(traffic), { min: end - rangeS, max: end });
  }
}

function build() {
  shown = panels.map(panel => ({
    panel,
    chart: new Chart(panel),
    figure: element('p', { class: 'figure' }),
    note: element('p', { class: 'subtle' }),
  }));
  byId('charts').replaceChildren(
    ...shown.map(({ panel, chart, figure, note }) =>
      element(
        'section',
        { class: 'panel tile' },
        element('h2', {}, panel.title),
        figure,
        note,
        chart.element,
      ),
    ),
  );
}
