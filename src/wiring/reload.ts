/** Part of the supervisor's composition root: takes over a changed configuration file without a restart. */
import type { ReloadOutcome } from '../admin/reload-route.ts';
import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import type { Metrics } from '../base/metrics.ts';
import { type ConfigDifference, configDifferences } from '../config/config-difference.ts';
import { ConfigError } from '../config/config-error.ts';
import { deepFreeze } from '../config/freeze.ts';
import type { GatewayConfig } from '../config/gateway-config.ts';
import { hideSecrets } from '../config/hidden-secrets.ts';
import type { RunningConfig } from './running-config.ts';

interface ReloadParts {
  readonly running: RunningConfig;
  /** Reads the file again; undefined where the gateway was started without one. @throws ConfigError */
  readonly read: (() => { readonly config: GatewayConfig; readonly warnings: readonly string[] }) | undefined;
  /** The configuration with what cannot change while running as it is, see `keepFixed`. */
  readonly keepFixed: (next: GatewayConfig) => GatewayConfig;
  /** Applies `next` in all parts. @returns warnings @throws if one part cannot; then all keep the old configuration */
  readonly apply: (next: GatewayConfig) => Promise<readonly string[]>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** Reloads the configuration, one reload after the other. */
export class Reload {
  readonly #parts: ReloadParts;
  readonly #count: (outcome: ReloadOutcome) => void;
  #last: Promise<unknown> = Promise.resolve();

  constructor(parts: ReloadParts) {
    this.#parts = parts;
    this.#count = countReloads(parts);
  }

  /** Whether the gateway was started with a file that can be read again. */
  get hasFile(): boolean {
    return this.#parts.read !== undefined;
  }

  /** Never rejects: what went wrong is in the outcome, the log and the metrics, and nothing has changed then. */
  run(): Promise<ReloadOutcome> {
    const outcome = this.#last.then(() => this.#reload());
    this.#last = outcome;
    return outcome;
  }

  /**
   * Where `wanted` differs from what runs, and which of it a reload would not take over.
   *
   * @param wanted a configuration that another process has read, with its secrets hidden by `key`
   * @throws TypeError when it is none
   */
  compare(wanted: Readonly<Record<string, unknown>>, key: string) {
    const { running, keepFixed } = this.#parts;
    const next = wanted as unknown as GatewayConfig;
    const hidden = (config: GatewayConfig) => hideSecrets(config, key);
    return differencesOf(hidden(running.current), hidden(keepFixed(next)), next);
  }

  async #reload(): Promise<ReloadOutcome> {
    const outcome = await this.#takeOver();
    this.#count(outcome);
    const { logger } = this.#parts;
    if (outcome.kind === 'refused')
      logger.error({ reason: outcome.reason }, 'the configuration was not reloaded: nothing has changed');
    else if (outcome.kind === 'reloaded') logReloaded(logger, outcome);
    return outcome;
  }

  async #takeOver(): Promise<ReloadOutcome> {
    const { running, read, keepFixed, apply } = this.#parts;
    if (!read) return { kind: 'no-file' };
    try {
      const { config, warnings } = read();
      requireBuckets(running.current, config);
      const next = deepFreeze(keepFixed(config));
      const found = differencesOf(running.current, next, config);
      // also without a difference: the files that it names may have changed
      const more = await apply(next);
      running.current = next;
      return { kind: 'reloaded', ...found, warnings: [...warnings, ...more] };
    } catch (error) {
      return { kind: 'refused', ...refusalOf(error) };
    }
  }
}

/**
 * A file that is just being written may be empty for a moment, and a file without buckets serves nothing.
 *
 * @throws ConfigError
 */
function requireBuckets(running: GatewayConfig, next: GatewayConfig): void {
  if (Object.keys(running.buckets).length > 0 && Object.keys(next.buckets).length === 0)
    throw new ConfigError('the file', ['no bucket is configured; to serve none, start the gateway with it']);
}

/** @param next what is taken over of `wanted` */
function differencesOf(running: GatewayConfig, next: GatewayConfig, wanted: GatewayConfig) {
  return {
    changed: configDifferences(running, next),
    needsRestart: configDifferences(next, wanted),
  };
}

function refusalOf(error: unknown): { readonly reason: string; readonly isInvalid: boolean } {
  const reason = error instanceof Error ? error.message : String(error);
  return { reason, isInvalid: error instanceof ConfigError };
}

function logReloaded(
  logger: Logger,
  { changed, needsRestart, warnings }: Extract<ReloadOutcome, { kind: 'reloaded' }>,
): void {
  for (const warning of warnings) logger.warn(warning);
  if (needsRestart.length > 0)
    logger.warn({ paths: pathsOf(needsRestart) }, 'these parts of the configuration change with a restart');
  logger.info({ paths: pathsOf(changed) }, 'the configuration was reloaded');
}

function pathsOf(differences: readonly ConfigDifference[]): string[] {
  return differences.map(({ path }) => path);
}

/** The metrics of reloads; the start counts as one that worked. */
function countReloads({ metrics, clock }: ReloadParts): (outcome: ReloadOutcome) => void {
  const reloads = metrics.counter('tidegate_config_reloads_total', 'Reloads of the configuration.', [
    'outcome',
  ]);
  const isLastGood = metrics
    .gauge(
      'tidegate_config_last_reload_successful',
      'Whether the last reload of the configuration worked; 1 after the start.',
    )
    .cell();
  const lastGood = metrics
    .gauge(
      'tidegate_config_last_reload_success_timestamp_seconds',
      'When the configuration in force was read, in seconds since 1970.',
    )
    .cell();
  const succeeded = () => {
    isLastGood.set(1);
    lastGood.set(clock.nowMs() / 1000);
  };
  succeeded();
  return ({ kind }) => {
    reloads.cell(kind).add();
    if (kind === 'reloaded') succeeded();
    else if (kind === 'refused') isLastGood.set(0);
  };
}
