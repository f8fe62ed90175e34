import type { MessagePort } from 'node:worker_threads';
import { systemClock } from '../base/clock.ts';
import { LineBatches } from '../base/line-batches.ts';
import type { LogSink } from '../base/logger.ts';
import type { PayloadOf, ResultOf } from '../base/rpc.ts';
import type { ClientLimits } from './client-limits.ts';
import { type HttpListener, type HttpListenerOptions, listenHttp } from './http-listener.ts';
import { type JoinedThread, joinSupervisor } from './joined-thread.ts';
import type { ListenAddress, ProxiesByAddress } from './listen-address.ts';
import type { WorkerStart } from './worker-pool.ts';

/** A worker's side of the pool: its start data, its peers and its connection to the supervisor. */
class WorkerMembership<Supervisor extends object, Settings, Shared> {
  readonly start: WorkerStart<Settings, Shared>;
  /** Passes the lines of the access log to the supervisor. */
  readonly accessLogSink: LineBatches;
  readonly #thread: JoinedThread;
  readonly #peers = new Map<number, MessagePort>();
  #onPeer: (index: number, port: MessagePort) => void = () => undefined;
  #listener: HttpListener | undefined;
  #beforeLeaving: () => Promise<void> = () => Promise.resolve();
  /** Limits that have changed since the start. */
  #limits: Parameters<HttpListener['limit']> | undefined;
  /** Proxies that have changed since the start. */
  #proxies: ProxiesByAddress = new Map();
  /** The addresses with the certificates that came last, perhaps before this worker listened. */
  #renewed: readonly ListenAddress[] = [];

  constructor(thread: JoinedThread, start: WorkerStart<Settings, Shared>) {
    this.start = start;
    this.#thread = thread;
    this.accessLogSink = new LineBatches({
      clock: systemClock,
      send: lines => thread.rpc.call('writeAccessLog', lines),
    });
    process.once('exit', () => this.accessLogSink.flush());
    const leave = Promise.withResolvers<void>();
    thread.rpc.serve({
      leave: () => leave.resolve(),
      cover: (isCovering: boolean) => this.#listener?.cover(isCovering),
      certificates: (addresses: readonly ListenAddress[]) => {
        this.#renewed = addresses;
        this.#listener?.useCertificates(addresses);
      },
      peer: ({ index, port }: { index: number; port: MessagePort }) => {
        this.#peers.set(index, port);
        this.#onPeer(index, port);
      },
    });
    thread.onDrain(async limitMs => {
      setTimeout(leave.resolve, limitMs);
      await this.#listener?.drain(limitMs);
      await this.#beforeLeaving();
      // other workers' responses may still need data that this worker owns
      thread.rpc.notify('drained', undefined);
      await leave.promise;
      this.accessLogSink.flush();
    });
  }

  /** Passes this worker's log lines to the supervisor, which alone writes the log. */
  get logSink(): LogSink {
    return this.#thread.logSink;
  }

  /**
   * Calls `meet` with a port for each other worker, now or when it starts. It is called again for a replacement, whose
   * predecessor's port is closed then.
   */
  onPeer(meet: (index: number, port: MessagePort) => void): void {
    this.#onPeer = meet;
    for (const [index, port] of this.#peers) meet(index, port);
  }

  /** Calls `finish` after the last request, before this thread ends. It should take a few seconds at most. */
  beforeLeaving(finish: () => Promise<void>): void {
    this.#beforeLeaving = finish;
  }

  /** Serves the procedures that the supervisor calls with `pool.call` and `pool.callAll`. */
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

  /** Tells the supervisor something that it need not answer. */
  tellSupervisor<Name extends keyof Supervisor & string>(
    name: Name,
    payload: PayloadOf<Supervisor[Name]>,
  ): void {
    this.#thread.rpc.notify(name, payload);
  }

  /** Changes the limits of the listener, now or when it listens. See `HttpListener`. */
  limit(limits: ClientLimits, connections: number | undefined): void {
    this.#limits = [limits, connections];
    this.#listener?.limit(limits, connections);
  }

  /** Changes whose word on clients counts, now or when it listens. See `HttpListener`. */
  trust(proxies: ProxiesByAddress): void {
    this.#proxies = proxies;
    this.#listener?.trust(proxies);
  }

  /** Starts listening on the shared addresses and reports that the worker is ready. @throws ListenError */
  async listen(serving: Omit<HttpListenerOptions, 'addresses' | 'reusePort'>): Promise<void> {
    const { addresses, reusePort } = this.start;
    this.#listener = await listenHttp({ addresses, reusePort, ...serving });
    this.#listener.useCertificates(this.#renewed);
    this.#listener.trust(this.#proxies);
    if (this.#limits) this.#listener.limit(...this.#limits);
    this.#thread.ready(undefined);
  }
}

/**
 * Joins the pool that started this thread. `Settings` and `Shared` are the types in the supervisor's
 * `WorkerPoolOptions`; `Supervisor` is the interface that it serves to workers.
 */
export function joinPool<Settings, Shared, Supervisor extends object = Record<never, never>>() {
  const thread = joinSupervisor();
  return new WorkerMembership<Supervisor, Settings, Shared>(
    thread,
    thread.data as WorkerStart<Settings, Shared>,
  );
}
