import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, RealProcess } from './real-process.ts';

const main = new URL('../../src/start.js', import.meta.url).pathname;

/** What a test says of the gateway; ports, state directory and the rest are filled in. */
export interface GatewaySetup {
  /** The configuration keys of the same names, in the form of the configuration file. */
  readonly backends: Readonly<Record<string, object>>;
  readonly buckets: Readonly<Record<string, object>>;
  readonly memory: string;
  /** One unless said. */
  readonly workers?: number;
  readonly clients?: readonly object[];
  readonly limits?: object;
  readonly events?: object;
  /** Of the listener, which speaks plain HTTP without. */
  readonly tls?: { readonly cert: string; readonly key: string };
  /** Off unless said; when on, nothing the process prints is kept. */
  readonly accessLog?: boolean | object;
  /** Of the admin port. Any free port, and no token, unless it says otherwise. */
  readonly admin?: {
    readonly port?: number;
    readonly token?: string;
    readonly names?: readonly string[];
    readonly eventsToken?: string;
  };
  /** Further arguments of Node, before the program. */
  readonly nodeArguments?: readonly string[];
  /** A command before Node, such as `taskset -c 0`. */
  readonly launcher?: readonly string[];
}

/** The gateway as people run it: a process of its own that reads a configuration file. */
export class GatewayProcess {
  readonly url: string;
  readonly adminUrl: string;
  readonly #process: RealProcess;
  readonly #directory: string;
  readonly #ports: readonly [number, number];

  private constructor(
    process: RealProcess,
    directory: string,
    [port, adminPort]: readonly [number, number],
    scheme: 'http' | 'https',
  ) {
    this.#process = process;
    this.#directory = directory;
    this.#ports = [port, adminPort];
    this.url = `${scheme}://127.0.0.1:${port}`;
    this.adminUrl = `http://127.0.0.1:${adminPort}`;
  }

  /** Starts a gateway and waits until it is ready. */
  static async start(setup: GatewaySetup): Promise<GatewayProcess> {
    const directory = mkdtempSync(join(tmpdir(), 'tidegate-gateway-'));
    const [port, adminPort] = [await freePort(), setup.admin?.port ?? (await freePort())];
    const file = writeSetup(setup, directory, port, adminPort);
    const [command = process.execPath, ...args] = [
      ...(setup.launcher ?? []),
      process.execPath,
      ...(setup.nodeArguments ?? []),
      main,
      '-c',
      file,
    ];
    // What an access log says under load would only fill the memory of whoever keeps it.
    const output = setup.accessLog === true ? 'discarded' : 'kept';
    const started = new RealProcess(command, args, { cwd: directory, output });
    const gateway = new GatewayProcess(started, directory, [port, adminPort], setup.tls ? 'https' : 'http');
    try {
      await started.answers(`${gateway.adminUrl}/readyz`);
    } catch (error) {
      await gateway.stop();
      throw error;
    }
    return gateway;
  }

  get pid(): number {
    return this.#process.pid;
  }

  get output(): string {
    return this.#process.output;
  }

  /** Its working directory, for what it leaves behind (profiles); there until `stop`. */
  get directory(): string {
    return this.#directory;
  }

  async metrics(): Promise<Metrics> {
    const response = await fetch(`${this.adminUrl}/metrics`);
    if (response.status !== 200) throw new Error(`/metrics answered ${response.status}`);
    return new Metrics(await response.text());
  }

  /** Replaces its configuration file, which it reads again when it is told to. */
  rewrite(setup: GatewaySetup): void {
    writeSetup(setup, this.#directory, ...this.#ports);
  }

  /** Has it read its configuration again; the status and what it says. @param token of the admin port, if it has one */
  async reload(token = ''): Promise<{ readonly status: number; readonly said: unknown }> {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
    const response = await fetch(`${this.adminUrl}/api/reload`, { method: 'POST', headers });
    return { status: response.status, said: await response.json() };
  }

  /** Has it forget a bucket. */
  async purge(bucket: string): Promise<void> {
    const response = await fetch(`${this.adminUrl}/api/purge`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ bucket }),
    });
    if (response.status !== 200) throw new Error(`a purge was answered ${response.status}`);
    await response.body?.cancel();
  }

  /** Ends the process but leaves its files; gives the exit code. */
  halt(): Promise<number | null> {
    return this.#process.stop();
  }

  /** Ends the process and removes its files; gives the exit code. */
  async stop(): Promise<number | null> {
    const code = await this.halt();
    rmSync(this.#directory, { recursive: true, force: true });
    return code;
  }
}

/** One scrape. */
export class Metrics {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  /** The sum of all series of `tidegate_<name>` with these labels; 0 where there is none. */
  total(name: string, labels: Readonly<Record<string, string>> = {}): number {
    const wanted = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
    let sum = 0;
    for (const line of this.#text.split('\n')) {
      const [, series, held = '', value] = /^tidegate_(\w+)(?:\{(.*)\})? (\S+)/.exec(line) ?? [];
      if (series === name && wanted.every(label => held.split(',').includes(label))) sum += Number(value);
    }
    return sum;
  }
}

/** The path of the file. */
function writeSetup(setup: GatewaySetup, directory: string, port: number, adminPort: number): string {
  const file = join(directory, 'gateway.yaml');
  // JSON is YAML.
  writeFileSync(file, JSON.stringify(configuration(setup, directory, port, adminPort)));
  return file;
}

function configuration(setup: GatewaySetup, directory: string, port: number, adminPort: number): object {
  return {
    listen: { host: '127.0.0.1', port, ...(setup.tls && { tls: setup.tls }) },
    admin: { host: '127.0.0.1', ...setup.admin, port: adminPort },
    workers: setup.workers ?? 1,
    ...(setup.clients && { clients: setup.clients }),
    ...(setup.limits && { limits: setup.limits }),
    ...(setup.events && { events: setup.events }),
    state: { directory: join(directory, 'state') },
    backends: setup.backends,
    buckets: setup.buckets,
    cache: { memory: { size: setup.memory } },
    log: { level: 'info', access: setup.accessLog ?? false },
  };
}
