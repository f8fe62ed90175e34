import type { MessagePort } from 'node:worker_threads';
import type { LogSink } from '../base/logger.ts';
import type { PayloadOf, ResultOf } from '../base/rpc.ts';
import { type HttpListener, type HttpListenerOptions, listenHttp } from './http-listener.ts';
import { type JoinedThread, joinSupervisor } from './joined-thread.ts';
import type { WorkerStart } from './worker-pool.ts';

/** A worker's place in the pool: what it was started with, its peers, and its way to the supervisor. */
export class WorkerMembership<Supervisor extends object, Settings, Shared> {
  readonly start: WorkerStart<Settings, Shared>;
  readonly #thread: JoinedThread;
  readonly #peers = new Map<number, MessagePort>();
  #onPeer: (index: number, port: MessagePort) => void = () => undefined;
  #listener: HttpListener | undefined;

  constructor(thread: JoinedThread, start: WorkerStart<Settings, Shared>) {
    this.start = start;
    this.#thread = thread;
    const leave = Promise.withResolvers<void>();
    thread.rpc.serve({
      leave: () => leave.resolve(),
      cover: (isCovering: boolean) => this.#listener?.cover(isCovering),
      peer: ({ index, port }: { index: number; port: MessagePort }) => {
        this.#peers.set(index, port);
        this.#onPeer(index, port);
      },
    });
    thread.onDrain(async limitMs => {
      setTimeout(leave.resolve, limitMs);
      await this.#listener?.drain(limitMs);
      // answers of other workers are made of what this one owns
      thread.rpc.notify('drained', undefined);
      await leave.promise;
    });
  }

  /** Where this worker's lines go: the supervisor alone writes. */
  get logSink(): LogSink {
    return this.#thread.logSink;
  }

  /**
   * Calls `meet` for every other worker, now or when it comes, and again for its replacement: then the
   * port that was given before is closed.
   */
  onPeer(meet: (index: number, port: MessagePort) => void): void {
    this.#onPeer = meet;
    for (const [index, port] of this.#peers) meet(index, port);
  }

  /** Serves what the supervisor's `pool.call` and `pool.callAll` ask for. */
  serveControl(procedures: object): void {
    this.#thread.rpc.serve(procedures);
    this.#thread.rpc.notify('serving', undefined);
  }

  /** Calls a procedure of the supervisor. @throws RemoteCallError when it fails there */
  async callSupervisor<Name extends keyof Supervisor & string>(
    name: Name,
    payload: PayloadOf<Supervisor[Name]>,
  ): Promise<ResultOf<Supervisor[Name]>> {
    return (await this.#thread.rpc.call(name, payload)) as ResultOf<Supervisor[Name]>;
  }

  /** Opens the worker's share of the port and reports that it is up. @throws ListenError */
  async listen(serving: Omit<HttpListenerOptions, 'host' | 'port' | 'reusePort'>): Promise<void> {
    const { host, port, reusePort } = this.start;
    this.#listener = await listenHttp({ host, port, reusePort, ...serving });
    this.#thread.ready(undefined);
  }
}

/**
 * Joins the pool that started this thread. `Settings` and `Shared` are what the supervisor's
 * `WorkerPoolOptions` hold; `Supervisor` is what it serves to workers.
 */
export function joinPool<Settings, Shared, Supervisor extends object = Record<never, never>>() {
  const thread = joinSupervisor();
  return new WorkerMembership<Supervisor, Settings, Shared>(
    thread,
    thread.data as WorkerStart<Settings, Shared>,
  );
}
