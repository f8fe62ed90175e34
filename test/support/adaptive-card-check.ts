import { createRequire } from 'node:module';
import type * as Library from 'adaptivecards';

/** The package's entry for modules is no module; its bundle for browsers loads anywhere. */
const library: typeof Library = createRequire(import.meta.url)('adaptivecards/dist/adaptivecards.js');

/**
 * What the renderer's own package finds wrong with a card: everything its parser notices, warnings too, and what
 * `validateProperties` says of the elements. It knows `Action.Submit`; whoever posts cards must not use it.
 */
export function adaptiveCardProblems(card: unknown): readonly string[] {
  const context = new library.SerializationContext(library.Versions.v1_4);
  const parsed = new library.AdaptiveCard();
  parsed.parse(card, context);
  const noticed = Array.from({ length: context.eventCount }, (_, index) => context.getEventAt(index).message);
  const failures = parsed.validateProperties().validationEvents.map(({ message }) => message);
  return [...noticed, ...failures];
}
