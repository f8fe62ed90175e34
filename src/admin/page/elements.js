// @ts-check
/** Elements built from data. Strings always become text, never markup. */

/**
 * @param {string} id
 * @returns {HTMLElement}
 */
export function byId(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no #${id}`);
  return found;
}

/**
 * Shows characters that would not be seen, or would change the order of others, as escapes such as `\u{202e}`.
 * @param {string} text
 */
export function visible(text) {
  return text.replace(/[\p{C}\u2028\u2029]/gu, hidden => `\\u{${hidden.codePointAt(0)?.toString(16)}}`);
}

/**
 * An element with attributes and children.
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {Readonly<Record<string, string>>} [attributes]
 * @param {...(string | Node)} children
 * @returns {HTMLElementTagNameMap[Name]}
 */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

/**
 * Fills the table `id`. A heading that begins with `#` is over a column of numbers.
 * @param {string} id
 * @param {readonly string[]} headings
 * @param {readonly (readonly HTMLTableCellElement[])[]} rows
 */
export function fillTable(id, headings, rows) {
  const head = headings.map(text =>
    element('th', text.startsWith('#') ? { class: 'number' } : {}, text.replace('#', '')),
  );
  byId(id).replaceChildren(element('tr', {}, ...head), ...rows.map(cells => element('tr', {}, ...cells)));
}

/**
 * A table cell with a number.
 * @param {string} text
 */
export function numberCell(text, kind = 'number') {
  return element('td', { class: kind }, text);
}

/**
 * Fills the list of facts `list` with names and values.
 * @param {HTMLElement} list a `dl`
 * @param {readonly (readonly [name: string, value: string | Node])[]} facts
 */
export function fillFacts(list, facts) {
  list.replaceChildren(
    ...facts.flatMap(([name, value]) => [element('dt', {}, name), element('dd', {}, value)]),
  );
}
