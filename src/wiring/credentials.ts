/** Part of the supervisor's composition root: the credentials that are obtained while the gateway runs. */
import { CredentialMeter } from '../backend/credentials/credential-meter.ts';
import { CredentialRefresher } from '../backend/credentials/credential-refresher.ts';
import {
  type CredentialSource,
  describeSource,
  type ProvidedCredentials,
} from '../backend/credentials/credential-source.ts';
import type { CredentialStatus } from '../backend/credentials/credential-status.ts';
import { type Provide, providerOf } from '../backend/credentials/provide-credentials.ts';
import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import type { Metrics } from '../base/metrics.ts';
import type { GatewayConfig } from '../config/gateway-config.ts';
import { type ProvidedSource, providedSource } from './provided-source.ts';
import type { HandedCredentials, RefusedCredentials } from './thread-contracts.ts';

interface CredentialParts {
  readonly config: Pick<GatewayConfig, 'backends'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Takes new credentials to the workers, and their secrets to the log's redactor. */
  readonly hand: (handed: HandedCredentials) => void;
  /** How a source is asked; another one in tests. */
  readonly provider?: (source: CredentialSource, region: string) => Provide;
}

/** The credentials of all backends that have a source, kept valid for all workers. */
export class BackendCredentials {
  readonly #parts: CredentialParts;
  readonly #meter: CredentialMeter;
  readonly #current = new Map<string, ProvidedCredentials>();
  /** By backend. */
  readonly #refreshers = new Map<string, { readonly id: string; readonly refresher: CredentialRefresher }>();

  constructor(parts: CredentialParts) {
    this.#parts = parts;
    this.#meter = new CredentialMeter(parts.metrics, parts.clock);
    this.#follow(parts.config);
  }

  /** By `ProvidedSource.id`, for workers that start. */
  get current(): ReadonlyMap<string, ProvidedCredentials> {
    return this.#current;
  }

  /** Begins to obtain all of them; resolves when each source has been asked once, or after a few seconds. */
  async begin(): Promise<void> {
    const late = Promise.withResolvers<void>();
    const patience = this.#parts.clock.after(PATIENCE_MS, late.resolve);
    const missing = Array.from(this.#refreshers.values()).filter(
      ({ refresher }) => refresher.status().state === 'missing',
    );
    await Promise.race([Promise.all(missing.map(({ refresher }) => refresher.refresh())), late.promise]);
    patience.cancel();
  }

  /** Follows a changed configuration: sources that stay as they are keep their credentials. */
  async reconfigure(config: Pick<GatewayConfig, 'backends'>): Promise<void> {
    this.#follow(config);
    await this.begin();
  }

  /** A store does not accept what a worker signs with. */
  refused({ backend, accessKeyId }: RefusedCredentials): void {
    this.#refreshers.get(backend)?.refresher.refused(accessKeyId);
  }

  /** Undefined for a backend whose credentials have no source. */
  statusOf(backend: string): CredentialStatus | undefined {
    return this.#refreshers.get(backend)?.refresher.status();
  }

  /** Backends that have had no credentials since the start: nothing could be read from them. */
  notReady(): readonly string[] {
    return this.#describe(({ state, failure }) =>
      state === 'missing' ? `has no credentials yet${because(failure)}` : undefined,
    );
  }

  /** What is wrong with credentials although hits are served. */
  warnings(): readonly string[] {
    return this.#describe(({ state, failure }) => {
      if (state === 'expired') return `its credentials have expired${because(failure)}`;
      return state === 'valid' && failure
        ? `its credentials cannot be refreshed${because(failure)}`
        : undefined;
    });
  }

  #describe(what: (status: CredentialStatus) => string | undefined): readonly string[] {
    return Array.from(this.#refreshers, ([name, { refresher }]) => ({
      name,
      wrong: what(refresher.status()),
    })).flatMap(({ name, wrong }) => (wrong === undefined ? [] : `backend ${name}: ${wrong}`));
  }

  #follow({ backends }: Pick<GatewayConfig, 'backends'>): void {
    const wanted = new Map(
      Object.entries(backends).map(([name, backend]) => [name, providedSource(name, backend)]),
    );
    for (const [name, { id, refresher }] of this.#refreshers) {
      if (id === wanted.get(name)?.id) continue;
      refresher.stop();
      this.#refreshers.delete(name);
      this.#current.delete(id);
      this.#meter.forget(name);
    }
    for (const [name, found] of wanted) {
      if (found === undefined || this.#refreshers.has(name)) continue;
      this.#refreshers.set(name, { id: found.id, refresher: this.#refresher(name, found) });
    }
  }

  #refresher(backend: string, { id, source, region }: ProvidedSource): CredentialRefresher {
    const { clock, logger, hand, provider } = this.#parts;
    const refresher: CredentialRefresher = new CredentialRefresher({
      ...{ backend, source: describeSource(source), clock, logger, random: Math.random },
      provide: provider?.(source, region) ?? providerOf(source, { region, clock }),
      hand: credentials => {
        this.#current.set(id, credentials);
        hand({ backend, sourceId: id, credentials });
      },
      count: this.#meter.watch(backend, () => refresher.status()),
    });
    return refresher;
  }
}

/** How long a start waits for credentials; without them only what needs none is served. */
const PATIENCE_MS = 3_000;

/** Only the name of the cause: those who ask for health need no token. */
function because(failure: CredentialStatus['failure']): string {
  return failure === undefined ? '' : ` (${failure.cause})`;
}
