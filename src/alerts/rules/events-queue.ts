import { describeDuration } from '../../base/time-text.js';
import { eventsQueueAgeSeconds } from '../measurement/measure.ts';
import type { Breach, ConditionOptions, RuleDefinition } from './rule.ts';

interface EventsQueueOptions extends ConditionOptions {
  /** How long the queue may give no answer. */
  readonly ageMs: number;
}

/** The queue that change events of stores are taken from does not answer (docs/cards.md §4, 23). */
export const eventsQueue: RuleDefinition<EventsQueueOptions> = {
  name: 'eventsQueue',
  title: 'The queue of change events cannot be read',
  advice:
    'What changes at the store beside the gateway is seen only when its ttl has passed. The log says why (cause): does the address answer, and may these credentials receive and delete messages? The queue keeps the events for as long as it is set to; they are taken when it answers.',
  measures: [eventsQueueAgeSeconds],
  inhibitedBy: [],
  inhibitAfterMs: () => 0,
  defaults: { severity: 'warning', ageMs: 5 * 60_000, forMs: 0, clearForMs: 30_000 },
  evaluate: ({ history }, { ageMs }) =>
    history
      .current(eventsQueueAgeSeconds)
      .map(({ value }) => (value * 1_000 >= ageMs ? breach(value * 1_000) : { kind: 'clear', labels: {} })),
  example: ({ ageMs }) => breach(ageMs),
};

function breach(ageMs: number): Breach {
  const since = describeDuration(ageMs);
  return {
    kind: 'breach',
    labels: {},
    summary: `No change events of stores have been received for ${since}: the queue does not answer.`,
    facts: [{ name: 'Last answer', value: `${since} ago` }],
  };
}
