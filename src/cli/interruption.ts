import type { ExitCode } from './exit-code.ts';

type StopSignal = 'SIGINT' | 'SIGTERM';

/** The part of `process` that delivers signals. */
export interface SignalSource {
  once(signal: StopSignal, listener: () => void): unknown;
  off(signal: StopSignal, listener: () => void): unknown;
}

const exitCodes: readonly (readonly [StopSignal, ExitCode])[] = [
  ['SIGINT', 130],
  ['SIGTERM', 143],
];

/** Ends a command early, which then tells how far it was. The second signal of a kind ends the process as usual. */
export class Interruption {
  readonly #source: SignalSource;
  readonly #stopping = new AbortController();
  readonly #listeners = exitCodes.map(([signal, exitCode]) => ({
    signal,
    listener: () => {
      this.#exitCode ??= exitCode;
      this.#stopping.abort();
    },
  }));
  #exitCode: ExitCode | undefined;

  constructor(source: SignalSource) {
    this.#source = source;
    for (const { signal, listener } of this.#listeners) source.once(signal, listener);
  }

  /** Aborted by the first signal. */
  get signal(): AbortSignal {
    return this.#stopping.signal;
  }

  /** Undefined while no signal has come. */
  get exitCode(): ExitCode | undefined {
    return this.#exitCode;
  }

  stopListening(): void {
    for (const { signal, listener } of this.#listeners) this.#source.off(signal, listener);
  }
}
