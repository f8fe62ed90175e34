import type { Transferable } from 'node:worker_threads';
import { errorCode } from './error-code.ts';

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

/** The other thread refused a call, or the call failed there. */
export class RemoteCallError extends Error {
  readonly code: string;

  constructor(procedure: string, reason: { readonly code: string; readonly message: string }) {
    super(`${procedure}: ${reason.message}`);
    this.code = reason.code;
  }
}

/** The other thread ended before it answered. */
export class ThreadGoneError extends Error {
  readonly code = 'THREAD_GONE';
}

type Message =
  | { readonly kind: 'call'; readonly id: number; readonly name: string; readonly payload: unknown }
  | { readonly kind: 'notice'; readonly name: string; readonly payload: unknown }
  | { readonly kind: 'result'; readonly id: number; readonly value: unknown }
  | { readonly kind: 'failure'; readonly id: number; readonly code: string; readonly message: string };

interface Waiting {
  readonly name: string;
  resolve(value: unknown): void;
  reject(reason: Error): void;
}

/**
 * Remote procedure calls in both directions over one channel. Procedure names and types are declared by the wrappers of
 * this class (such as the worker pool and the worker's membership), since both ends belong to one program.
 */
export class Rpc {
  readonly #channel: ThreadPort;
  readonly #handlers = new Map<string, (payload: unknown) => unknown>();
  readonly #waiting = new Map<number, Waiting>();
  #nextId = 1;
  #gone: ThreadGoneError | undefined;

  constructor(channel: ThreadPort) {
    this.#channel = channel;
    channel.on('message', message => {
      if (isMessage(message)) this.#receive(message);
    });
  }

  /** Adds procedures that the other end may call. */
  serve(procedures: object): void {
    for (const [name, procedure] of Object.entries(procedures)) {
      this.#handlers.set(name, payload => Reflect.apply(procedure, undefined, [payload]));
    }
  }

  /**
   * Calls a procedure of the other end.
   *
   * @throws RemoteCallError with the code of the remote error; ThreadGoneError when the other thread has ended
   */
  call(name: string, payload: unknown): Promise<unknown> {
    if (this.#gone) return Promise.reject(this.#gone);
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { name, resolve, reject });
      this.#send({ kind: 'call', id, name, payload });
    });
  }

  /** Calls a procedure without waiting for a result; `transfer` lists the ports to transfer. */
  notify(name: string, payload: unknown, transfer: readonly Transferable[] = []): void {
    if (!this.#gone) this.#send({ kind: 'notice', name, payload }, transfer);
  }

  /** Rejects all pending calls: the other thread has ended. */
  close(): void {
    this.#gone = new ThreadGoneError('the thread has ended');
    for (const { reject } of this.#waiting.values()) reject(this.#gone);
    this.#waiting.clear();
  }

  #send(message: Message, transfer: readonly Transferable[] = []): void {
    this.#channel.postMessage(message, transfer);
  }

  #receive(message: Message): void {
    if (message.kind === 'call') void this.#answer(message);
    else if (message.kind === 'notice') this.#handlers.get(message.name)?.(message.payload);
    else this.#settle(message);
  }

  async #answer({ id, name, payload }: Extract<Message, { kind: 'call' }>): Promise<void> {
    try {
      const handler = this.#handlers.get(name);
      if (!handler) throw new RemoteCallError(name, { code: 'NO_PROCEDURE', message: 'no such procedure' });
      this.#send({ kind: 'result', id, value: await handler(payload) });
    } catch (error) {
      this.#send({ kind: 'failure', id, ...reasonOf(error) });
    }
  }

  #settle(message: Extract<Message, { kind: 'result' | 'failure' }>): void {
    const waiting = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    if (message.kind === 'result') waiting?.resolve(message.value);
    else waiting?.reject(new RemoteCallError(waiting.name, message));
  }
}

function isMessage(value: unknown): value is Message {
  return typeof value === 'object' && value !== null && 'kind' in value;
}

function reasonOf(error: unknown): { code: string; message: string } {
  if (!(error instanceof Error)) return { code: 'UNKNOWN', message: String(error) };
  return { code: errorCode(error) ?? error.name, message: error.message };
}
