/** The native elements of adaptive cards, up to version 1.6 of their schema, with the parts that have a type of their own. */
const nativeElements: ReadonlySet<string> = new Set([
  'TextBlock',
  'RichTextBlock',
  'TextRun',
  'Image',
  'ImageSet',
  'Media',
  'Container',
  'ColumnSet',
  'Column',
  'FactSet',
  'ActionSet',
  'Table',
  'TableRow',
  'TableCell',
  'Input.Text',
  'Input.Number',
  'Input.Date',
  'Input.Time',
  'Input.Toggle',
  'Input.ChoiceSet',
]);

/** The properties that hold elements. */
const places = ['body', 'items', 'columns', 'rows', 'cells', 'images', 'inlines'];

/**
 * Whether a card holds an element that is no native one: the service supports native elements only (docs/cards.md,
 * Adaptive card envelope), also where an unknown one has a `fallback`, which the document does not name.
 */
export function holdsForeignElement(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(holdsForeignElement);
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(
    ([name, held]) =>
      (places.includes(name) && Array.isArray(held) && held.some(isForeign)) ||
      (name === 'fallback' && isForeign(held) && !isAction(held)) ||
      holdsForeignElement(held),
  );
}

/** Parts such as columns need no type. */
function isForeign(element: unknown): boolean {
  if (typeof element !== 'object' || element === null || !('type' in element)) return false;
  return !nativeElements.has(String(element.type));
}

/** Those have their own rule, see `readPostedCard`. */
function isAction(value: unknown): boolean {
  return (
    typeof value === 'object' && value !== null && 'type' in value && /^action\./i.test(String(value.type))
  );
}
