import { Worker } from 'node:worker_threads';
import type { Clock, Timer } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import type { CounterCell } from '../base/metrics.ts';
import { Rpc } from '../base/rpc.ts';
import { longestDelayMs, RestartBackoff } from './restart-backoff.ts';
import { threadHeap } from './thread-heap.ts';
import { watchThread } from './thread-watch.ts';

/**
 * `up`: the thread has reported that it is ready. `unresponsive`: its event loop is blocked. `waiting`: it has died and
 * is replaced after a delay.
 */
export type ThreadState = 'starting' | 'up' | 'unresponsive' | 'waiting' | 'stopped';

interface SupervisedThreadOptions<Ready> {
  readonly name: string;
  /** The module that the thread runs. */
  readonly entry: URL;
  /** Gives the `workerData` of the thread; called again for each replacement. */
  readonly data: () => unknown;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly writeLog: (lines: string) => void;
  readonly restarts: CounterCell;
  /** Called when the thread or a replacement is ready. */
  readonly onReady: (info: Ready) => void;
  /** Called with the RPC connection of each new thread before any message arrives. */
  readonly onSpawn?: (rpc: Rpc) => void;
  /** Called when a thread has died, with its RPC connection, so that what it held can be released. */
  readonly onDeath?: (rpc: Rpc) => void;
  /** Called when the thread becomes ready or stops being so. */
  readonly onState?: () => void;
  /** Whether no other thread does the same work now; defaults to true. */
  readonly isAlone?: () => boolean;
}

/** The thread ended before it was ready for the first time; a restart would fail too. */
export class ThreadStartError extends Error {
  readonly code = 'THREAD_START_FAILED';
}

/**
 * A thread that is replaced when it dies, until it is stopped. It reports `ready` and `log`, and understands `drain`
 * (the thread's side is joined-thread.ts).
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

  /** The RPC connection of the current thread; pending calls fail when it ends. */
  get rpc(): Rpc | undefined {
    return this.#rpc;
  }

  /** Starts the thread and waits until it is ready. @throws ThreadStartError when it ends before, or takes too long */
  async start(): Promise<Ready> {
    this.#spawn();
    const late = this.#options.clock.after(START_LIMIT_MS, () => {
      const limit = `the thread was not ready within ${START_LIMIT_MS / 1_000} s`;
      this.#firstReady.reject(new ThreadStartError(limit));
      void this.stop(0);
    });
    try {
      return await this.#firstReady.promise;
    } finally {
      late.cancel();
    }
  }

  /** Asks the thread to finish within `limitMs`, and terminates it if it has not ended shortly after. */
  async stop(limitMs: number): Promise<void> {
    this.#stopping = true;
    this.#restart?.timer.cancel();
    this.#watch?.cancel();
    if (!this.#worker) this.#becomeStopped();
    this.#rpc?.notify('drain', limitMs);
    const { name, clock, logger } = this.#options;
    const patience = clock.after(limitMs + GRACE_MS, () => {
      if (this.#worker) terminate(this.#worker, clock);
    });
    const end = clock.after(limitMs + GRACE_MS + TERMINATION_MS, () => {
      logger.error({ hung: name }, 'a thread does not end: it ends with the process');
      this.#becomeStopped();
    });
    await this.#stopped.promise;
    patience.cancel();
    end.cancel();
  }

  /** Shortens the delay before a dead thread is replaced, for when no other thread does its work. */
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
    const worker = new Worker(entry, { name, workerData: data(), resourceLimits: threadHeap() });
    const rpc = new Rpc(worker);
    const bornMs = clock.monotonicMs();
    this.#worker = worker;
    this.#rpc = rpc;
    rpc.serve({ log: writeLog, ready: (info: Ready) => this.#becomeUp(info) });
    onSpawn?.(rpc);
    worker.on('error', error => {
      this.#failure = error instanceof Error ? error : new Error(String(error));
      // it is about to end and closes its listener
      if (this.#state === 'up' || this.#state === 'unresponsive') this.#becomeLost();
    });
    worker.once('exit', () => this.#handleExit(clock.monotonicMs() - bornMs));
  }

  #becomeUp(info: Ready): void {
    this.#state = 'up';
    this.#wasUp = true;
    this.#firstReady.resolve(info);
    this.#options.onReady(info);
    this.#options.onState?.();
    if (!this.#stopping) this.#startWatch();
  }

  /** Terminates a thread whose event loop is blocked: its share of the connections would hang forever. */
  #startWatch(): void {
    const { name, clock, logger } = this.#options;
    const [worker, rpc] = [this.#worker, this.#rpc];
    if (!worker || !rpc) return;
    this.#watch = watchThread(rpc, clock, {
      onSilent: isSilent => this.#becomeSilent(isSilent),
      onHung: silentMs => {
        logger.error({ hung: name, silentMs }, 'a thread is unresponsive: it is terminated');
        terminate(worker, clock);
      },
    });
  }

  #becomeSilent(isSilent: boolean): void {
    const { name, logger, onState } = this.#options;
    if (this.#stopping || this.#state !== (isSilent ? 'up' : 'unresponsive')) return;
    this.#state = isSilent ? 'unresponsive' : 'up';
    if (isSilent) logger.warn({ silent: name }, 'a thread does not respond');
    else logger.info({ silent: name }, 'a thread responds again');
    onState?.();
  }

  #becomeLost(): void {
    this.#state = 'waiting';
    this.#options.onState?.();
  }

  #handleExit(livedMs: number): void {
    const rpc = this.#rpc;
    rpc?.close();
    this.#watch?.cancel();
    this.#worker = undefined;
    this.#rpc = undefined;
    if (rpc && !this.#stopping) this.#options.onDeath?.(rpc);
    if (!this.#stopping && this.#wasUp) {
      this.#replace(livedMs);
      return;
    }
    const reason = this.#failure?.message ?? 'the thread ended before it was ready';
    this.#firstReady.reject(new ThreadStartError(reason, { cause: this.#failure }));
    this.#becomeStopped();
  }

  #replace(livedMs: number): void {
    const { name, logger, clock, restarts, isAlone = () => true } = this.#options;
    const wasLost = this.#state === 'waiting';
    this.#state = 'waiting';
    const delayMs = this.#backoff.nextDelayMs(livedMs, isAlone());
    logger.error({ died: name, delayMs, err: this.#failure }, 'a thread died and will be replaced');
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

/** Without this limit, a file system that hangs would block a start or a reload for ever. */
const START_LIMIT_MS = 60_000;

const GRACE_MS = 1_000;

/** How long a stop waits for threads that were terminated. */
const TERMINATION_MS = 3_000;

const TERMINATE_AGAIN_MS = 500;

/**
 * Terminates a thread, again and again until it has ended: a termination stops what runs, and while the thread is
 * ending, the next event that waits for it may block it anew.
 */
function terminate(worker: Worker, clock: Clock): void {
  let again: Timer | undefined;
  const step = () => {
    const others = worker.listenerCount('exit');
    void worker.terminate();
    // each call adds one for its promise, which nobody awaits
    for (const added of worker.listeners('exit').slice(others)) worker.off('exit', added);
    again = clock.after(TERMINATE_AGAIN_MS, step);
  };
  worker.once('exit', () => again?.cancel());
  step();
}
