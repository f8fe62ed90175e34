import { StoreError } from '../../backend/store.ts';
import type { Notice, Questions } from './messages.ts';
import { heardError, type ToldError, tellError } from './told-error.ts';

/** The end of a channel to another thread, as far as it is used here. */
export interface PeerPort {
  postMessage(message: unknown): void;
  on(event: 'message', listener: (message: unknown) => void): unknown;
  on(event: 'close', listener: () => void): unknown;
}

/** What a worker does for another. */
export interface PeerService {
  answer<Name extends keyof Questions>(
    name: Name,
    ask: Questions[Name]['ask'],
  ): Promise<Questions[Name]['answer']>;
  hear(notice: Notice): void;
  /** The other worker is gone. */
  left(): void;
}

type Message =
  | {
      readonly kind: 'ask';
      readonly id: number;
      readonly name: keyof Questions;
      readonly ask: Questions[keyof Questions]['ask'];
    }
  | { readonly kind: 'answer'; readonly id: number; readonly answer: unknown }
  | { readonly kind: 'error'; readonly id: number; readonly error: ToldError }
  | { readonly kind: 'notice'; readonly notice: Notice };

interface Waiting {
  readonly resolve: (answer: never) => void;
  readonly reject: (error: Error) => void;
}

/** Questions and notices between two workers. */
export class PeerLink {
  readonly #port: PeerPort;
  readonly #service: PeerService;
  readonly #onClosed: () => void;
  readonly #onFault: (error: unknown) => void;
  readonly #waiting = new Map<number, Waiting>();
  #asked = 0;
  #isOpen = true;

  /**
   * @param onClosed called when the other worker is gone.
   * @param onFault told of exceptions that should not have happened, and that no question ends with.
   */
  constructor(
    port: PeerPort,
    service: PeerService,
    onClosed: () => void,
    onFault: (error: unknown) => void = () => undefined,
  ) {
    this.#port = port;
    this.#service = service;
    this.#onClosed = onClosed;
    this.#onFault = onFault;
    port.on('message', message => this.#guarded(() => this.#received(message as Message)));
    port.on('close', () => this.#guarded(() => this.#closed()));
  }

  /** Asks the other worker. @throws what it threw, and StoreError when it is gone. */
  ask<Name extends keyof Questions>(
    name: Name,
    ask: Questions[Name]['ask'],
  ): Promise<Questions[Name]['answer']> {
    if (!this.#isOpen) return Promise.reject(gone());
    const id = ++this.#asked;
    return new Promise((resolve, reject) => {
      this.#post({ kind: 'ask', id, name, ask });
      this.#waiting.set(id, { resolve, reject });
    });
  }

  tell(notice: Notice): void {
    if (this.#isOpen) this.#guarded(() => this.#post({ kind: 'notice', notice }));
  }

  #received(message: Message): void {
    switch (message.kind) {
      case 'ask':
        this.#answer(message.id, message.name, message.ask);
        return;
      case 'notice':
        this.#service.hear(message.notice);
        return;
      case 'answer':
        this.#take(message.id)?.resolve(message.answer as never);
        return;
      case 'error':
        this.#take(message.id)?.reject(heardError(message.error));
    }
  }

  #answer(id: number, name: keyof Questions, ask: Questions[keyof Questions]['ask']): void {
    this.#service
      .answer(name, ask as never)
      .then(answer => this.#post({ kind: 'answer', id, answer }))
      .catch(error => this.#post({ kind: 'error', id, error: tellError(error) }))
      .catch(this.#onFault);
  }

  #post(message: Message): void {
    this.#port.postMessage(message);
  }

  /** An exception in an event handler ends neither this thread nor the link. */
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

  #closed(): void {
    this.#isOpen = false;
    for (const waiting of this.#waiting.values()) waiting.reject(gone());
    this.#waiting.clear();
    this.#service.left();
    this.#onClosed();
  }
}

function gone(): StoreError {
  return new StoreError('UNREACHABLE', 'the worker that owns the object has just been replaced', undefined);
}
