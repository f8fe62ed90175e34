import type { Clock } from '../../base/clock.ts';
import { OwnerLostError } from '../read/owner-lost-error.ts';
import { memoryOf, type PeerCalls, type PeerNotice } from './messages.ts';
import { PeerWatch } from './peer-watch.ts';
import { decodeError, encodeError, type WireError } from './wire-error.ts';

/** The part of a MessagePort that is used here. */
export interface PeerPort {
  postMessage(message: unknown, moved: ArrayBuffer[]): void;
  on(event: 'message', listener: (message: unknown) => void): unknown;
  on(event: 'close', listener: () => void): unknown;
}

/** Serves the requests of another worker. */
export interface PeerHandler {
  answer<Name extends keyof PeerCalls>(
    name: Name,
    ask: PeerCalls[Name]['ask'],
  ): Promise<PeerCalls[Name]['answer']>;
  notified(notice: PeerNotice): void;
  /** The other worker has ended. */
  disconnected(): void;
}

type Message =
  | {
      readonly kind: 'ask';
      readonly id: number;
      readonly name: keyof PeerCalls;
      readonly ask: PeerCalls[keyof PeerCalls]['ask'];
    }
  | { readonly kind: 'answer'; readonly id: number; readonly answer: unknown }
  | { readonly kind: 'error'; readonly id: number; readonly error: WireError }
  | { readonly kind: 'notice'; readonly notice: PeerNotice }
  | { readonly kind: 'ping' | 'pong' };

interface Waiting {
  readonly resolve: (answer: never) => void;
  readonly reject: (error: Error) => void;
  /** Receives an answer that arrives after the request was abandoned; undefined if it cannot be abandoned. */
  readonly late: ((answer: never) => void) | undefined;
}

export interface PeerLinkOptions {
  readonly clock: Clock;
  /** Called when the other worker has ended. */
  readonly onClosed: () => void;
  /** Receives unexpected exceptions that are not the result of a request. */
  readonly onFault?: (error: unknown) => void;
}

/** Requests and notices between two workers. */
export class PeerLink {
  readonly #port: PeerPort;
  readonly #service: PeerHandler;
  readonly #onClosed: () => void;
  readonly #onFault: (error: unknown) => void;
  readonly #waiting = new Map<number, Waiting>();
  readonly #watch: PeerWatch;
  #asked = 0;
  #isOpen = true;

  constructor(port: PeerPort, service: PeerHandler, options: PeerLinkOptions) {
    const { clock, onClosed, onFault = () => undefined } = options;
    this.#port = port;
    this.#service = service;
    this.#onClosed = onClosed;
    this.#onFault = onFault;
    this.#watch = new PeerWatch(clock, {
      isAwaited: () => this.#waiting.size > 0,
      ping: () => this.#post({ kind: 'ping' }),
      onSilent: () => this.#giveUp(),
    });
    port.on('message', message => this.#guarded(() => this.#received(message as Message)));
    port.on('close', () => this.#guarded(() => this.#closed()));
  }

  /** Whether the other worker has ended, or its event loop is blocked. */
  get isLost(): boolean {
    return !this.#isOpen || this.#watch.isSilent;
  }

  /**
   * Sends a request to the other worker.
   *
   * @param late if given, the request fails at once while the other worker is blocked, and is abandoned when it becomes
   * so; `late` receives an answer that arrives after that
   * @throws the error of the other worker; OwnerLostError when it has ended or is blocked
   */
  call<Name extends keyof PeerCalls>(
    name: Name,
    ask: PeerCalls[Name]['ask'],
    late?: (answer: PeerCalls[Name]['answer']) => void,
  ): Promise<PeerCalls[Name]['answer']> {
    if (!this.#isOpen) return Promise.reject(gone());
    if (late && this.#watch.isSilent) return Promise.reject(unresponsive());
    const id = ++this.#asked;
    return new Promise((resolve, reject) => {
      this.#post({ kind: 'ask', id, name, ask });
      this.#waiting.set(id, { resolve, reject, late });
      this.#watch.begin();
    });
  }

  notify(notice: PeerNotice): void {
    if (this.#isOpen) this.#guarded(() => this.#post({ kind: 'notice', notice }));
  }

  #received(message: Message): void {
    this.#dispatch(message);
    this.#watch.heard();
  }

  #dispatch(message: Message): void {
    switch (message.kind) {
      case 'ping':
        this.#post({ kind: 'pong' });
        return;
      case 'pong':
        return;
      case 'ask':
        this.#answer(message.id, message.name, message.ask);
        return;
      case 'notice':
        this.#service.notified(message.notice);
        return;
      case 'answer':
        this.#take(message.id)?.resolve(message.answer as never);
        return;
      case 'error':
        this.#take(message.id)?.reject(decodeError(message.error));
    }
  }

  #answer(id: number, name: keyof PeerCalls, ask: PeerCalls[keyof PeerCalls]['ask']): void {
    this.#service
      .answer(name, ask as never)
      .then(answer => this.#post({ kind: 'answer', id, answer }, memoryOf(answer)))
      .catch(error => this.#post({ kind: 'error', id, error: encodeError(error) }))
      .catch(this.#onFault);
  }

  #post(message: Message, moved: ArrayBuffer[] = []): void {
    this.#port.postMessage(message, moved);
  }

  /** Isolates event handlers: an exception closes neither this thread nor the link. */
  #guarded(step: () => void): void {
    try {
      step();
    } catch (error) {
      this.#onFault(error);
    }
  }

  #take(id: number): Waiting | undefined {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    return waiting;
  }

  /** Abandons the requests that have a `late` handler. */
  #giveUp(): void {
    for (const [id, { reject, late }] of this.#waiting) {
      if (!late) continue;
      this.#waiting.set(id, { resolve: late, reject: ignore, late: undefined });
      reject(unresponsive());
    }
  }

  #closed(): void {
    this.#isOpen = false;
    this.#watch.end();
    for (const waiting of this.#waiting.values()) waiting.reject(gone());
    this.#waiting.clear();
    this.#service.disconnected();
    this.#onClosed();
  }
}

function gone(): OwnerLostError {
  return new OwnerLostError('has just been replaced');
}

function unresponsive(): OwnerLostError {
  return new OwnerLostError('does not answer');
}

function ignore(): void {}
