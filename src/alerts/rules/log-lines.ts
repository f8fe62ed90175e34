import { describeDuration } from '../../base/time-text.js';
import { accessLogUsable, droppedLogLines } from '../measurement/measure.ts';
import { total } from '../measurement/series.ts';
import { formatCount } from '../wording.ts';
import type { Breach, ConditionOptions, RuleDefinition } from './rule.ts';

interface LogLinesOptions extends ConditionOptions {
  /** How long lines that were dropped are reported. */
  readonly windowMs: number;
}

/** The file of the access log cannot be written, or lines of a log were dropped. */
export const logLines: RuleDefinition<LogLinesOptions> = {
  name: 'logLines',
  title: 'Lines of the log are not written',
  advice:
    'Requests are served as usual. Up to 16 MiB of lines wait for a disk or a reader that is full or slow; further ones are dropped. The log says why the file of the access log cannot be written; free some space, repair its directory, or rotate the file (SIGUSR2). What waits is written then, without a restart.',
  measures: [accessLogUsable, droppedLogLines],
  inhibitedBy: [],
  inhibitAfterMs: () => 0,
  defaults: { severity: 'warning', windowMs: 10 * 60_000, forMs: 0, clearForMs: 60_000 },
  evaluate: ({ history }, options) => {
    const [usable] = history.current(accessLogUsable);
    const dropped = total(history.increase(droppedLogLines, options.windowMs).series);
    if (usable?.value === 0) return [breach('waits', dropped, options)];
    return [dropped > 0 ? breach('dropped', dropped, options) : { kind: 'clear', labels: {} }];
  },
  example: options => breach('waits', 0, options),
};

function breach(what: 'waits' | 'dropped', dropped: number, { windowMs }: LogLinesOptions): Breach {
  const window = describeDuration(windowMs);
  return {
    kind: 'breach',
    labels: {},
    summary:
      what === 'waits'
        ? 'The file of the access log cannot be written: its lines wait in memory while there is room.'
        : `Lines of the log were dropped in the last ${window}: a disk or a reader was too slow or full.`,
    facts: [{ name: 'Dropped lines', value: `${formatCount(dropped)} in ${window}` }],
  };
}
