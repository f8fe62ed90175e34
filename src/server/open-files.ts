import { readFileSync } from 'node:fs';

/** File descriptors for the supervisor, the admin port, the state and the threads themselves. */
const OWN_FILES = 96;

/** The soft limit of open files of this process; undefined where it is not known (on systems other than Linux). */
export function openFileLimit(path = '/proc/self/limits'): number | undefined {
  try {
    const [, soft] = /^Max open files +(\d+)/m.exec(readFileSync(path, 'utf8')) ?? [];
    return soft === undefined ? undefined : Number(soft);
  } catch {
    return undefined;
  }
}

/**
 * How many client connections each of `workers` may hold so that descriptors remain for `storeConnections`. When
 * descriptors are scarce, stores get at most half of what is left. Each worker always gets a minimum.
 */
export function clientConnectionsPerWorker(limit: number, storeConnections: number, workers: number): number {
  const left = Math.max(0, limit - OWN_FILES);
  const clients = left - Math.min(storeConnections, Math.floor(left / 2));
  return Math.max(MIN_CLIENTS, Math.floor(clients / workers));
}

const MIN_CLIENTS = 8;
