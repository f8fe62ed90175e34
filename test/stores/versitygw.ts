import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, RealProcess } from '../support/real-process.ts';
import type { RealStore, StoreRequest } from './real-store.ts';

/** versitygw over a folder. */
export class Versitygw implements RealStore {
  readonly url: string;
  readonly directUrl: string;
  readonly credentials = { accessKeyId: 'store', secretAccessKey: 'store-secret' };
  readonly #process: RealProcess;
  readonly #directory: string;

  private constructor(process: RealProcess, directory: string, port: number) {
    this.#process = process;
    this.#directory = directory;
    this.url = `http://127.0.0.1:${port}`;
    this.directUrl = this.url;
  }

  /** Starts an empty store, with further options of its command, at any free port unless one is given. */
  static async start(options: readonly string[] = [], givenPort?: number): Promise<Versitygw> {
    const directory = mkdtempSync(join(tmpdir(), 'tidegate-versitygw-'));
    const [files, versions] = [join(directory, 'files'), join(directory, 'versions')];
    for (const folder of [files, versions]) mkdirSync(folder);
    const port = givenPort ?? (await freePort());
    const process = new RealProcess(
      'versitygw',
      [
        '--port',
        `127.0.0.1:${port}`,
        '--keep-alive',
        ...options,
        'posix',
        '--versioning-dir',
        versions,
        files,
      ],
      { environment: { ROOT_ACCESS_KEY: 'store', ROOT_SECRET_KEY: 'store-secret' } },
    );
    const store = new Versitygw(process, directory, port);
    await process.answers(store.url);
    return store;
  }

  /** From its own log. */
  requests(): readonly StoreRequest[] {
    return this.#process.output.split('\n').flatMap(line => {
      const [, , , , , method, path, , query = ''] = line.split('|').map(field => field.trim());
      return method !== undefined && path !== undefined ? [{ method, path, query }] : [];
    });
  }

  async stop(): Promise<void> {
    await this.#process.stop();
    rmSync(this.#directory, { recursive: true, force: true });
  }
}
