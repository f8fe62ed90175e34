/** Part of the supervisor's composition root: in which order the parts end. */
import type { AdminPort } from '../admin/admin-port.ts';
import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import { handleSignals } from '../server/shutdown-signals.ts';
import type { AccessLogOutput } from './access-log-output.ts';
import type { Alerts } from './alerts.ts';
import type { ChangeWarming } from './change-warming.ts';
import type { Stores } from './embedded-stores.ts';
import type { EventsQueue } from './events-queue.ts';
import type { Reload } from './reload.ts';
import type { RunningConfig } from './running-config.ts';
import type { Workers } from './workers.ts';

/** The running parts that have an end. */
interface EndingParts {
  readonly workers: Workers;
  readonly eventsQueue: Pick<EventsQueue, 'stop'>;
  readonly warming: Pick<ChangeWarming, 'stop'>;
  readonly alerts: Alerts;
  readonly stores: Stores;
  readonly adminPort: AdminPort;
  readonly reload: Pick<Reload, 'run' | 'hasFile'>;
  readonly accessLog: Pick<AccessLogOutput, 'rotate' | 'end'>;
}

const STORE_STOP_LIMIT_MS = 2_000;

/** Whether the gateway serves or drains, and how it ends. */
export class Shutdown {
  readonly #running: RunningConfig;
  readonly #clock: Clock;
  readonly #logger: Logger;
  #isServing = false;
  #isDraining = false;

  constructor(running: RunningConfig, clock: Clock, logger: Logger) {
    this.#running = running;
    this.#clock = clock;
    this.#logger = logger;
  }

  get isDraining(): boolean {
    return this.#isDraining;
  }

  /** From now on load balancers may use this gateway, so it keeps serving for a while after it is told to stop. */
  served(): void {
    this.#isServing = true;
  }

  /** See `handleSignals`. */
  onSignals(parts: EndingParts): void {
    handleSignals(process, {
      drain: signal => this.#drain(signal, parts),
      exit: code => process.exit(code),
      reload: parts.reload.hasFile ? () => void parts.reload.run() : undefined,
      rotate: () => parts.accessLog.rotate(),
      clock: this.#clock,
      logger: this.#logger,
    });
  }

  async #drain(
    signal: string,
    { workers, eventsQueue, warming, alerts, stores, adminPort, accessLog }: EndingParts,
  ): Promise<void> {
    this.#isDraining = true;
    if (this.#isServing) await this.#stayServing();
    this.#logger.info('draining: no new connections, running responses finish');
    for (const listener of Object.values(workers.fallback)) listener.close();
    warming.stop();
    await Promise.all([eventsQueue.stop(), workers.pool.drain(this.#running.current.shutdown.limitMs)]);
    await alerts.stop(signal);
    await Promise.all(Array.from(stores.values(), store => store.stop(STORE_STOP_LIMIT_MS)));
    await adminPort.close();
    await accessLog.end();
  }

  /** Keeps serving while load balancers notice that the gateway is no longer ready. */
  async #stayServing(): Promise<void> {
    const { delayMs } = this.#running.current.shutdown;
    if (delayMs === 0) return;
    this.#logger.info({ delayMs }, 'no longer ready: requests are served until the delay has passed');
    await new Promise(resolve => setTimeout(resolve, delayMs));
  }
}
