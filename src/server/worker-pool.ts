import { MessageChannel } from 'node:worker_threads';
import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import type { CounterCell } from '../base/metrics.ts';
import type { PayloadOf, ResultOf, Rpc } from '../base/rpc.ts';
import { ThreadGoneError } from '../base/rpc-error.ts';
import type { ListenAddress } from './listen-address.ts';
import { SupervisedThread, type ThreadState } from './supervised-thread.ts';

export interface WorkerPoolOptions<Settings, Shared> {
  /** The number of workers; must be one where ports cannot be shared. */
  readonly count: number;
  /** The module that a worker runs. */
  readonly entry: URL;
  /** With resolved ports, never 0 (claim-address.ts), and the certificates in use. */
  readonly addresses: () => readonly ListenAddress[];
  readonly reusePort: boolean;
  /** Plain data for each worker that starts, replacements too. */
  readonly settings: () => Settings;
  /** Shared memory that all workers see; anything that can be cloned may contain it. */
  readonly shared: Shared;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly writeLog: (lines: string) => void;
  /** `tidegate_worker_restarts_total`. */
  readonly restarts: CounterCell;
  /** Called when a worker died, before its replacement runs, so that its pins in shared memory can be cleared. */
  readonly onDeath?: (index: number) => void;
  /** Called when a worker that was started with other settings than those of now begins to serve procedures. */
  readonly onOutdated?: (index: number) => void;
  /** Called when the first worker starts or the last one stops accepting connections; not while draining. */
  readonly onListening?: (any: boolean) => void;
  /** The same for the worker that owns the unix sockets. A blocked worker keeps them, because it may recover. */
  readonly onUnixListening?: (isListening: boolean) => void;
}

/** The index of the worker that owns the unix sockets. */
const UNIX_WORKER = 0;

/** The start data of a worker; both sides use this type. */
export interface WorkerStart<Settings, Shared> {
  readonly index: number;
  readonly count: number;
  readonly addresses: readonly ListenAddress[];
  readonly reusePort: boolean;
  readonly settings: Settings;
  readonly shared: Shared;
}

interface WorkerState {
  readonly index: number;
  readonly state: ThreadState;
}

/** The threads that serve requests. `Control` is the interface that each serves to the supervisor. */
export class WorkerPool<Control extends object, Settings = unknown, Shared = unknown> {
  readonly #threads: readonly SupervisedThread<undefined>[];
  /** Workers that have registered their procedures; only these can be called. */
  readonly #serving = new Set<Rpc>();
  /** Workers whose running responses have finished. */
  readonly #drained = new Set<Rpc>();
  /** Workers that currently take connections on behalf of an unresponsive one. */
  readonly #covering = new WeakSet<Rpc>();
  /** The last answer of each worker, by procedure name, for `latest`. */
  readonly #lastSaid = new WeakMap<Rpc, Map<string, unknown>>();
  /** The last answers of workers that died, by procedure name, for `takeDeparted`. */
  readonly #departed = new Map<string, unknown[]>();
  readonly #clock: Clock;
  readonly #onListening: (any: boolean) => void;
  readonly #onUnixListening: (isListening: boolean) => void;
  #isListening = false;
  #isUnixListening = false;
  #isDraining = false;

