import { setFlagsFromString } from 'node:v8';
import { Worker } from 'node:worker_threads';
import type { Clock, Timer } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import type { CounterCell } from '../base/metrics.ts';
import { Rpc } from '../base/rpc.ts';
import { longestDelayMs, RestartBackoff } from './restart-backoff.ts';
import { watchThread } from './thread-watch.ts';

/**
 * `up` threads have said so themselves; the event loop of `unresponsive` ones stands still; `waiting` ones have died and
 * are replaced after a delay.
 */
export type ThreadState = 'starting' | 'up' | 'unresponsive' | 'waiting' | 'stopped';

export interface SupervisedThreadOptions<Ready> {
  readonly name: string;
  /** The module that the thread runs. */
  readonly entry: URL;
  /** What the thread finds in `workerData`; asked anew for each replacement. */
  readonly data: () => unknown;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly writeLog: (lines: string) => void;
  readonly restarts: CounterCell;
  /** Called when the thread, or a replacement, is up. */
  readonly onReady: (info: Ready) => void;
  /** Called with the connection to each new thread, before anything arrives on it. */
  readonly onSpawn?: (rpc: Rpc) => void;
  /** Called when a thread died; what it held can be cleared. */
  readonly onDeath?: () => void;
  /** Called when the thread is up, or is not any more. */
  readonly onState?: () => void;
  /** Whether no other thread does the same work now; true when left out. */
  readonly isAlone?: () => boolean;
}

/** The thread ended before it was up for the first time: its start failed, and so would the next. */
export class ThreadStartError extends Error {
  readonly code = 'THREAD_START_FAILED';
}

/**
 * One thread that is replaced when it dies, until it is told to stop.
 * It reports `ready` and `log`, and understands `drain` (thread-side: joined-thread.ts).
 */
export class SupervisedThread<Ready> {
  readonly #options: SupervisedThreadOptions<Ready>;
  readonly #backoff = new RestartBackoff();
  readonly #firstReady = Promise.withResolvers<Ready>();
  readonly #stopped = Promise.withResolvers<void>();
  #state: ThreadState = 'starting';
  #stopping = false;
  #wasUp = false;
  #worker: Worker | undefined;
  #rpc: Rpc | undefined;
  #restart: { readonly timer: Timer; readonly atMs: number } | undefined;
  #watch: Timer | undefined;
  #failure: Error | undefined;

  constructor(options: SupervisedThreadOptions<Ready>) {
    this.#options = options;
  }

  get state(): ThreadState {
    return this.#state;
  }

  /** The connection to the thread that runs now; calls fail when it ends. */
  get rpc(): Rpc | undefined {
    return this.#rpc;
  }

  /** Starts the thread and waits until it is up. @throws ThreadStartError when it ends before */
  start(): Promise<Ready> {
    this.#spawn();
    return this.#firstReady.promise;
  }

