import { describeDuration } from '../../base/time-text.js';
import { cacheEntries, evictions } from '../measurement/measure.ts';
import { byLabel, total } from '../measurement/series.ts';
import { formatCount } from '../wording.ts';
import type { Breach, ConditionOptions, RuleDefinition } from './rule.ts';

interface CacheThrashOptions extends ConditionOptions {
  /** The minimum average time that a tier should keep a block. */
  readonly thresholdMs: number;
  readonly windowMs: number;
  /** With fewer evictions within the window, nothing is concluded. */
  readonly minEvictions: number;
}

interface Turnover {
  readonly held: number;
  readonly evicted: number;
  /** The average time a block is kept: in a full tier, the number of blocks divided by the rate of evictions. */
  readonly heldForMs: number;
}

/**
 * A full tier evicts blocks soon after storing them (docs/cards.md §4, 10, with the mean time instead of the median, as
 * it can be computed from existing counters). A full tier alone is normal.
 */
export const cacheThrash: RuleDefinition<CacheThrashOptions> = {
  name: 'cacheThrash',
  title: 'The cache is too small for what is read',
  advice: 'Blocks are evicted before they are read again. Raise cache.memory.size, or cache fewer keys.',
  measures: [evictions, cacheEntries],
  inhibitedBy: [],
  inhibitAfterMs: () => 0,
  defaults: {
    severity: 'warning',
    thresholdMs: 10 * 60_000,
    windowMs: 5 * 60_000,
    minEvictions: 100,
    forMs: 15 * 60_000,
    clearForMs: 15 * 60_000,
  },
  evaluate: ({ history }, options) => {
    const held = byLabel(history.current(cacheEntries), 'tier');
    const { series, coveredMs } = history.increase(evictions, options.windowMs);
    return Array.from(byLabel(series, 'tier'), ([tier, own]) => {
      const evicted = total(own);
      const blocks = total(held.get(tier) ?? []);
      const heldForMs = (blocks / evicted) * coveredMs;
      const isFine = evicted < options.minEvictions || heldForMs >= options.thresholdMs;
      return isFine
        ? { kind: 'clear', labels: { tier } }
        : breach(tier, { held: blocks, evicted, heldForMs }, options);
    });
  },
  example: options => breach('memory', { held: 512, evicted: 1_630, heldForMs: 94_000 }, options),
};

function breach(tier: string, { held, evicted, heldForMs }: Turnover, options: CacheThrashOptions): Breach {
  const time = describeDuration(heldForMs);
  return {
    kind: 'breach',
    labels: { tier },
    summary: `The ${tier} tier keeps a block for ${time} on average before it evicts it.`,
    facts: [
      { name: 'Tier', value: tier },
      { name: 'Holds', value: `${formatCount(held)} blocks` },
      { name: 'Evicted', value: `${formatCount(evicted)} in ${describeDuration(options.windowMs)}` },
      { name: 'Threshold', value: `below ${describeDuration(options.thresholdMs)}` },
    ],
  };
}
