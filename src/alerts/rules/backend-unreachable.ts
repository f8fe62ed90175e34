import { backendAttempts } from '../measurement/measure.ts';
import { describeDuration, formatCount } from '../wording.ts';
import { attemptsByBackend } from './attempts.ts';
import type { Breach, ConditionOptions, RuleDefinition } from './rule.ts';

export interface BackendUnreachableOptions extends ConditionOptions {
  readonly windowMs: number;
  /** With fewer attempts within the window, nothing is concluded. */
  readonly minRequests: number;
}

/** A backend answers nothing at all (docs/cards.md §4, 5). Any response, even an error, shows that it is reachable. */
export const backendUnreachable: RuleDefinition<BackendUnreachableOptions> = {
  name: 'backendUnreachable',
  title: 'A backend does not answer',
  advice:
    'Only what is cached is served. Check that the store runs, that its name resolves and that nothing between refuses the connection.',
  measures: [backendAttempts],
  inhibitedBy: [],
  aftermathMs: () => 0,
  defaults: { severity: 'critical', windowMs: 30_000, minRequests: 3, forMs: 0, clearForMs: 30_000 },
  evaluate: ({ history }, options) =>
    Array.from(
      attemptsByBackend(history.increase(backendAttempts, options.windowMs).series),
      ([backend, attempts]) => {
        const labels = { backend };
        if (attempts.answered > 0) return { kind: 'clear', labels };
        if (attempts.total < options.minRequests) return { kind: 'quiet', labels };
        return breach(backend, attempts.total, attempts.timedOut, options);
      },
    ),
  example: options => breach('main', 48, 12, options),
};

function breach(
  backend: string,
  attempts: number,
  timedOut: number,
  options: BackendUnreachableOptions,
): Breach {
  const window = describeDuration(options.windowMs);
  return {
    kind: 'breach',
    labels: { backend },
    summary: `Backend ${backend} has answered none of ${formatCount(attempts)} requests in the last ${window}.`,
    facts: [
      { name: 'Backend', value: backend },
      { name: 'Attempts', value: `${formatCount(attempts)} in ${window}` },
      { name: 'Timed out', value: formatCount(timedOut) },
      { name: 'No connection', value: formatCount(attempts - timedOut) },
    ],
  };
}
