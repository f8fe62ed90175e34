import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, RealProcess } from '../support/real-process.ts';
import type { RealStore, StoreRequest } from './real-store.ts';
import { RequestNoter } from './request-noter.ts';

/** MinIO over a folder. It has no log of requests, so those of the gateway go through a relay that notes them. */
export class Minio implements RealStore {
  readonly url: string;
  readonly directUrl: string;
  readonly credentials = { accessKeyId: 'minio-root', secretAccessKey: 'minio-root-secret' };
  readonly #process: RealProcess;
  readonly #noter: RequestNoter;
  readonly #directory: string;

  private constructor(process: RealProcess, noter: RequestNoter, directory: string, port: number) {
    this.#process = process;
    this.#noter = noter;
    this.#directory = directory;
    this.url = noter.url;
    this.directUrl = `http://127.0.0.1:${port}`;
  }

  /** Starts an empty store, with further variables of its environment. */
  static async start(environment: Readonly<Record<string, string>> = {}): Promise<Minio> {
    const directory = mkdtempSync(join(tmpdir(), 'tidegate-minio-'));
    const port = await freePort();
    const process = new RealProcess(
      'minio',
      ['server', '--quiet', '--address', `127.0.0.1:${port}`, directory],
      {
        environment: {
          MINIO_ROOT_USER: 'minio-root',
          MINIO_ROOT_PASSWORD: 'minio-root-secret',
          MINIO_BROWSER: 'off',
          // it would ask its makers whether there is a newer one
          MINIO_UPDATE: 'off',
          ...environment,
        },
      },
    );
    const noter = await RequestNoter.start(port);
    const store = new Minio(process, noter, directory, port);
    try {
      await process.answers(store.directUrl);
    } catch (error) {
      await store.stop();
      throw error;
    }
    return store;
  }

  requests(): readonly StoreRequest[] {
    return this.#noter.requests;
  }

  async stop(): Promise<void> {
    await this.#noter.stop();
    await this.#process.stop();
    rmSync(this.#directory, { recursive: true, force: true });
  }
}
