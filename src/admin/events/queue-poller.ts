import { retryDelayMs } from '../../backend/credentials/refresh-schedule.ts';
import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import { AdminError } from '../admin-route.ts';
import { parseJson } from '../json.ts';
import { type QueueClient, QueueError, type QueueMessage } from './queue-client.ts';
import type { QueueMeter } from './queue-meter.ts';
import { MAX_BODY_BYTES, type TakeEvents } from './take-events.ts';

interface PollerOptions {
  readonly client: Pick<QueueClient, 'receive' | 'delete' | 'close'>;
  readonly take: TakeEvents;
  /** The backend that the events are of; undefined for every one that has the bucket. */
  readonly backend: string | undefined;
  /** What becomes of messages that cannot be read as events: the queue keeps them, until it gives them up, or they are deleted. */
  readonly malformed: 'keep' | 'delete';
  readonly meter: QueueMeter;
  readonly clock: Clock;
  /** A number in [0, 1). */
  readonly random: () => number;
  readonly logger: Logger;
}

/** A queue that answers at once although it has no message is asked so often. */
const LEAST_ROUND_MS = 1_000;

/** How often messages that cannot be taken are logged. */
const LOG_INTERVAL_MS = 60_000;

type Outcome = 'taken' | 'malformed' | 'failed';

/** Reads a queue of events until it is stopped. A message is deleted when what it tells of has taken effect on all workers. */
export class QueuePoller {
  readonly #options: PollerOptions;
  readonly #stopping = new AbortController();
  #running: Promise<void> | undefined;
  #failures = 0;
  /** Why the queue could not be asked last; undefined while it can. */
  #cause: string | undefined;
  #nextLogMs = -Infinity;

  constructor(options: PollerOptions) {
    this.#options = options;
  }

  /** Without effect once it was stopped. */
  start(): void {
    if (this.#isStopped) return;
    this.#options.meter.begin();
    this.#running = this.#run();
  }

  /** Breaks off the question that waits for messages; resolves when those that were taken have been deleted. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
    this.#options.meter.end();
    await this.#options.client.close();
  }

  get #isStopped(): boolean {
    return this.#stopping.signal.aborted;
  }

  async #run(): Promise<void> {
    while (!this.#isStopped) await this.#pause(await this.#round());
  }

  /** Takes what the queue has. @returns how long to wait before the next time, in milliseconds */
  async #round(): Promise<number> {
    const { client, meter, clock, random } = this.#options;
    const startedMs = clock.monotonicMs();
    try {
      const messages = await client.receive(this.#stopping.signal);
      meter.poll('answered');
      const done = await this.#takeAll(messages);
      if (done.length > 0) await this.#delete(done);
      this.#succeeded();
      return done.length > 0 ? 0 : LEAST_ROUND_MS - (clock.monotonicMs() - startedMs);
    } catch (error) {
      if (this.#isStopped) return 0;
      meter.poll('failed');
      this.#failed(error);
      return retryDelayMs(this.#failures, random());
    }
  }

  /** @returns those that the queue need not keep */
  async #takeAll(messages: readonly QueueMessage[]): Promise<QueueMessage[]> {
    const { meter, malformed } = this.#options;
    const done: QueueMessage[] = [];
    for (const message of messages) {
      const outcome = await this.#take(message);
      if (outcome === undefined) break;
      meter.messages(outcome);
      if (outcome === 'taken' || (outcome === 'malformed' && malformed === 'delete')) done.push(message);
    }
    return done;
  }

  /** Undefined where the poller was stopped before it could be taken. */
  async #take(message: QueueMessage): Promise<Outcome | undefined> {
    const { take, backend, random } = this.#options;
    for (let failures = 1; !this.#isStopped; failures++) {
      try {
        await take(readEvents(message), backend);
        return 'taken';
      } catch (error) {
        const status = error instanceof AdminError ? error.status : 500;
        if (status !== 503) {
          const outcome = status === 400 || status === 413 ? 'malformed' : 'failed';
          this.#logUntaken(message, error);
          return outcome;
        }
      }
      // nobody serves while no worker is up, so none of the messages behind could be taken either
      await this.#pause(retryDelayMs(failures, random()));
    }
    return undefined;
  }

  async #delete(messages: readonly QueueMessage[]): Promise<void> {
    const { client, meter, logger } = this.#options;
    const kept = await client.delete(messages).catch((error: unknown) => {
      meter.messages('undeleted', messages.length);
      throw error;
    });
    if (kept === 0) return;
    meter.messages('undeleted', kept);
    logger.warn({ messages: kept }, 'the queue of events has kept messages that were taken: they come again');
  }

  #succeeded(): void {
    if (this.#cause !== undefined) this.#options.logger.info('the queue of events answers again');
    this.#cause = undefined;
    this.#failures = 0;
  }

  #failed(error: unknown): void {
    this.#failures++;
    const cause = error instanceof QueueError ? error.code : 'FAULT';
    if (cause === this.#cause) return;
    this.#cause = cause;
    const action = error instanceof QueueError ? error.action : undefined;
    this.#options.logger.warn({ action, cause }, 'the queue of events cannot be asked');
  }

  #logUntaken({ id }: QueueMessage, error: unknown): void {
    const { clock, logger } = this.#options;
    const nowMs = clock.monotonicMs();
    if (nowMs < this.#nextLogMs) return;
    this.#nextLogMs = nowMs + LOG_INTERVAL_MS;
    const reason = error instanceof Error ? error.message : String(error);
    logger.warn({ message: id, reason }, 'a message of the queue of events cannot be taken');
  }

  async #pause(delayMs: number): Promise<void> {
    if (this.#isStopped || delayMs <= 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const end = () => resolve();
    const timer = this.#options.clock.after(delayMs, end);
    this.#stopping.signal.addEventListener('abort', end, { once: true });
    await promise;
    timer.cancel();
    this.#stopping.signal.removeEventListener('abort', end);
  }
}

/** @throws AdminError 400 or 413, as for a body that is sent to the admin port */
function readEvents({ body }: QueueMessage): unknown {
  if (Buffer.byteLength(body) > MAX_BODY_BYTES)
    throw new AdminError(413, 'BODY_TOO_LARGE', `a message may have at most ${MAX_BODY_BYTES} bytes`);
  return parseJson(body);
}
