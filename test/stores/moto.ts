import { freePort, RealProcess } from '../support/real-process.ts';

/**
 * Moto: the services of Amazon as one server in memory, of which stores and queues are used here. It signs each request anew
 * with botocore to check its signature, for the actions that users have been given.
 */
export class Moto {
  readonly url: string;
  readonly #process: RealProcess;

  private constructor(process: RealProcess, url: string) {
    this.#process = process;
    this.url = url;
  }

  static async start(): Promise<Moto> {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const process = new RealProcess('moto_server', ['-H', '127.0.0.1', '-p', String(port)]);
    const moto = new Moto(process, url);
    try {
      await process.answers(`${url}/moto-api/`);
    } catch (error) {
      await moto.stop();
      throw error;
    }
    return moto;
  }

  /** From now on requests need signatures of users. */
  async requireSignatures(): Promise<void> {
    const answer = await fetch(`${this.url}/moto-api/reset-auth`, { method: 'POST', body: '0' });
    if (!answer.ok) throw new Error(`Moto answered ${answer.status}`);
  }

  async stop(): Promise<void> {
    await this.#process.stop();
  }
}
