// @ts-check
const SVG = 'http://www.w3.org/2000/svg';

/**
 * A line through the latest `values`, filled below; the chart has room for `length` of them.
 * @param {readonly number[]} values
 * @param {number} length
 * @param {number} [top] the value at the upper edge
 */
export function spark(values, length, top = Math.max(...values, 1)) {
  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('class', 'spark');
  svg.setAttribute('viewBox', '0 0 100 44');
  svg.setAttribute('preserveAspectRatio', 'none');
  svg.setAttribute('aria-hidden', 'true');
  const step = 100 / (length - 1);
  const start = 100 - (values.length - 1) * step;
  const points = values.map((value, index) => `${start + index * step},${42 - (value / top) * 38}`);
  svg.append(
    path('area', `M${start},44 L${points.join(' L')} L100,44 Z`),
    path('line', `M${points.join(' L')}`),
  );
  return svg;
}

/**
 * @param {string} name
 * @param {string} data
 */
function path(name, data) {
  const made = document.createElementNS(SVG, 'path');
  made.setAttribute('class', name);
  made.setAttribute('d', data);
  return made;
}
