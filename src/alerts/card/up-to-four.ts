/** A list of at most four: our own limit on buttons (docs/cards.md, Decided; the service shows six). */
export type UpToFour<Item> =
  | readonly []
  | readonly [Item]
  | readonly [Item, Item]
  | readonly [Item, Item, Item]
  | readonly [Item, Item, Item, Item];

/** The first four items, or all if there are fewer. */
export function firstFour<Item>(items: readonly Item[]): UpToFour<Item> {
  const [a, b, c, d] = items;
  if (a === undefined) return [];
  if (b === undefined) return [a];
  if (c === undefined) return [a, b];
  return d === undefined ? [a, b, c] : [a, b, c, d];
}