  /** Tells the thread to finish within `limitMs`, and ends it when it has not done so soon after. */
  async stop(limitMs: number): Promise<void> {
    this.#stopping = true;
    this.#restart?.timer.cancel();
    this.#watch?.cancel();
    if (!this.#worker) this.#becomeStopped();
    this.#rpc?.notify('drain', limitMs);
    const patience = setTimeout(() => void this.#worker?.terminate(), limitMs + GRACE_MS);
    await this.#stopped.promise;
    clearTimeout(patience);
  }

  /** Replaces a dead thread sooner than its delay says: there is no other to do its work. */
  hasten(): void {
    const { clock } = this.#options;
    if (!this.#restart || this.#stopping) return;
    const latestMs = clock.monotonicMs() + longestDelayMs(true);
    if (this.#restart.atMs > latestMs) this.#scheduleSpawn(latestMs);
  }

  #spawn(): void {
    const { name, entry, data, clock, writeLog, onSpawn } = this.#options;
    this.#restart = undefined;
    this.#state = 'starting';
    this.#failure = undefined;
    // read by threads as they start; there is no limit of one thread for it
    setFlagsFromString(`--min-semi-space-size=${INITIAL_ROOM_MB}`);
    const worker = new Worker(entry, { name, workerData: data(), resourceLimits });
    const rpc = new Rpc(worker);
    const bornMs = clock.monotonicMs();
    this.#worker = worker;
    this.#rpc = rpc;
    rpc.serve({ log: writeLog, ready: (info: Ready) => this.#becomeUp(info) });
    onSpawn?.(rpc);
    worker.on('error', error => {
      this.#failure = error instanceof Error ? error : new Error(String(error));
      // it is about to end, and closes its listener on the way
      if (this.#state === 'up' || this.#state === 'unresponsive') this.#becomeLost();
    });
    worker.once('exit', () => this.#bury(clock.monotonicMs() - bornMs));
  }

  #becomeUp(info: Ready): void {
    this.#state = 'up';
    this.#wasUp = true;
    this.#firstReady.resolve(info);
    this.#options.onReady(info);
    this.#options.onState?.();
    if (!this.#stopping) this.#watchIt();
  }

  /** Ends a thread whose event loop stands still: it would keep its part of the connections waiting for ever. */
  #watchIt(): void {
    const { name, clock, logger } = this.#options;
    const [worker, rpc] = [this.#worker, this.#rpc];
    if (!worker || !rpc) return;
    this.#watch = watchThread(rpc, clock, {
      onSilent: isSilent => this.#becomeSilent(isSilent),
      onHung: silentMs => {
        logger.error({ hung: name, silentMs }, 'a thread is unresponsive: it is terminated');
        void worker.terminate();
      },
    });
  }

  #becomeSilent(isSilent: boolean): void {
    const { name, logger, onState } = this.#options;
    if (this.#stopping || this.#state !== (isSilent ? 'up' : 'unresponsive')) return;
    this.#state = isSilent ? 'unresponsive' : 'up';
    if (isSilent) logger.warn({ thread: name }, 'a thread does not respond');
    else logger.info({ thread: name }, 'a thread responds again');
    onState?.();
  }

  #becomeLost(): void {
    this.#state = 'waiting';
    this.#options.onState?.();
  }

  #bury(livedMs: number): void {
    this.#rpc?.close();
    this.#watch?.cancel();
    this.#worker = undefined;
    this.#rpc = undefined;
    if (!this.#stopping) this.#options.onDeath?.();
    if (!this.#stopping && this.#wasUp) {
      this.#replace(livedMs);
      return;
    }
    const reason = this.#failure?.message ?? 'the thread ended before it was up';
    this.#firstReady.reject(new ThreadStartError(reason, { cause: this.#failure }));
    this.#becomeStopped();
  }

  #replace(livedMs: number): void {
    const { name, logger, clock, restarts, isAlone = () => true } = this.#options;
    const wasLost = this.#state === 'waiting';
    this.#state = 'waiting';
    const delayMs = this.#backoff.nextDelayMs(livedMs, isAlone());
    logger.error({ died: name, delayMs, err: this.#failure }, 'a thread died and is going to be replaced');
    restarts.add();
    this.#scheduleSpawn(clock.monotonicMs() + delayMs);
    if (!wasLost) this.#options.onState?.();
  }

  #scheduleSpawn(atMs: number): void {
    const { clock } = this.#options;
    this.#restart?.timer.cancel();
    this.#restart = { atMs, timer: clock.after(atMs - clock.monotonicMs(), () => this.#spawn()) };
  }

  #becomeStopped(): void {
    this.#restart = undefined;
    this.#state = 'stopped';
    this.#stopped.resolve();
  }
}

const GRACE_MS = 1_000;

/**
 * Requests leave much that is soon forgotten: with little room for it, it is taken for what lasts and has to be searched
 * for later. And since almost nothing of it survives, V8 never makes the room larger than it is at first, one megabyte,
 * and collects every few hundred requests.
 */
const resourceLimits = { maxYoungGenerationSizeMb: 32 };
const INITIAL_ROOM_MB = 8;
