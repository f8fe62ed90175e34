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

/** How the descriptors that a process does not need itself are divided. */
export interface FileShares {
  /** Client connections of each worker; there is always a minimum. */
  readonly clientsPerWorker: number;
  /** The part of their connections that stores may have, up to 1. */
  readonly storeShare: number;
}

/** Divides the descriptors of `workers`. When they are scarce, stores get at most half of what is left. */
export function shareFiles(limit: number, storeConnections: number, workers: number): FileShares {
  const left = Math.max(0, limit - OWN_FILES);
  const stores = Math.min(storeConnections, Math.floor(left / 2));
  return {
    clientsPerWorker: Math.max(MIN_CLIENTS, Math.floor((left - stores) / workers)),
    storeShare: storeConnections === 0 ? 1 : stores / storeConnections,
  };
}

const MIN_CLIENTS = 8;
