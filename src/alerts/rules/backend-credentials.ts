import { describeDuration } from '../../base/time-text.js';
import type { Fact } from '../alert.ts';
import { credentialsExpiry, credentialsFailing, credentialsUsable } from '../measurement/measure.ts';
import type { Breach, ConditionOptions, Finding, RuleDefinition, RuleInput } from './rule.ts';

interface BackendCredentialsOptions extends ConditionOptions {
  /** For how long they cannot be refreshed, however long those that are held are valid. */
  readonly failingMs: number;
  /** Sooner where those that are held expire within this time. */
  readonly expiresWithinMs: number;
}

/** The credentials of one backend. */
interface Measured {
  readonly isUsable: boolean;
  readonly failingMs: number;
  /** Undefined where they do not expire, or none have been obtained. */
  readonly leftMs: number | undefined;
}

/** The credentials of a backend have expired, or will soon since they cannot be refreshed (docs/cards.md §4, 16). */
export const backendCredentials: RuleDefinition<BackendCredentialsOptions> = {
  name: 'backendCredentials',
  title: 'The credentials of a backend cannot be refreshed',
  advice:
    'Requests go on with the old ones until they expire; then only what is cached is served. The log says why (cause, error): see whether the source of the credentials answers, and whether the role, profile or token still exists. They are asked for again at least once a minute.',
  measures: [credentialsUsable, credentialsFailing, credentialsExpiry],
  inhibitedBy: [],
  inhibitAfterMs: () => 0,
  defaults: {
    severity: 'critical',
    failingMs: 10 * 60_000,
    expiresWithinMs: 5 * 60_000,
    forMs: 0,
    clearForMs: 30_000,
  },
  evaluate: ({ history }, options) =>
    history.current(credentialsUsable).map(({ labels, value }) => {
      const { backend = '' } = labels;
      const failingS = of(backend, history.current(credentialsFailing)) ?? 0;
      const leftS = of(backend, history.current(credentialsExpiry));
      const leftMs = leftS === undefined ? undefined : leftS * 1_000;
      return judge(backend, { isUsable: value === 1, failingMs: failingS * 1_000, leftMs }, options);
    }),
  example: () => breach('main', { isUsable: true, failingMs: 6 * 60_000, leftMs: 4 * 60_000 }),
};

function of(backend: string, series: ReturnType<RuleInput['history']['current']>): number | undefined {
  return series.find(({ labels }) => labels.backend === backend)?.value;
}

function judge(backend: string, measured: Measured, options: BackendCredentialsOptions): Finding {
  const { isUsable, failingMs, leftMs = Infinity } = measured;
  const isFailing = failingMs >= options.failingMs || (failingMs > 0 && leftMs < options.expiresWithinMs);
  // a source that has not answered yet is given time: until then a start is not ready
  const isBreach = isUsable ? isFailing : failingMs > 0 || leftMs !== Infinity;
  return isBreach ? breach(backend, measured) : { kind: 'clear', labels: { backend } };
}

function breach(backend: string, { isUsable, failingMs, leftMs }: Measured): Breach {
  const since = describeDuration(failingMs);
  const facts: Fact[] = [{ name: 'Backend', value: backend }];
  if (failingMs > 0) facts.push({ name: 'Failing for', value: since });
  if (isUsable && leftMs !== undefined) facts.push({ name: 'Valid for', value: describeDuration(leftMs) });
  return {
    kind: 'breach',
    labels: { backend },
    summary: isUsable
      ? `The credentials of backend ${backend} cannot be refreshed.`
      : `Backend ${backend} has no valid credentials: only what is cached is served.`,
    facts,
  };
}
