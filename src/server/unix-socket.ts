import { chmodSync, lstatSync, renameSync, rmSync } from 'node:fs';
import type { Server } from 'node:net';
import { ListenError } from '../base/listen-error.ts';
import type { UnixAddress } from './listen-address.ts';

/**
 * Has `server` listen on a unix socket. It is bound under another name and renamed, so that it has its permissions from
 * the first moment, and takes the place of what a killed process left behind without a gap.
 *
 * @returns removes the socket file, unless another listener has taken its place
 * @throws ListenError
 */
export async function listenUnix(
  server: Server,
  { path, mode }: UnixAddress,
  backlog: number,
): Promise<() => void> {
  const temporary = `${path}.${process.pid}`;
  try {
    rmSync(temporary, { force: true });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen({ path: temporary, backlog }, () => {
        server.off('error', reject);
        resolve();
      });
    });
    chmodSync(temporary, mode);
    const { ino } = lstatSync(temporary);
    renameSync(temporary, path);
    return () => {
      if (lstatSync(path, { throwIfNoEntry: false })?.ino === ino) rmSync(path, { force: true });
    };
  } catch (error) {
    server.close();
    throw new ListenError(path, error instanceof Error ? error : new Error(String(error)));
  }
}
