import type { Clock } from '../../base/clock.ts';
import { type PayloadOf, type ResultOf, Rpc, type ThreadPort } from '../../base/rpc.ts';
import { OwnerLostError } from '../fill/fill-error.ts';
import { memoryOf, type PeerCalls, type PeerNotices } from './messages.ts';
import { PeerWatch } from './peer-watch.ts';
import type { WebCalls, WebNotices } from './web-messages.ts';
import { wireErrors } from './wire-error.ts';

type Calls = PeerCalls & WebCalls;
type Notices = PeerNotices & WebNotices;

/** The part of a MessagePort that is used here. */
export interface PeerPort extends ThreadPort {
  on(event: 'message', listener: (message: unknown) => void): unknown;
  on(event: 'close', listener: () => void): unknown;
}

interface PeerLinkOptions {
  readonly clock: Clock;
  /** Called when the other worker has ended. */
  readonly onClosed: () => void;
  /** Called when the other worker, which was blocked, goes on. */
  readonly onHeardAgain?: () => void;
  /** Receives unexpected exceptions that are not the result of a call. */
  readonly onFault?: (error: unknown) => void;
}

/** The RPC connection between two workers, which also notices that the other one is blocked. */
export class PeerLink {
  readonly #rpc: Rpc;
  readonly #watch: PeerWatch;

  /** @param procedures what the other worker may call */
  constructor(port: PeerPort, procedures: PeerCalls & PeerNotices, options: PeerLinkOptions) {
    // an exception here closes neither this thread nor the link
    const { clock, onClosed, onHeardAgain = () => undefined, onFault = () => undefined } = options;
    const rpc = new Rpc(port, {
      errors: wireErrors,
      transferOf: memoryOf,
      onMessage: () => watch.heard(),
      onFault,
    });
    const watch = new PeerWatch(clock, {
      isAwaited: () => rpc.isWaiting,
      ping: () => rpc.notify('ping', undefined),
      onSilent: () => rpc.abandon(unresponsive()),
      onHeardAgain,
    });
    rpc.serve({ ...procedures, ping: () => rpc.notify('pong', undefined) });
    port.on('close', () => {
      rpc.close(new OwnerLostError('has just been replaced'));
      watch.end();
      try {
        onClosed();
      } catch (error) {
        onFault(error);
      }
    });
    this.#rpc = rpc;
    this.#watch = watch;
  }

  /** Whether the other worker has ended, or its event loop is blocked. */
  get isLost(): boolean {
    return this.#rpc.isClosed || this.#watch.isSilent;
  }

  /**
   * Calls a procedure of the other worker.
   *
   * @param late if given, the call fails at once while the other worker is blocked, and is abandoned when it becomes so;
   * `late` receives a result that arrives after that
   * @throws the error of the other worker; OwnerLostError when it has ended or is blocked
   */
  call<Name extends keyof Calls>(
    name: Name,
    payload: PayloadOf<Calls[Name]>,
    late?: (result: ResultOf<Calls[Name]>) => void,
  ): Promise<ResultOf<Calls[Name]>> {
    if (late && this.#watch.isSilent && !this.#rpc.isClosed) return Promise.reject(unresponsive());
    const result = this.#rpc.call(name, payload, late as ((result: unknown) => void) | undefined);
    this.#watch.begin();
    return result as Promise<ResultOf<Calls[Name]>>;
  }

  /** @param transfer memory of the payload that is transferred instead of copied */
  notify<Name extends keyof Notices>(
    name: Name,
    payload: PayloadOf<Notices[Name]>,
    transfer?: readonly ArrayBuffer[],
  ): void {
    this.#rpc.notify(name, payload, transfer);
  }

  /** Adds what the other worker may call about web origins. */
  serve(procedures: Partial<WebCalls & WebNotices>): void {
    this.#rpc.serve(procedures);
  }
}

function unresponsive(): OwnerLostError {
  return new OwnerLostError('does not answer');
}
