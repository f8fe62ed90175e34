/** How much of a notification a card shows. */
export interface Detail {
  /** Alerts that get a section of their own. */
  readonly alerts: number;
  /** Facts of each. */
  readonly facts: number;
  /** Alerts in each list of a digest. */
  readonly lines: number;
  /** Characters of any one text from outside. */
  readonly characters: number;
  readonly advice: boolean;
  readonly images: boolean;
  /** Whether it offers to do something, which takes a long signature each time. */
  readonly actions: boolean;
}

/**
 * From all there is down to what always fits: a card that is too large is written again with the next. One section
 * of the ten is kept free for the note that something is missing.
 */
export const detailLevels: readonly Detail[] = [
  { alerts: 9, facts: 12, lines: 40, characters: 1_000, advice: true, images: true, actions: true },
  { alerts: 9, facts: 8, lines: 40, characters: 250, advice: true, images: true, actions: true },
  { alerts: 9, facts: 5, lines: 30, characters: 100, advice: true, images: false, actions: true },
  { alerts: 5, facts: 4, lines: 20, characters: 80, advice: false, images: false, actions: true },
  { alerts: 3, facts: 3, lines: 10, characters: 60, advice: false, images: false, actions: true },
  { alerts: 1, facts: 2, lines: 5, characters: 40, advice: false, images: false, actions: true },
  { alerts: 1, facts: 2, lines: 5, characters: 40, advice: false, images: false, actions: false },
];
