import { readFileSync } from 'node:fs';

/** What the supervisor, the admin port, the state and the threads themselves have open. */
const OWN_FILES = 96;

/** How many files this process may have open; undefined where that is not known (elsewhere than on Linux). */
export function openFileLimit(path = '/proc/self/limits'): number | undefined {
  try {
    const [, soft] = /^Max open files +(\d+)/m.exec(readFileSync(path, 'utf8')) ?? [];
    return soft === undefined ? undefined : Number(soft);
  } catch {
    return undefined;
  }
}

/**
 * How many connections of clients one of `workers` may hold, so that with all of them `storeConnections` still find a file.
 * Where files are few, stores get at most half of what is left; a worker always takes a few clients.
 */
export function clientConnectionsPerWorker(limit: number, storeConnections: number, workers: number): number {
  const left = Math.max(0, limit - OWN_FILES);
  const clients = left - Math.min(storeConnections, Math.floor(left / 2));
  return Math.max(MIN_CLIENTS, Math.floor(clients / workers));
}

const MIN_CLIENTS = 8;
