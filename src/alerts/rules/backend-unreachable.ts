import { describeDuration } from '../../base/time-text.js';
import type { Fact } from '../alert.ts';
import { backendAttempts, backendBreaker, backendFailures, backendRetries } from '../measurement/measure.ts';
import { byLabel, total } from '../measurement/series.ts';
import { formatCount } from '../wording.ts';
import { attemptsByBackend, type RefusedAttempts } from './attempts.ts';
import { describeCause, lastCause, lastFailureFacts } from './last-failure.ts';
import type { Breach, ConditionOptions, Finding, RuleDefinition, RuleInput } from './rule.ts';

interface BackendUnreachableOptions extends ConditionOptions {
  /** Half of it is enough where that half has enough attempts. */
  readonly windowMs: number;
  /**
   * With fewer requests without any answer but refusals of the gateway's own keys, nothing is concluded; a request that was
   * tried again is one.
   */
  readonly minRequests: number;
  /** The same for attempts of which some were answered with errors: one bad object is asked for several times. */
  readonly minErrors: number;
}

/** How far back to look for the cause of an open breaker: while it is open, few calls are sent that could fail. */
const BREAKER_CAUSE_MS = 10 * 60_000;

/** For how long after a refusal of the gateway's own keys a refusal that says nothing is taken for no sign of life. */
const REFUSING_MS = 10 * 60_000;

/** The attempts at one backend within a window. */
interface Measured {
  readonly windowMs: number;
  readonly attempts: RefusedAttempts;
  /** How many of them were made for requests that had failed before. */
  readonly retries: number;
  /** The name of the last failure's cause. */
  readonly cause: string | undefined;
}

/**
 * A backend does not answer, answers only with errors or by refusing the gateway's own keys (docs/cards.md §4, 5), or
 * fails so often that its circuit breaker is open.
 */
export const backendUnreachable: RuleDefinition<BackendUnreachableOptions> = {
  name: 'backendUnreachable',
  title: 'A backend does not answer, or only with errors',
  advice:
    'Only what is cached is served, and writes fail (see Writes in the runbook). Check that the store runs, that its name resolves, that nothing between refuses the connection, that it accepts the backend’s credentials, and what the store’s own logs say.',
  measures: [backendAttempts, backendFailures, backendRetries, backendBreaker],
  inhibitedBy: [],
  inhibitAfterMs: () => 0,
  defaults: {
    severity: 'critical',
    windowMs: 30_000,
    minRequests: 3,
    minErrors: 10,
    forMs: 0,
    clearForMs: 30_000,
  },
  evaluate: ({ history }, options) => {
    const recent = measure(history, options.windowMs / 2);
    const found = Array.from(measure(history, options.windowMs), ([backend, whole]) =>
      judge(backend, [recent.get(backend) ?? whole, whole], options),
    );
    return withOpenBreakers(found, history);
  },
  example: ({ windowMs }) =>
    breach('main', {
      windowMs,
      attempts: { total: 48, answered: 0, failed: 48, timedOut: 12, refused: 0, denied: 0 },
      cause: 'ECONNREFUSED',
    }),
};

function measure(history: RuleInput['history'], windowMs: number): ReadonlyMap<string, Measured> {
  const byBackend = attemptsByBackend(history.increase(backendAttempts, windowMs).series);
  const refusing = attemptsByBackend(history.increase(backendAttempts, REFUSING_MS).series);
  const retries = byLabel(history.increase(backendRetries, windowMs).series, 'backend');
  return new Map(
    Array.from(byBackend, ([backend, attempts]) => [
      backend,
      {
        attempts: (refusing.get(backend)?.refused ?? 0) > 0 ? withoutDenied(attempts) : attempts,
        ...{ windowMs, retries: total(retries.get(backend) ?? []) },
        cause: lastCause(history, backend, windowMs),
      },
    ]),
  );
}

function withoutDenied(attempts: RefusedAttempts): RefusedAttempts {
  const { total: made, answered, denied } = attempts;
  return { ...attempts, total: made - denied, answered: answered - denied, denied: 0 };
}

function judge(
  backend: string,
  windows: readonly [recent: Measured, whole: Measured],
  options: BackendUnreachableOptions,
): Finding {
  const telling = windows.find(window => isDown(window, options));
  if (telling) return breach(backend, telling);
  const hasSucceeded = windows.some(({ attempts }) => attempts.failed < attempts.total);
  return { kind: hasSucceeded ? 'clear' : 'no-data', labels: { backend } };
}

/** While a breaker is open, too few calls are sent to draw other conclusions about the backend. */
function withOpenBreakers(found: readonly Finding[], history: RuleInput['history']): readonly Finding[] {
  const told = new Set(found.flatMap(each => (each.kind === 'breach' ? [each.labels.backend] : [])));
  const open = history
    .current(backendBreaker)
    .flatMap(({ labels: { backend = '' }, value }) => (value > 0 && !told.has(backend) ? [backend] : []));
  const others = found.filter(({ labels: { backend = '' } }) => !open.includes(backend));
  return [
    ...others,
    ...open.map(backend => breakerBreach(backend, lastCause(history, backend, BREAKER_CAUSE_MS))),
  ];
}

function breakerBreach(backend: string, cause: string | undefined): Breach {
  const why = cause === undefined ? '' : `: ${describeCause(cause)}`;
  return {
    kind: 'breach',
    labels: { backend },
    summary: `Backend ${backend} has failed too many requests, so it is asked only now and then${why}.`,
    facts: [
      { name: 'Backend', value: backend },
      { name: 'Circuit breaker', value: 'open' },
      ...lastFailureFacts(backend, cause),
    ],
    cause,
  };
}

function isDown({ attempts, retries }: Measured, options: BackendUnreachableOptions): boolean {
  const { total: made, answered, failed, refused } = attempts;
  if (failed < made) return false;
  return answered === refused ? made - retries >= options.minRequests : made >= options.minErrors;
}

function breach(backend: string, { windowMs, attempts, cause }: Omit<Measured, 'retries'>): Breach {
  const { total: made, answered, timedOut, refused } = attempts;
  const window = describeDuration(windowMs);
  const outcome =
    answered === 0
      ? `has answered none of ${formatCount(made)} requests`
      : `has ${refused === made ? 'refused' : 'failed'} all of ${formatCount(made)} requests`;
  const why = cause === undefined ? '' : `: ${describeCause(cause)}`;
  const facts: readonly Fact[] = [
    { name: 'Backend', value: backend },
    { name: 'Attempts', value: `${formatCount(made)} in ${window}` },
    ...(answered === 0 ? [] : [{ name: 'Answered with an error', value: formatCount(answered) }]),
    ...lastFailureFacts(backend, cause),
    { name: 'Timed out', value: formatCount(timedOut) },
    { name: 'No connection', value: formatCount(made - answered - timedOut) },
  ];
  return {
    kind: 'breach',
    labels: { backend },
    summary: `Backend ${backend} ${outcome} in the last ${window}${why}.`,
    facts,
    cause,
  };
}
