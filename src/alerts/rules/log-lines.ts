import { describeDuration } from '../../base/time-text.js';
import type { Fact, Labels } from '../alert.ts';
import { accessLogUsable, droppedLogLines } from '../measurement/measure.ts';
import { total } from '../measurement/series.ts';
import { formatCount } from '../wording.ts';
import type { Breach, ConditionOptions, Finding, RuleDefinition } from './rule.ts';

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
    const dropped = total(history.increase(droppedLogLines, options.windowMs).series);
    const files = history
      .current(accessLogUsable)
      .map(({ labels, value }): Finding => (value === 0 ? waits(labels, dropped, options) : clear(labels)));
    return [...files, ofAll(dropped, files.some(isBreach), options)];
  },
  example: options => waits({ file: '/var/log/tidegate/access.log' }, 0, options),
};

/** While a file cannot be written, its alert tells what is dropped. */
function ofAll(dropped: number, isWaiting: boolean, options: LogLinesOptions): Finding {
  if (dropped === 0) return clear({});
  if (isWaiting) return { kind: 'no-data', labels: {} };
  return {
    kind: 'breach',
    labels: {},
    summary: `Lines of the log were dropped in the last ${describeDuration(options.windowMs)}: a disk or a reader was too slow or full.`,
    facts: [droppedFact(dropped, options)],
  };
}

function waits(labels: Labels, dropped: number, options: LogLinesOptions): Breach {
  return {
    kind: 'breach',
    labels,
    summary: 'The file of the access log cannot be written: its lines wait in memory while there is room.',
    facts: [{ name: 'File', value: labels.file ?? '' }, droppedFact(dropped, options)],
  };
}

function droppedFact(dropped: number, { windowMs }: LogLinesOptions): Fact {
  return { name: 'Dropped lines', value: `${formatCount(dropped)} in ${describeDuration(windowMs)}` };
}

function clear(labels: Labels): Finding {
  return { kind: 'clear', labels };
}

function isBreach({ kind }: Finding): boolean {
  return kind === 'breach';
}
