import { MessageChannel } from 'node:worker_threads';
import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import type { CounterCell } from '../base/metrics.ts';
import { type PayloadOf, type ResultOf, type Rpc, ThreadGoneError } from '../base/rpc.ts';
import { SupervisedThread, type ThreadState } from './supervised-thread.ts';

export interface WorkerPoolOptions<Settings, Shared> {
  /** How many workers; where ports cannot be shared, one. */
  readonly count: number;
  /** The module that a worker runs. */
  readonly entry: URL;
  readonly host: string;
  /** Settled: never 0 (claim-port.ts). */
  readonly port: number;
  readonly reusePort: boolean;
  /** Plain data for every worker. */
  readonly settings: Settings;
  /** What all workers see at once: shared memory inside anything that can be cloned. */
  readonly shared: Shared;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly writeLog: (lines: string) => void;
  /** `tidegate_worker_restarts_total`. */
  readonly restarts: CounterCell;
  /** A worker died: its pins in shared memory can be cleared before its replacement runs. */
  readonly onDeath?: (index: number) => void;
  /** Called with whether any worker takes connections, when that has changed; not while the pool drains. */
  readonly onListening?: (any: boolean) => void;
}

/** What a worker finds when it starts; the same type on both sides. */
export interface WorkerStart<Settings, Shared> {
  readonly index: number;
  readonly count: number;
  readonly host: string;
  readonly port: number;
  readonly reusePort: boolean;
  readonly settings: Settings;
  readonly shared: Shared;
}

export interface WorkerState {
  readonly index: number;
  readonly state: ThreadState;
}

/** The threads that serve requests. `Control` is what each of them serves to the supervisor, by name. */
export class WorkerPool<Control extends object, Settings = unknown, Shared = unknown> {
  readonly #threads: readonly SupervisedThread<undefined>[];
  /** The workers that have said what they serve; the others know nothing yet that could be asked for. */
  readonly #serving = new Set<Rpc>();
  /** The workers whose running responses have finished. */
  readonly #drained = new Set<Rpc>();
  /** The workers that listen for one that is unresponsive, too. */
  readonly #covering = new WeakSet<Rpc>();
  /** By name, for `latest`. */
  readonly #lastSaid = new WeakMap<Rpc, Map<string, unknown>>();
  readonly #clock: Clock;
  readonly #onListening: (any: boolean) => void;
  #isListening = false;
  #isDraining = false;

