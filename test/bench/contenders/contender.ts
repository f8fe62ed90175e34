import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { freePort, RealProcess } from '../../support/real-process.ts';

/** A server that answers the bench's objects from its cache. */
export interface Contender {
  readonly name: string;
  /** Everything below it is answered as the store answers it. */
  readonly url: string;
  /** The process whose CPU time, with all below it, is counted. */
  readonly pid: number;
  stop(): Promise<unknown>;
}

/** How a server is made ready in `directory`, a folder of its own in memory; gives the command to start it. */
type Preparation = (directory: string, port: number) => readonly string[];

/** The core that every server is kept on; the load comes from the other. */
export const loadCore = 1;
export const pinned = ['taskset', '--cpu-list', '0'];

/** Starts a server on its core and waits until it answers; its folder goes when it stops, or did not start. */
export async function startContender(name: string, prepare: Preparation): Promise<Contender> {
  const directory = mkdtempSync('/dev/shm/tidegate-bench-');
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const [command = '', ...args] = [...pinned, ...prepare(directory, port)];
  const server = new RealProcess(command, args);
  const stop = async () => {
    await server.stop();
    rmSync(directory, { recursive: true, force: true });
  };
  try {
    await server.answers(url);
  } catch (error) {
    await stop();
    throw error;
  }
  return { name, url, pid: server.pid, stop };
}

export function isInstalled(program: string): boolean {
  return spawnSync(program, ['-V']).error === undefined;
}
