import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { createInterface, type Interface } from 'node:readline';

const script = new URL('small-readers.py', import.meta.url).pathname;

/** What a client has got of an answer. */
export interface Received {
  readonly path: string;
  /** null for one that has got no head. */
  readonly status: number | null;
  readonly promised: number | null;
  readonly bytes: number;
  /** Whether the connection was closed. */
  readonly isCut: boolean;
  /** The first byte that is not what the object holds there; null when there is none. */
  readonly wrong: string | null;
}

interface SmallReadersOptions {
  /** Of the gateway. */
  readonly url: string;
  readonly count: number;
  readonly bufferBytes: number;
  /** What they ask for, one object after the other. */
  readonly objects: readonly { readonly path: string; readonly object: number }[];
}

/** Clients with small receive buffers, in a process of their own: they ask, and read nothing until they are told to. */
export class SmallReaders {
  readonly #process: ChildProcessWithoutNullStreams;
  readonly #lines: Interface;

  private constructor({ url, count, bufferBytes, objects }: SmallReadersOptions) {
    const asked = objects.map(({ path, object }) => `${path}:${object}`);
    this.#process = spawn('python3', [
      script,
      new URL(url).port,
      String(count),
      String(bufferBytes),
      ...asked,
    ]);
    this.#process.stderr.on('data', chunk => process.stderr.write(chunk));
    this.#lines = createInterface(this.#process.stdout);
  }

  /** Kept when all have asked. */
  static async start(options: SmallReadersOptions): Promise<SmallReaders> {
    const readers = new SmallReaders(options);
    await readers.#line();
    return readers;
  }

  /** Has the first `count` read on, up to the byte at `limitBytes`; what each of them has got by then. */
  async read(count: number, limitBytes: number): Promise<readonly Received[]> {
    const told = this.#line();
    this.#process.stdin.write(`read ${count} ${limitBytes}\n`);
    return JSON.parse(await told);
  }

  stop(): Promise<void> {
    return new Promise(resolve => {
      if (this.#process.exitCode !== null) resolve();
      this.#process.once('close', () => resolve());
      this.#process.stdin.end();
    });
  }

  #line(): Promise<string> {
    return new Promise(resolve => this.#lines.once('line', resolve));
  }
}
