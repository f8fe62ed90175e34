const SVG = 'http://www.w3.org/2000/svg';

/** An element with attributes and children; strings become text. */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

/**
 * A line through the latest `values`, filled below; the chart has room for `length` of them.
 * @param top the value at the upper edge
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

function path(name, data) {
  const made = document.createElementNS(SVG, 'path');
  made.setAttribute('class', name);
  made.setAttribute('d', data);
  return made;
}

/** Fills the table `id`. A heading that begins with `#` is over a column of numbers. */
export function table(id, headings, rows) {
  const head = headings.map(text =>
    element('th', text.startsWith('#') ? { class: 'number' } : {}, text.replace('#', '')),
  );
  document
    .getElementById(id)
    .replaceChildren(element('tr', {}, ...head), ...rows.map(cells => element('tr', {}, ...cells)));
}

/** A cell with a number. */
export function number(text, kind = 'number') {
  return element('td', { class: kind }, text);
}
