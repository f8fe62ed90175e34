import { evictedAgeSeconds, evictions, insertions } from '../measurement/measure.ts';
import { byLabel, quantile, total } from '../measurement/series.ts';
import { formatCount, formatDuration } from '../wording.ts';
import type { Breach, ConditionOptions, RuleDefinition } from './rule.ts';

export interface CacheThrashOptions extends ConditionOptions {
  /** Evictions per insertion. */
  readonly threshold: number;
  /** Half of what is evicted had been held for less. */
  readonly medianAgeMs: number;
  readonly windowMs: number;
  /** Evictions within the window below which nothing is concluded. */
  readonly minEvictions: number;
}

interface Turnover {
  readonly evicted: number;
  readonly inserted: number;
  readonly medianAgeMs: number;
}

/** A full tier throws away what it has just taken in (cards.md §4, 10). A full tier alone is as it should be. */
export const cacheThrash: RuleDefinition<CacheThrashOptions> = {
  name: 'cacheThrash',
  title: 'The cache is too small for what is read',
  advice:
    'Blocks leave before they are read again. Give the tier more room, or cache fewer keys for less long.',
  measures: [evictions, insertions, evictedAgeSeconds],
  inhibitedBy: [],
  aftermathMs: () => 0,
  defaults: {
    severity: 'warning',
    threshold: 0.9,
    medianAgeMs: 10 * 60_000,
    windowMs: 5 * 60_000,
    minEvictions: 1_000,
    forMs: 15 * 60_000,
    clearForMs: 15 * 60_000,
  },
  evaluate: ({ history }, options) => {
    const inserted = byLabel(history.increase(insertions, options.windowMs).series, 'tier');
    const ages = byLabel(history.increase(evictedAgeSeconds, options.windowMs).series, 'tier');
    const evicted = byLabel(history.increase(evictions, options.windowMs).series, 'tier');
    return Array.from(evicted, ([tier, own]) => {
      const turnover: Turnover = {
        evicted: total(own),
        inserted: total(inserted.get(tier) ?? []),
        medianAgeMs: quantile(ages.get(tier) ?? [], 0.5).value * 1_000,
      };
      if (turnover.evicted < options.minEvictions) return { kind: 'clear', labels: { tier } };
      return isThrashing(turnover, options) ? breach(tier, turnover) : { kind: 'clear', labels: { tier } };
    });
  },
  example: () => breach('memory', { evicted: 18_204, inserted: 18_330, medianAgeMs: 94_000 }),
};

function isThrashing({ evicted, inserted, medianAgeMs }: Turnover, options: CacheThrashOptions): boolean {
  return evicted > inserted * options.threshold && medianAgeMs < options.medianAgeMs;
}

function breach(tier: string, { evicted, inserted, medianAgeMs }: Turnover): Breach {
  const age = formatDuration(medianAgeMs);
  return {
    kind: 'breach',
    labels: { tier },
    summary: `Half of what the ${tier} tier evicts had been there for less than ${age}.`,
    facts: [
      { name: 'Tier', value: tier },
      { name: 'Evicted', value: formatCount(evicted) },
      { name: 'Taken in', value: formatCount(inserted) },
      { name: 'Median age', value: age },
    ],
  };
}
