/**
 * The indexes of values that stand alone: no line is drawn to or from them, so that they need a point.
 *
 * @param {readonly (number | null)[]} values
 * @returns {number[]}
 */
export function lonePoints(values) {
  const isThere = (/** @type {number} */ index) => (values[index] ?? null) !== null;
  return [...values.keys()].filter(index => isThere(index) && !isThere(index - 1) && !isThere(index + 1));
}
