import { inWords } from '../../backend/cause-words.ts';
import type { Fact } from '../alert.ts';
import type { History } from '../measurement/history.ts';
import { backendFailures } from '../measurement/measure.ts';

/** The window is searched from its end, in growing parts. */
const PARTS: readonly number[] = [8, 4, 2, 1];

/**
 * Why requests to a backend failed last, as the name of an error: the most frequent cause in the latest part of the window
 * with any failure. Undefined without one. The name contains neither host names nor anything that a store sent.
 */
export function lastCause(history: History, backend: string, windowMs: number): string | undefined {
  for (const part of PARTS) {
    const { series } = history.increase(backendFailures, windowMs / part);
    const [last] = series
      .filter(({ labels, value }) => labels.backend === backend && value > 0)
      .sort((a, b) => b.value - a.value);
    if (last) return last.labels.cause;
  }
  return undefined;
}

/** `nothing listens there (ECONNREFUSED)`. */
export function describeCause(cause: string): string {
  return `${inWords(cause)} (${cause})`;
}

/** The fact of a card; none where the cause is not known. */
export function lastFailureFacts(cause: string | undefined): readonly Fact[] {
  return cause === undefined ? [] : [{ name: 'Last failure', value: describeCause(cause) }];
}
