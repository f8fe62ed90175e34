import { inWords } from '../../backend/cause-words.ts';
import { aboutSignatures } from '../../s3/store-refusal.ts';
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

/** The facts of a card: the cause, and what mends it where only the gateway's side can; none where it is not known. */
export function lastFailureFacts(backend: string, cause: string | undefined): readonly Fact[] {
  if (cause === undefined) return [];
  const last = { name: 'Last failure', value: describeCause(cause) };
  return aboutSignatures.has(cause) ? [last, { name: 'To do', value: mendOf(backend, cause) }] : [last];
}

/** What ends refusals of the gateway's own keys or signature. */
function mendOf(backend: string, cause: string): string {
  if (cause === 'RequestTimeTooSkewed') return 'set the clock of this machine, or that of the store';
  if (cause === 'AuthorizationHeaderMalformed')
    return `correct backends.${backend}.region or its credentials, and reload`;
  return `correct backends.${backend}.credentials, or what their source gives, and reload`;
}
