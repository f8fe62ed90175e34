import type { Transferable } from 'node:worker_threads';
import { codeAndMessage, type ErrorCodec, RemoteCallError, ThreadGoneError } from './rpc-error.ts';

/** One end of a connection between two threads: a `Worker`, a `parentPort` or a `MessagePort`. */
export interface ThreadPort {
  postMessage(message: unknown, transfer?: readonly Transferable[]): void;
  on(event: 'message', listener: (message: unknown) => void): unknown;
}

/** The parameter type of a procedure. */
export type PayloadOf<Procedure> = Procedure extends (payload: infer Value) => unknown ? Value : undefined;

/** The result type of a procedure, unwrapped from its promise. */
export type ResultOf<Procedure> = Procedure extends (...payload: never) => infer Value
  ? Awaited<Value>
  : never;

type Message =
  | { readonly kind: 'call'; readonly id: number; readonly name: string; readonly payload: unknown }
  | { readonly kind: 'notice'; readonly name: string; readonly payload: unknown }
  | { readonly kind: 'result'; readonly id: number; readonly value: unknown }
  | { readonly kind: 'failure'; readonly id: number; readonly error: unknown };

interface PendingCall {
  readonly name: string;
  readonly resolve: (value: unknown) => void;
  readonly reject: (reason: Error) => void;
  /** Receives a result that arrives after the call was abandoned; undefined if it cannot be abandoned. */
  readonly late: ((value: unknown) => void) | undefined;
}

export interface RpcOptions {
  /** How errors of procedures cross; both ends have the same. By default a caller gets a RemoteCallError. */
  readonly errors?: ErrorCodec;
  /** The memory in a procedure's result that is transferred instead of copied. */
  readonly transferOf?: (result: unknown) => readonly Transferable[];
  /** Called after each message of the other end has been processed. */
  readonly onMessage?: () => void;
  /** Receives exceptions that belong to no call; thrown in the thread by default. */
  readonly onFault?: (error: unknown) => void;
}

/**
 * Remote procedure calls in both directions over one channel. Procedure names and types are declared by the wrappers of
 * this class (the worker pool, the worker's membership, the link between two workers), since both ends belong to one
 * program.
 */
export class Rpc {
  readonly #channel: ThreadPort;
  readonly #errors: ErrorCodec;
  readonly #transferOf: (result: unknown) => readonly Transferable[];
  readonly #onMessage: () => void;
  readonly #onFault: (error: unknown) => void;
  readonly #procedures = new Map<string, (payload: unknown) => unknown>();
  readonly #pending = new Map<number, PendingCall>();
  #nextId = 1;
  #closedBy: Error | undefined;

  constructor(channel: ThreadPort, options: RpcOptions = {}) {
    const { errors = codeAndMessage, transferOf = nothing, onMessage = ignore, onFault = rethrow } = options;
    this.#channel = channel;
    this.#errors = errors;
    this.#transferOf = transferOf;
    this.#onMessage = onMessage;
    this.#onFault = onFault;
    channel.on('message', message => {
      if (isMessage(message)) this.#receive(message);
    });
  }

  get isClosed(): boolean {
    return this.#closedBy !== undefined;
  }

  /** Whether calls are waiting for their results. */
  get isWaiting(): boolean {
    return this.#pending.size > 0;
  }

  /** Adds procedures that the other end may call. */
  serve(procedures: object): void {
    for (const [name, procedure] of Object.entries(procedures)) this.#procedures.set(name, procedure);
  }

  /**
   * Calls a procedure of the other end.
   *
   * @param late if given, the call can be abandoned; `late` receives a result that arrives after that
   * @throws the error of the procedure, as `errors` decodes it; the reason of `close` or `abandon`
   */
  call(name: string, payload: unknown, late?: (result: unknown) => void): Promise<unknown> {
    if (this.#closedBy) return Promise.reject(this.#closedBy);
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      // throws for a payload that cannot be cloned: nothing is pending then
      this.#send({ kind: 'call', id, name, payload });
      this.#pending.set(id, { name, resolve, reject, late });
    });
  }

  /** Calls a procedure without waiting for a result; `transfer` lists the ports to transfer. */
  notify(name: string, payload: unknown, transfer: readonly Transferable[] = []): void {
    if (this.#closedBy) return;
    try {
      this.#send({ kind: 'notice', name, payload }, transfer);
    } catch (error) {
      this.#onFault(error);
    }
  }

  /** Fails the pending calls that have a `late` handler: the other thread does not answer at present. */
  abandon(reason: Error): void {
    for (const [id, { name, reject, late }] of this.#pending) {
      if (!late) continue;
      this.#pending.set(id, { name, resolve: late, reject: ignore, late: undefined });
      reject(reason);
    }
  }

  /** Fails all pending and later calls: the other thread has ended. */
  close(reason: Error = new ThreadGoneError('the thread has ended')): void {
    this.#closedBy = reason;
    for (const { reject } of this.#pending.values()) reject(reason);
    this.#pending.clear();
  }

  #send(message: Message, transfer: readonly Transferable[] = []): void {
    this.#channel.postMessage(message, transfer);
  }

  #receive(message: Message): void {
    try {
      if (message.kind === 'call') void this.#answer(message);
      else if (message.kind === 'notice') this.#procedures.get(message.name)?.(message.payload);
      else this.#settle(message);
      this.#onMessage();
    } catch (error) {
      this.#onFault(error);
    }
  }

  async #answer({ id, name, payload }: Extract<Message, { kind: 'call' }>): Promise<void> {
    try {
      const procedure = this.#procedures.get(name);
      if (!procedure) throw new RemoteCallError(name, { code: 'NO_PROCEDURE', message: 'no such procedure' });
      const value = await procedure(payload);
      this.#send({ kind: 'result', id, value }, this.#transferOf(value));
    } catch (error) {
      this.#fail(id, error);
    }
  }

  #fail(id: number, error: unknown): void {
    try {
      this.#send({ kind: 'failure', id, error: this.#errors.encode(error) });
    } catch (fault) {
      this.#onFault(fault);
    }
  }

  /** A result that nothing waits for is ignored. */
  #settle(message: Extract<Message, { kind: 'result' | 'failure' }>): void {
    const call = this.#pending.get(message.id);
    if (!call) return;
    this.#pending.delete(message.id);
    if (message.kind === 'result') call.resolve(message.value);
    else call.reject(this.#errors.decode(message.error, call.name));
  }
}

function isMessage(value: unknown): value is Message {
  return typeof value === 'object' && value !== null && 'kind' in value;
}

function nothing(): readonly Transferable[] {
  return [];
}

function ignore(): void {}

function rethrow(error: unknown): never {
  throw error;
}
