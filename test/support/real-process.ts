import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

/** For a program that ends within a second, on a machine that is busy with other things. */
const graceMs = 30_000;

interface ProcessOptions {
  readonly cwd?: string;
  /** Added to the environment of this process. */
  readonly environment?: Readonly<Record<string, string>>;
  /** What becomes of what it prints; kept unless said otherwise. */
  readonly output?: 'kept' | 'discarded';
}

/** How a program is run to its end. */
interface RunOptions extends ProcessOptions {
  /** What it reads from its standard input. */
  readonly input?: string;
  /** Gives it nothing of this environment but where programs and the home folder are, and which authorities to trust. */
  readonly ownEnvironment?: boolean;
}

/** A program started by a test or a benchmark, with all that it starts itself in a group of its own. */
export class RealProcess {
  readonly #child: ChildProcess;
  readonly #name: string;
  readonly #exited: Promise<void>;
  readonly #guard: ChildProcess | undefined;
  #output = '';

  constructor(command: string, args: readonly string[], options: ProcessOptions = {}) {
    this.#name = command;
    this.#child = spawn(command, args, {
      cwd: options.cwd,
      env: { ...process.env, ...options.environment },
      stdio: ['ignore', options.output === 'discarded' ? 'ignore' : 'pipe', 'pipe'],
      detached: true,
    });
    const keep = (chunk: Buffer) => {
      this.#output += chunk;
    };
    this.#child.stdout?.on('data', keep);
    this.#child.stderr?.on('data', keep);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#child.once('error', error => {
      this.#output += error.message;
      resolve();
    });
    this.#child.once('close', () => resolve());
    this.#exited = promise;
    this.#guard = this.#child.pid === undefined ? undefined : guardOf(this.#child.pid);
  }

  get pid(): number {
    if (this.#child.pid === undefined) throw new Error(`${this.#name} did not start: ${this.#output}`);
    return this.#child.pid;
  }

  /** All that the process has printed so far. */
  get output(): string {
    return this.#output;
  }

  /** Kept when `url` answers with a status below 500; rejects when the process ends first or takes too long. */
  async answers(url: string, limitMs = 100_000): Promise<void> {
    const endMs = performance.now() + limitMs;
    while (!(await respondsAt(url))) {
      const early = await Promise.race([this.#exited.then(() => true), wait(25, false)]);
      if (early) throw new Error(`${this.#name} ended before it answered:\n${this.#output}`);
      if (performance.now() > endMs) throw new Error(`${this.#name} does not answer:\n${this.#output}`);
    }
  }

  /** Ends the whole group, first politely; gives the exit code (null: ended by a signal). */
  async stop(): Promise<number | null> {
    this.#signal('SIGTERM');
    const late = wait(graceMs, 'late', { ref: false });
    if ((await Promise.race([this.#exited, late])) === 'late') this.#signal('SIGKILL');
    await this.#exited;
    this.#guard?.kill('SIGKILL');
    return this.#child.exitCode;
  }

  #signal(signal: NodeJS.Signals): void {
    if (this.#child.pid === undefined || this.#child.exitCode !== null || this.#child.signalCode !== null)
      return;
    process.kill(-this.#child.pid, signal);
  }
}

/**
 * Ends the group of `pid` when this process is gone, however it ended: its end of the pipe is closed then. A handler of
 * `exit` is not called for a signal.
 */
function guardOf(pid: number): ChildProcess {
  const script = 'read -r _; kill -s KILL -- "-$0"';
  const guard = spawn('sh', ['-c', script, String(pid)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  guard.unref();
  return guard;
}

/** Runs a program to its end and gives what it printed; rejects with that when it fails. */
export async function run(
  command: string,
  args: readonly string[],
  options: RunOptions = {},
): Promise<string> {
  const inherited = options.ownEnvironment ? ownEnvironment() : process.env;
  const child = spawn(command, args, { cwd: options.cwd, env: { ...inherited, ...options.environment } });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', chunk => {
      output += chunk;
    });
  }
  const { promise, resolve, reject } = Promise.withResolvers<number | null>();
  child.once('error', reject);
  child.once('close', resolve);
  // a program that ends without reading its input
  child.stdin.on('error', () => undefined);
  child.stdin.end(options.input ?? '');
  const code = await promise;
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${code}:\n${output.slice(-4000)}`);
  return output;
}

/** Below those that systems give to sockets that ask for any port, and none that `fetch` refuses. */
const ports = { first: 20_000, count: 12_000 };
const RESERVED_MS = 600_000;

/**
 * A TCP port of the loopback interface that nobody listens on now, for programs that cannot report theirs. It may take them
 * seconds to listen, so nobody else is given it for some minutes: neither a test that runs at the same time, nor a socket.
 */
export async function freePort(): Promise<number> {
  const directory = join(tmpdir(), 'tidegate-ports');
  mkdirSync(directory, { recursive: true });
  for (let tries = 0; tries < ports.count; tries++) {
    const port = ports.first + Math.floor(Math.random() * ports.count);
    if (reserve(join(directory, String(port))) && (await isFree(port))) return port;
  }
  throw new Error('no free port');
}

/** Makes `file`; false when another process has, some minutes ago at most. */
function reserve(file: string): boolean {
  const madeMs = statSync(file, { throwIfNoEntry: false })?.mtimeMs;
  if (madeMs !== undefined && Date.now() - madeMs > RESERVED_MS) rmSync(file, { force: true });
  try {
    closeSync(openSync(file, 'wx'));
    return true;
  } catch {
    return false;
  }
}

function isFree(port: number): Promise<boolean> {
  const server = createServer();
  const { promise, resolve } = Promise.withResolvers<boolean>();
  server.once('error', () => resolve(false));
  server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  return promise;
}

async function respondsAt(url: string): Promise<boolean> {
  try {
    const response = await fetch(url);
    await response.body?.cancel();
    return response.status < 500;
  } catch {
    return false;
  }
}

function ownEnvironment(): NodeJS.ProcessEnv {
  const names = ['PATH', 'HOME', 'NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'SSL_CERT_DIR'];
  return Object.fromEntries(names.map(name => [name, process.env[name]]));
}
