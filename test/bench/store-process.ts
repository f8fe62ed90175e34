import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { Moment } from '../support/stand-in/request-log.ts';
import {
  bucket,
  type DescribingObject,
  type PatternObject,
  type StoreCommand,
  type StoreReport,
} from './store-command.ts';

const program = new URL('store-main.ts', import.meta.url).pathname;

/** The stand-in store in a process of its own, so that its work is not counted or felt by the others. */
export class StoreProcess {
  readonly url: string;
  readonly #child: ChildProcess;
  #last: Promise<unknown> = Promise.resolve();

  private constructor(child: ChildProcess, port: number) {
    this.#child = child;
    this.url = `http://127.0.0.1:${port}`;
  }

  static async start(): Promise<StoreProcess> {
    const child = fork(program, { serialization: 'advanced' });
    const [{ port }]: [StoreReport] = await messageOf(child);
    return new StoreProcess(child, port);
  }

  /** Where an object is at the store itself. */
  urlOf(key: string): string {
    return `${this.url}/${bucket}/${key}`;
  }

  put(object: PatternObject | DescribingObject): Promise<StoreReport> {
    return this.#tell({ kind: 'put', object });
  }

  pace(latencyMs: number, rateBytesPerS: number): Promise<StoreReport> {
    return this.#tell({ kind: 'pace', latencyMs, rateBytesPerS });
  }

  breakAfter(...afterBytes: readonly number[]): Promise<StoreReport> {
    return this.#tell({ kind: 'break', afterBytes });
  }

  /** Puts `object` at `moment`, counted since the last `clear`. */
  replaceAt(moment: Moment, object: PatternObject): Promise<StoreReport> {
    return this.#tell({ kind: 'replace', moment, object });
  }

  /** Forgets the log and all faults that have not happened. */
  clear(): Promise<StoreReport> {
    return this.#tell({ kind: 'clear' });
  }

  report(): Promise<StoreReport> {
    return this.#tell({ kind: 'report' });
  }

  async stop(): Promise<void> {
    const gone = once(this.#child, 'exit');
    this.#child.disconnect();
    await gone;
  }

  /** Commands are answered in order, one at a time. */
  #tell(command: StoreCommand): Promise<StoreReport> {
    const answer = this.#last.then(async () => {
      const message = messageOf(this.#child);
      this.#child.send(command);
      const [report] = await message;
      return report;
    });
    this.#last = answer;
    return answer;
  }
}

async function messageOf(child: ChildProcess): Promise<[StoreReport]> {
  const ended = new AbortController();
  const exit = once(child, 'exit', { signal: ended.signal }).then(() => {
    throw new Error('the store process ended');
  });
  const message = once(child, 'message', { signal: ended.signal });
  try {
    const [report] = await Promise.race([message, exit]);
    return [report];
  } finally {
    ended.abort();
    await Promise.allSettled([message, exit]);
  }
}
