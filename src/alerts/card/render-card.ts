import type { Notification } from '../alert.ts';
import type { CardForm, CardLinks, CardPayload } from './card.ts';
import { type CardContent, contentOf, withoutActions } from './card-content.ts';
import { detailLevels } from './detail.ts';
import { validateCard } from './validate-card.ts';
import { writeAdaptiveCard } from './write-adaptive-card.ts';
import { writeConnectorCard } from './write-connector-card.ts';
import { writeText } from './write-text.ts';

/** No valid card can be made of the notification. */
export class UnwritableCardError extends Error {
  readonly code = 'UNWRITABLE_CARD';

  constructor(form: CardForm, problems: readonly string[]) {
    super(`no ${form} card can be made: ${problems.join('; ')}`);
  }
}

const writers: Readonly<Record<CardForm, (content: CardContent) => CardPayload>> = {
  connector: writeConnectorCard,
  adaptive: writeAdaptiveCard,
  text: writeText,
};

/**
 * Renders a valid card of at most `MAX_CARD_BYTES`; a longer one is shortened, with a note.
 * @throws UnwritableCardError when a link is invalid, or when even the shortest card is too long
 */
export function renderCard(notification: Notification, form: CardForm, links: CardLinks): CardPayload {
  // only connector cards can post: for other forms no buttons are signed
  const usable = form === 'connector' ? links : withoutActions(links);
  for (const detail of detailLevels) {
    const card = writers[form](contentOf(notification, usable, detail));
    const verdict = validateCard(card, form);
    if (verdict.kind === 'valid') return card;
    if (verdict.kind === 'invalid') throw new UnwritableCardError(form, verdict.problems);
  }
  throw new UnwritableCardError(form, ['it would be too long']);
}
