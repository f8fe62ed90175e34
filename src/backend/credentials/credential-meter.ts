import type { Clock } from '../../base/clock.ts';
import type { CounterCell, Family, GaugeCell, Metrics } from '../../base/metrics.ts';
import type { CredentialStatus } from './credential-status.ts';

/** How a refresh ended: with new credentials, with those that are held, or with none. */
export type RefreshOutcome = 'renewed' | 'unchanged' | 'failed';

const outcomes: readonly RefreshOutcome[] = ['renewed', 'unchanged', 'failed'];

/** Metrics of the credentials that backends are given. */
export class CredentialMeter {
  readonly #watched = new Map<string, () => CredentialStatus>();
  readonly #expiry: Family<GaugeCell>;
  readonly #usable: Family<GaugeCell>;
  readonly #failing: Family<GaugeCell>;
  readonly #refreshes: Family<CounterCell>;

  constructor(metrics: Metrics, clock: Clock) {
    this.#expiry = metrics.gauge(
      'tidegate_credentials_expiry_seconds',
      'How long the credentials of a backend are still valid; negative when they have expired.',
      ['backend'],
    );
    this.#usable = metrics.gauge(
      'tidegate_credentials_usable',
      'Whether there are valid credentials for a backend (1 or 0).',
      ['backend'],
    );
    this.#failing = metrics.gauge(
      'tidegate_credentials_failing_seconds',
      'For how long the credentials of a backend cannot be refreshed; 0 when the last refresh worked.',
      ['backend'],
    );
    this.#refreshes = metrics.counter(
      'tidegate_credentials_refreshes_total',
      'Refreshes of the credentials of a backend, by outcome.',
      ['backend', 'outcome'],
    );
    metrics.onSnapshot(() => this.#update(clock.nowMs()));
  }

  /** Exports the state of the credentials of `backend` with every metrics snapshot. */
  watch(backend: string, status: () => CredentialStatus): void {
    this.#watched.set(backend, status);
    for (const outcome of outcomes) this.#refreshes.cell(backend, outcome);
  }

  count(backend: string, outcome: RefreshOutcome): void {
    this.#refreshes.cell(backend, outcome).add();
  }

  /** The backend has gone, or takes its credentials from the configuration: nothing of it can fail. */
  forget(backend: string): void {
    this.#watched.delete(backend);
    this.#usable.cell(backend).set(1);
    this.#failing.cell(backend).set(0);
  }

  #update(nowMs: number): void {
    for (const [backend, status] of this.#watched) {
      const { state, expiresAtMs, failure } = status();
      this.#usable.cell(backend).set(state === 'valid' ? 1 : 0);
      this.#failing
        .cell(backend)
        .set(failure === undefined ? 0 : Math.max(0, nowMs - failure.sinceMs) / 1_000);
      if (expiresAtMs !== undefined) this.#expiry.cell(backend).set((expiresAtMs - nowMs) / 1_000);
    }
  }
}
