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
 * Whether a card holds an element that is no native one: the service supports native elements only (docs/cards.md §1). One
 * with a `fallback` is allowed, since the schema has that property for elements which a reader may not know.
 */
export function holdsForeignElement(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(holdsForeignElement);
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(
    ([name, held]) =>
      (places.includes(name) && Array.isArray(held) && held.some(isForeign)) || holdsForeignElement(held),
  );
}

/** Parts such as columns need no type. */
function isForeign(element: unknown): boolean {
  if (typeof element !== 'object' || element === null || !('type' in element)) return false;
  return !nativeElements.has(String(element.type)) && !('fallback' in element);
}