  constructor(options: WorkerPoolOptions<Settings, Shared>, supervisorProcedures: object = {}) {
    const { count, onListening = () => undefined, onUnixListening = () => undefined } = options;
    this.#clock = options.clock;
    this.#onListening = onListening;
    this.#onUnixListening = onUnixListening;
    this.#threads = Array.from({ length: count }, (_, index) =>
      this.#thread(index, options, supervisorProcedures),
    );
  }

  /**
   * Starts all workers; resolves when all are listening.
   * @throws ThreadStartError when one of them could not start
   */
  async start(): Promise<void> {
    await Promise.all(this.#threads.map(thread => thread.start()));
  }

  states(): readonly WorkerState[] {
    return this.#threads.map(({ state }, index) => ({ index, state }));
  }

  /**
   * Calls every worker. One that dies meanwhile is left out, as its data is gone.
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
   * Calls every worker and waits at most `patienceMs`. For a late worker its previous answer is used, if there is one.
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

  /** What the workers that died since the last call had answered to `latest` before. */
  takeDeparted<Name extends keyof Control & string>(name: Name): ResultOf<Control[Name]>[] {
    const answers = this.#departed.get(name) ?? [];
    this.#departed.delete(name);
    return answers.map(answer => answer as ResultOf<Control[Name]>);
  }

  /** Calls one worker. @throws RemoteCallError when it fails; ThreadGoneError when it is not running */
  async call<Name extends keyof Control & string>(
    index: number,
    name: Name,
    payload: PayloadOf<Control[Name]>,
  ): Promise<ResultOf<Control[Name]>> {
    const rpc = this.#threads[index]?.rpc;
    if (!rpc || !this.#serving.has(rpc)) throw new ThreadGoneError(`worker ${index} is not running`);
    return (await rpc.call(name, payload)) as ResultOf<Control[Name]>;
  }

  /** Has the workers use the certificates of these addresses for new connections. */
  useCertificates(addresses: readonly ListenAddress[]): void {
    for (const { rpc } of this.#threads) rpc?.notify('certificates', addresses);
  }

  /**
   * Tells every worker, those too that are starting: what was told comes after their settings. Nothing is waited for.
   */
  tellAll<Name extends keyof Control & string>(name: Name, payload: PayloadOf<Control[Name]>): void {
    for (const { rpc } of this.#threads) rpc?.notify(name, payload);
  }

  /** Ends all workers once all running responses have finished, or after `limitMs`. */
  async drain(limitMs: number): Promise<void> {
    this.#isDraining = true;
    const stopped = this.#threads.map(async thread => {
      await thread.stop(limitMs);
      this.#releaseDrained();
    });
    await Promise.all(stopped);
  }

  #thread(index: number, options: WorkerPoolOptions<Settings, Shared>, procedures: object) {
    const { entry, clock, logger, writeLog, restarts, onDeath, onOutdated } = options;
    const { count, reusePort, shared } = options;
    let settings = options.settings();
    const start = (): WorkerStart<Settings, Shared> => {
      settings = options.settings();
      // several threads can listen on one port, but not on one unix socket
      const addresses = options.addresses().filter(({ kind }) => kind === 'tcp' || index === UNIX_WORKER);
      return { index, count, addresses, reusePort, settings, shared };
    };
    return new SupervisedThread<undefined>({
      name: `worker-${index}`,
      entry,
      data: start,
      clock,
      logger,
      writeLog,
      restarts,
      onReady: () => undefined,
      onState: () => this.#updateListening(),
      isAlone: () => !this.#hasOneUp() || (index === UNIX_WORKER && hasUnix(options.addresses())),
      onSpawn: rpc => {
        rpc.serve({
          ...procedures,
          serving: () => {
            this.#serving.add(rpc);
            if (settings !== options.settings()) onOutdated?.(index);
          },
          drained: () => {
            this.#drained.add(rpc);
            this.#releaseDrained();
          },
        });
        this.#connectPeers(index, rpc);
      },
      onDeath: rpc => {
        this.#serving.delete(rpc);
        for (const [name, answer] of this.#lastSaid.get(rpc) ?? [])
          this.#departed.set(name, [...(this.#departed.get(name) ?? []), answer]);
        onDeath?.(index);
      },
    });
  }

  /** Lets the workers end once none of them needs another's data any more. */
  #releaseDrained(): void {
    if (!this.#isDraining) return;
    const running = this.#threads.flatMap(({ rpc }) => rpc ?? []);
    if (running.every(rpc => this.#drained.has(rpc)))
      for (const rpc of running) rpc.notify('leave', undefined);
  }

  #hasOneUp(): boolean {
    return this.#threads.some(({ state }) => state === 'up');
  }

  /** Reports when the pool starts or stops listening; replaces dead workers sooner when none is left. */
  #updateListening(): void {
    if (this.#isDraining) return;
    const isListening = this.#hasOneUp();
    if (!isListening) for (const thread of this.#threads) thread.hasten();
    this.#coverUnresponsive();
    this.#updateUnixListening();
    if (isListening === this.#isListening) return;
    this.#isListening = isListening;
    this.#onListening(isListening);
  }

  #updateUnixListening(): void {
    const state = this.#threads[UNIX_WORKER]?.state;
    const isListening = state === 'up' || state === 'unresponsive';
    if (isListening === this.#isUnixListening) return;
    this.#isUnixListening = isListening;
    this.#onUnixListening(isListening);
  }

  /** The kernel keeps giving connections to an unresponsive worker; the others take over most of its share. */
  #coverUnresponsive(): void {
    const isCovered = this.#threads.some(({ state }) => state === 'unresponsive');
    for (const { state, rpc } of this.#threads) {
      if (state !== 'up' || !rpc || this.#covering.has(rpc) === isCovered) continue;
      if (isCovered) this.#covering.add(rpc);
      else this.#covering.delete(rpc);
      rpc.notify('cover', isCovered);
    }
  }

  /**
   * Connects the new worker with each running one through a message channel, which replaces that of its predecessor.
   */
  #connectPeers(index: number, rpc: Rpc): void {
    for (const [other, thread] of this.#threads.entries()) {
      if (other === index || !thread.rpc) continue;
      const { port1, port2 } = new MessageChannel();
      rpc.notify('peer', { index: other, port: port1 }, [port1]);
      thread.rpc.notify('peer', { index, port: port2 }, [port2]);
    }
  }
}

function hasUnix(addresses: readonly ListenAddress[]): boolean {
  return addresses.some(({ kind }) => kind === 'unix');
}

const dead = Symbol('dead');

function leaveOutTheDead(error: unknown): typeof dead {
  if (error instanceof ThreadGoneError) return dead;
  throw error;
}