  constructor(options: WorkerPoolOptions<Settings, Shared>, supervisorProcedures: object = {}) {
    const { count, onListening = () => undefined } = options;
    this.#clock = options.clock;
    this.#onListening = onListening;
    this.#threads = Array.from({ length: count }, (_, index) =>
      this.#thread(index, options, supervisorProcedures),
    );
  }

  /**
   * Starts all workers; resolves when every one of them listens.
   * @throws ThreadStartError when one of them could not start
   */
  async start(): Promise<void> {
    await Promise.all(this.#threads.map(thread => thread.start()));
  }

  states(): readonly WorkerState[] {
    return this.#threads.map(({ state }, index) => ({ index, state }));
  }

  /**
   * Asks every worker. One that dies meanwhile is left out: what it held died with it.
   * @throws RemoteCallError when one of them fails
   */
  async callAll<Name extends keyof Control & string>(
    name: Name,
    payload: PayloadOf<Control[Name]>,
  ): Promise<ResultOf<Control[Name]>[]> {
    const asked = Array.from(this.#serving, rpc => rpc.call(name, payload).catch(leaveOutTheDead));
    const answers = await Promise.all(asked);
    return answers.filter(answer => answer !== dead).map(answer => answer as ResultOf<Control[Name]>);
  }

  /**
   * Asks every worker, and waits for none longer than `patienceMs`: one that is late is taken to say what it said last, or
   * left out where it has said nothing yet.
   */
  async latest<Name extends keyof Control & string>(
    name: Name,
    payload: PayloadOf<Control[Name]>,
    patienceMs: number,
  ): Promise<ResultOf<Control[Name]>[]> {
    const late = Promise.withResolvers<void>();
    const patience = this.#clock.after(patienceMs, late.resolve);
    const asked = Array.from(this.#serving, async rpc => {
      const said = this.#lastSaid.get(rpc) ?? new Map<string, unknown>();
      this.#lastSaid.set(rpc, said);
      const answer = rpc.call(name, payload).then(value => void said.set(name, value));
      await Promise.race([answer.catch(() => undefined), late.promise]);
      return said.get(name);
    });
    const answers = await Promise.all(asked);
    patience.cancel();
    return answers.filter(answer => answer !== undefined).map(answer => answer as ResultOf<Control[Name]>);
  }

  /** Asks one worker. @throws RemoteCallError when it fails; ThreadGoneError when it is not there */
  async call<Name extends keyof Control & string>(
    index: number,
    name: Name,
    payload: PayloadOf<Control[Name]>,
  ): Promise<ResultOf<Control[Name]>> {
    const rpc = this.#threads[index]?.rpc;
    if (!rpc || !this.#serving.has(rpc)) throw new ThreadGoneError(`worker ${index} is not there`);
    return (await rpc.call(name, payload)) as ResultOf<Control[Name]>;
  }

  /** Ends all workers once the running responses of all have finished, or after `limitMs`. */
  async drain(limitMs: number): Promise<void> {
    this.#isDraining = true;
    const stopped = this.#threads.map(async thread => {
      await thread.stop(limitMs);
      this.#releaseDrained();
    });
    await Promise.all(stopped);
  }

  #thread(index: number, options: WorkerPoolOptions<Settings, Shared>, procedures: object) {
    const { entry, clock, logger, writeLog, restarts, onDeath } = options;
    const { count, host, port, reusePort, settings, shared } = options;
    const start: WorkerStart<Settings, Shared> = { index, count, host, port, reusePort, settings, shared };
    let current: Rpc | undefined;
    return new SupervisedThread<undefined>({
      name: `worker-${index}`,
      entry,
      data: () => start,
      clock,
      logger,
      writeLog,
      restarts,
      onReady: () => undefined,
      onState: () => this.#look(),
      isAlone: () => !this.#hasOneUp(),
      onSpawn: rpc => {
        current = rpc;
        rpc.serve({
          ...procedures,
          serving: () => void this.#serving.add(rpc),
          drained: () => {
            this.#drained.add(rpc);
            this.#releaseDrained();
          },
        });
        this.#connectPeers(index, rpc);
      },
      onDeath: () => {
        if (current) this.#serving.delete(current);
        onDeath?.(index);
      },
    });
  }

  /** Lets the workers end that wait for the responses of the others. */
  #releaseDrained(): void {
    if (!this.#isDraining) return;
    const running = this.#threads.flatMap(({ rpc }) => rpc ?? []);
    if (running.every(rpc => this.#drained.has(rpc)))
      for (const rpc of running) rpc.notify('leave', undefined);
  }

  #hasOneUp(): boolean {
    return this.#threads.some(({ state }) => state === 'up');
  }

  /** Tells when the last listener has gone, and has it replaced soon; and when there is one again. */
  #look(): void {
    if (this.#isDraining) return;
    const isListening = this.#hasOneUp();
    if (!isListening) for (const thread of this.#threads) thread.hasten();
    this.#coverUnresponsive();
    if (isListening === this.#isListening) return;
    this.#isListening = isListening;
    this.#onListening(isListening);
  }

  /** The kernel goes on giving connections to a worker that stands still: the others take most of its share. */
  #coverUnresponsive(): void {
    const isCovered = this.#threads.some(({ state }) => state === 'unresponsive');
    for (const { state, rpc } of this.#threads) {
      if (state !== 'up' || !rpc || this.#covering.has(rpc) === isCovered) continue;
      if (isCovered) this.#covering.add(rpc);
      else this.#covering.delete(rpc);
      rpc.notify('cover', isCovered);
    }
  }

  /** A channel between the new worker and each that runs: announced to both, in place of a dead one's. */
  #connectPeers(index: number, rpc: Rpc): void {
    for (const [other, thread] of this.#threads.entries()) {
      if (other === index || !thread.rpc) continue;
      const { port1, port2 } = new MessageChannel();
      rpc.notify('peer', { index: other, port: port1 }, [port1]);
      thread.rpc.notify('peer', { index, port: port2 }, [port2]);
    }
  }
}

const dead = Symbol('dead');

function leaveOutTheDead(error: unknown): typeof dead {
  if (error instanceof ThreadGoneError) return dead;
  throw error;
}
