import { freePort, RealProcess } from '../../support/real-process.ts';
import { loadCore } from './contender.ts';

const program = new URL('upload-store-main.ts', import.meta.url).pathname;

/** A store that takes uploads, on the core of the load, so that its work is not counted or felt by those before it. */
export class UploadStore {
  readonly url: string;
  readonly #process: RealProcess;

  private constructor(process: RealProcess, port: number) {
    this.#process = process;
    this.url = `http://127.0.0.1:${port}`;
  }

  static async start(): Promise<UploadStore> {
    const port = await freePort();
    const command = ['--cpu-list', String(loadCore), process.execPath, program, String(port)];
    const store = new UploadStore(new RealProcess('taskset', command), port);
    await store.#process.answers(store.url);
    return store;
  }

  stop(): Promise<unknown> {
    return this.#process.stop();
  }
}
