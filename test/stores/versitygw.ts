import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, RealProcess } from '../support/real-process.ts';

/** One line of the store's own access log. */
export interface StoreRequest {
  readonly status: number;
  readonly method: string;
  readonly path: string;
  readonly query: string;
}

/** versitygw over a folder: a store that others wrote, as the witness of what the gateway asks for. */
export class Versitygw {
  readonly url: string;
  readonly credentials = { accessKeyId: 'store', secretAccessKey: 'store-secret' };
  readonly #process: RealProcess;
  readonly #directory: string;

  private constructor(process: RealProcess, directory: string, port: number) {
    this.#process = process;
    this.#directory = directory;
    this.url = `http://127.0.0.1:${port}`;
  }

  /** Starts an empty store. */
  static async start(): Promise<Versitygw> {
    const directory = mkdtempSync(join(tmpdir(), 'tidegate-versitygw-'));
    const port = await freePort();
    const process = new RealProcess(
      'versitygw',
      ['--port', `127.0.0.1:${port}`, '--keep-alive', 'posix', directory],
      { environment: { ROOT_ACCESS_KEY: 'store', ROOT_SECRET_KEY: 'store-secret' } },
    );
    const store = new Versitygw(process, directory, port);
    await process.answers(store.url);
    return store;
  }

  /** What the store was asked, from its own log. */
  requests(): readonly StoreRequest[] {
    return this.#process.output.split('\n').flatMap(line => {
      const [, , status, , , method, path, , query = ''] = line.split('|').map(field => field.trim());
      return method !== undefined && path !== undefined
        ? [{ status: Number(status), method, path, query }]
        : [];
    });
  }

  async stop(): Promise<void> {
    await this.#process.stop();
    rmSync(this.#directory, { recursive: true, force: true });
  }
}
