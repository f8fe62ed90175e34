/** One curve chart with a time axis in UTC. */
import { element } from '../../page/elements.js';
import { formatTimeOfDay } from '../../page/format.js';
import { lonePoints } from './lone-points.js';

/**
 * @typedef {object} Curve
 * @property {string} label
 * @property {string} colour a name of the palette, such as `--hit`
 * @property {readonly (number | null)[]} values
 *
 * @typedef {object} ChartOptions
 * @property {string} title
 * @property {(value: number | null) => string} format
 * @property {number} [top] the fixed upper end of the axis
 * @property {readonly number[]} [steps] the distances that lines of the grid may have
 */

const HEIGHT = 150;
/** On a telephone more charts fit on the screen. */
const NARROW_HEIGHT = 110;
const NARROW = 420;
const MINUTE_S = 60;
const TIME_STEPS_S = [1, 2, 5, 10, 15, 30, 60].map(minutes => minutes * MINUTE_S);

/** A value between two gaps is drawn as a point; else points are drawn where there is room for all, as uPlot does it. */
const LONE_POINTS = {
  size: 5,
  filter: (/** @type {Plot} */ plot, /** @type {number} */ series, /** @type {boolean} */ areAllShown) =>
    areAllShown ? null : lonePoints(plot.data[series] ?? []),
};

/** @param {string} name */
const colourOf = name => getComputedStyle(document.documentElement).getPropertyValue(name);

export class Chart {
  #options;
  #place = element('div', { class: 'plot' });
  #reading = element('p', { class: 'reading subtle' });
  /** @type {Plot | undefined} */
  #plot;
  /** @type {readonly Curve[]} */
  #curves = [];
  /** @type {readonly number[]} */
  #times = [];
  #span = { min: 0, max: 1 };
  /** Labels and colours of the curves that the plot was made for. */
  #made = '';

  /** @param {ChartOptions} options */
  constructor(options) {
    this.#options = options;
    this.element = element('div', { class: 'chart' }, this.#place, this.#reading);
    new ResizeObserver(() => this.#plot?.setSize(this.#size())).observe(this.#place);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.#plot?.redraw());
  }

  /**
   * @param {readonly number[]} times seconds since 1970, ascending
   * @param {readonly Curve[]} curves one value per time
   * @param {{ min: number, max: number }} span the times at both ends of the axis
   */
  show(times, curves, span) {
    this.#times = times;
    this.#curves = curves;
    this.#span = span;
    const data = [times, ...curves.map(({ values }) => values)];
    const made = JSON.stringify(curves.map(({ label, colour }) => [label, colour]));
    if (this.#plot && made === this.#made) this.#plot.setData(data);
    else this.#make(data);
    this.#made = made;
    this.#read();
  }

  /** @param {readonly (readonly (number | null)[])[]} data */
  #make(data) {
    if (typeof uPlot === 'undefined') {
      this.#place.replaceChildren(
        element('p', { class: 'subtle' }, 'Curves need the library uPlot, which is not installed (npm ci).'),
      );
      return;
    }
    this.#place.replaceChildren();
    this.#plot = new uPlot(this.#settings(uPlot), data, this.#place);
    this.#plot.root.setAttribute('role', 'img');
    this.#plot.root.setAttribute('aria-label', this.#options.title);
  }

  #size() {
    return {
      width: this.#place.clientWidth,
      height: document.documentElement.clientWidth <= NARROW ? NARROW_HEIGHT : HEIGHT,
    };
  }

  /** @param {NonNullable<typeof uPlot>} library */
  #settings(library) {
    const { format, top, steps } = this.#options;
    const axis = {
      stroke: () => colourOf('--subtle'),
      font: '11px system-ui, sans-serif',
      grid: { stroke: () => colourOf('--line'), width: 1 },
      ticks: { show: false },
    };
    return {
      ...this.#size(),
      padding: [8, 8, 0, 0],
      legend: { show: false },
      cursor: { sync: { key: 'status' }, y: false, drag: { x: false, y: false }, points: { size: 7 } },
      tzDate: (/** @type {number} */ seconds) => library.tzDate(new Date(seconds * 1_000), 'UTC'),
      hooks: { setCursor: [() => this.#read()] },
      scales: {
        x: { time: true, range: () => [this.#span.min, this.#span.max] },
        y: {
          range: (
            /** @type {Plot} */ _plot,
            /** @type {number} */ _min,
            /** @type {number | null} */ max,
          ) => [0, top ?? upperEnd(max ?? 0, steps)],
        },
      },
      axes: [
        {
          ...axis,
          ...{ size: 24, space: 60, incrs: TIME_STEPS_S },
          values: (/** @type {Plot} */ _plot, /** @type {number[]} */ splits) =>
            splits.map(seconds => formatTimeOfDay(seconds * 1_000).slice(0, 5)),
        },
        {
          ...axis,
          ...{ size: 62, space: 26, ...(steps ? { incrs: steps } : {}) },
          values: (/** @type {Plot} */ _plot, /** @type {number[]} */ splits) => splits.map(format),
        },
      ],
      series: [
        {},
        ...this.#curves.map(({ label, colour }, index) => ({
          ...{ label, width: 1.5, stroke: () => colourOf(colour), points: LONE_POINTS },
          ...(index === 0 && this.#curves.length === 1 ? { fill: () => colourOf('--brand-soft') } : {}),
        })),
      ],
    };
  }

  /** Names the curves; with the pointer over any chart, each with its value at that time. */
  #read() {
    const index = this.#plot?.cursor.idx;
    const seconds = typeof index === 'number' ? this.#times[index] : undefined;
    const parts = this.#curves.map(({ label, colour, values }) => {
      const key = element('span', { class: 'key' });
      key.style.setProperty('--key', `var(${colour})`);
      const value = seconds === undefined ? '' : ` ${this.#options.format(values[Number(index)] ?? null)}`;
      return element('span', {}, key, label, element('b', {}, value));
    });
    const time =
      seconds === undefined ? [] : [element('span', {}, `${formatTimeOfDay(seconds * 1_000)} UTC`)];
    this.#reading.replaceChildren(...parts, ...time);
  }
}

/**
 * The end of the axis for a curve with this maximum: a little more, and a step of the grid at least.
 * @param {number} max
 * @param {readonly number[]} [steps]
 */
function upperEnd(max, steps = [1]) {
  return Math.max(max * 1.1, steps[0] ?? 1);
}
