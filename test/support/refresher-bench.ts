import { CredentialRefresher } from '../../src/backend/credentials/credential-refresher.ts';
import type { ProvidedCredentials } from '../../src/backend/credentials/credential-source.ts';
import { createLogger } from '../../src/base/logger.ts';
import { ManualClock } from './manual-clock.ts';

/** What a source says to one request. */
export type SourceAnswer = ProvidedCredentials | Error | 'nothing';

/** A refresher on a clock that a test moves, with a source whose answers it decides. */
export class RefresherBench {
  readonly clock = new ManualClock();
  readonly handed: ProvidedCredentials[] = [];
  readonly outcomes: string[] = [];
  readonly logged: Record<string, unknown>[] = [];
  /** When the source was asked, in milliseconds from the start. */
  readonly askedMs: number[] = [];
  readonly refresher: CredentialRefresher;
  /** Why those who sign cannot take new credentials. */
  handFailure: Error | undefined;
  readonly #signals: AbortSignal[] = [];
  answer: () => SourceAnswer;
  #release: ((answer: ProvidedCredentials) => void)[] = [];
  #lifetimes = 0;

  /** @param random that of the jitter */
  constructor(answer: () => SourceAnswer, random = 0) {
    this.answer = answer;
    const write = (line: string) => void this.logged.push(JSON.parse(line));
    this.refresher = new CredentialRefresher({
      ...{ backend: 'main', source: 'a source', clock: this.clock, random: () => random },
      provide: signal => this.#provide(signal),
      logger: createLogger({ level: 'debug', sink: { write, flush: () => undefined } }),
      hand: async credentials => {
        if (this.handFailure) throw this.handFailure;
        this.handed.push(credentials);
      },
      count: outcome => void this.outcomes.push(outcome),
    });
  }

  /** New keys, numbered, that are valid for `lifetimeMs` from now. */
  keys(lifetimeMs: number): ProvidedCredentials {
    const number = ++this.#lifetimes;
    const expiresAtMs = this.clock.nowMs() + lifetimeMs;
    return { accessKeyId: `K${number}`, secretAccessKey: `planted-${number}`, expiresAtMs };
  }

  /** Moves the clock in steps, so that what a timer begins can end before the next is due. */
  async run(milliseconds: number, stepMs = 250): Promise<void> {
    for (let leftMs = milliseconds; leftMs > 0; leftMs -= stepMs) {
      this.clock.advance(Math.min(stepMs, leftMs));
      await settled();
    }
  }

  /** Answers the oldest request that got nothing. */
  async release(answer: ProvidedCredentials): Promise<void> {
    this.#release.shift()?.(answer);
    await settled();
  }

  /** The messages of the log, with their levels. */
  get lines(): string[] {
    return this.logged.map(({ level, msg }) => `${level} ${msg}`);
  }

  /** Of each question to the source, whether it was given up. */
  get givenUp(): boolean[] {
    return this.#signals.map(({ aborted }) => aborted);
  }

  async #provide(signal: AbortSignal): Promise<ProvidedCredentials> {
    this.#signals.push(signal);
    this.askedMs.push(this.clock.monotonicMs());
    const answer = this.answer();
    if (answer === 'nothing') return new Promise(resolve => this.#release.push(resolve));
    if (answer instanceof Error) throw answer;
    return answer;
  }
}

/** All promises that wait for no timer have been resolved. */
function settled(): Promise<void> {
  return new Promise(resolve => setImmediate(resolve));
}
