/** How much of a notification a card shows. */
export interface Detail {
  /** The number of alerts with a section of their own. */
  readonly alerts: number;
  /** The number of facts of each. */
  readonly facts: number;
  /** The number of alerts in each list of a digest. */
  readonly lines: number;
  /** The maximum length of any text from outside, in characters. */
  readonly characters: number;
  readonly advice: boolean;
  readonly images: boolean;
  /** Whether names of objects lead to the page that tells about them. */
  readonly objectLinks: boolean;
  /** Whether to include action buttons, each of which needs a long signature. */
  readonly actions: boolean;
}

const everything = { advice: true, images: true, objectLinks: true, actions: true };
const textOnly = { ...everything, images: false, objectLinks: false };
const factsOnly = { ...textOnly, advice: false };

/**
 * From full detail to a minimum that always fits: a card that is too large is rendered again with the next level. One
 * of the ten sections is reserved for the note about omitted content.
 */
export const detailLevels: readonly Detail[] = [
  { alerts: 9, facts: 12, lines: 40, characters: 1_000, ...everything },
  { alerts: 9, facts: 8, lines: 40, characters: 250, ...everything },
  { alerts: 9, facts: 5, lines: 30, characters: 100, ...textOnly },
  { alerts: 5, facts: 4, lines: 20, characters: 80, ...factsOnly },
  { alerts: 3, facts: 3, lines: 10, characters: 60, ...factsOnly },
  { alerts: 1, facts: 2, lines: 5, characters: 40, ...factsOnly },
  { alerts: 1, facts: 2, lines: 5, characters: 40, ...factsOnly, actions: false },
];
