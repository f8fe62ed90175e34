/** Part of the supervisor's composition root: the credentials that are obtained while the gateway runs. */
import type { CredentialMeter } from '../backend/credentials/credential-meter.ts';
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
import type { PreparedChange } from '../base/prepared-change.ts';
import type { GatewayConfig } from '../config/gateway-config.ts';
import { type ProvidedSource, providedSource } from './provided-source.ts';
import type { HandedCredentials, RefusedCredentials } from './thread-contracts.ts';

interface CredentialParts {
  readonly config: Pick<GatewayConfig, 'backends'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly meter: CredentialMeter;
  /** Takes new credentials to the workers, and their secrets to the log's redactor. */
  readonly hand: (handed: HandedCredentials) => Promise<void>;
  /** How a source is asked; another one in tests. */
  readonly provider?: (source: CredentialSource, region: string) => Provide;
}

/** The refresher of one backend. */
interface Held {
  /** `ProvidedSource.id` */
  readonly id: string;
  readonly refresher: CredentialRefresher;
  /** Whether a reload has added it: the gateway then stays ready although the credentials may be missing. */
  readonly isAdded: boolean;
}

type HeldByBackend = ReadonlyMap<string, Held>;

/** The credentials of all backends that have a source, kept valid for all workers. */
export class BackendCredentials {
  readonly #parts: CredentialParts;
  readonly #current = new Map<string, ProvidedCredentials>();
  #held: HeldByBackend = new Map();

  constructor(parts: CredentialParts) {
    this.#parts = parts;
    this.#take(this.#heldFor(parts.config, false));
  }

  /** By `ProvidedSource.id`, for workers that start. */
  get current(): ReadonlyMap<string, ProvidedCredentials> {
    return this.#current;
  }

  /** Begins to obtain all of them; resolves when each source has been asked once, or after a few seconds. */
  begin(): Promise<void> {
    return this.#obtainMissing(this.#held);
  }

  /** Starts to obtain what a changed configuration needs in addition; unchanged sources keep their credentials. */
  async prepare(config: Pick<GatewayConfig, 'backends'>): Promise<PreparedChange> {
    const next = this.#heldFor(config, true);
    await this.#obtainMissing(next);
    return {
      apply: () => this.#take(next),
      cancel: () => this.#release(next, this.#held),
    };
  }

  /** A store does not accept what a worker signs with. */
  refused({ backend, accessKeyId }: RefusedCredentials): void {
    this.#held.get(backend)?.refresher.refused(accessKeyId);
  }

  /** Undefined for a backend whose credentials have no source. */
  statusOf(backend: string): CredentialStatus | undefined {
    return this.#held.get(backend)?.refresher.status();
  }

  /** Backends that have had no credentials since the start: nothing could be read from them. */
  notReady(): readonly string[] {
    return described(this.#held, (status, { isAdded }) => (isAdded ? undefined : whyMissing(status)));
  }

  /** Backends that a reload has added and that have had none yet. */
  missingOfReloads(): readonly string[] {
    return described(this.#held, (status, { isAdded }) => (isAdded ? whyMissing(status) : undefined));
  }

  /** Problems with credentials that do not stop the gateway from serving. */
  warnings(): readonly string[] {
    const failing = described(this.#held, ({ state, failure }) => {
      if (state === 'expired') return `its credentials have expired${because(failure)}`;
      return state === 'valid' && failure
        ? `its credentials cannot be refreshed${because(failure)}`
        : undefined;
    });
    return [...this.missingOfReloads(), ...failing];
  }

  async #obtainMissing(held: HeldByBackend): Promise<void> {
    const late = Promise.withResolvers<void>();
    const patience = this.#parts.clock.after(PATIENCE_MS, late.resolve);
    const missing = Array.from(held.values()).filter(
      ({ refresher }) => refresher.status().state === 'missing',
    );
    await Promise.race([Promise.all(missing.map(({ refresher }) => refresher.refresh())), late.promise]);
    patience.cancel();
  }

  #heldFor({ backends }: Pick<GatewayConfig, 'backends'>, isAdded: boolean): HeldByBackend {
    const held = new Map<string, Held>();
    for (const [name, backend] of Object.entries(backends)) {
      const found = providedSource(name, backend);
      if (found === undefined) continue;
      const before = this.#held.get(name);
      const isSame = before?.id === found.id;
      held.set(name, isSame ? before : { id: found.id, refresher: this.#refresher(name, found), isAdded });
    }
    return held;
  }

  #take(next: HeldByBackend): void {
    const before = this.#held;
    this.#held = next;
    this.#release(before, next);
    for (const name of before.keys()) if (!next.has(name)) this.#parts.meter.forget(name);
    for (const [name, { refresher }] of next) this.#parts.meter.watch(name, () => refresher.status());
  }

  /** Stops the refreshers of `given` that are not in `kept`. */
  #release(given: HeldByBackend, kept: HeldByBackend): void {
    for (const [name, { id, refresher }] of given) {
      if (kept.get(name)?.id === id) continue;
      refresher.stop();
      this.#current.delete(id);
    }
  }

  #refresher(backend: string, { id, source, region }: ProvidedSource): CredentialRefresher {
    const { clock, logger, hand, provider, meter } = this.#parts;
    return new CredentialRefresher({
      ...{ backend, source: describeSource(source), clock, logger, random: Math.random },
      provide: provider?.(source, region) ?? providerOf(source, { region, clock }),
      hand: credentials => {
        this.#current.set(id, credentials);
        return hand({ backend, sourceId: id, credentials });
      },
      count: outcome => meter.count(backend, outcome),
    });
  }
}

/** One line for each backend that `what` returns a text for. */
function described(
  held: HeldByBackend,
  what: (status: CredentialStatus, held: Held) => string | undefined,
): readonly string[] {
  return Array.from(held, ([name, each]) => ({ name, said: what(each.refresher.status(), each) })).flatMap(
    ({ name, said }) => (said === undefined ? [] : `backend ${name}: ${said}`),
  );
}

function whyMissing({ state, failure }: CredentialStatus): string | undefined {
  return state === 'missing' ? `has no credentials yet${because(failure)}` : undefined;
}

/** How long a start waits for credentials; without them only what needs none is served. */
const PATIENCE_MS = 3_000;

/** Only the name of the cause: those who ask for health need no token. */
function because(failure: CredentialStatus['failure']): string {
  return failure === undefined ? '' : ` (${failure.cause})`;
}
