import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { errorCode } from './error-code.ts';

/**
 * Makes the directory at `path` and those above it that are missing, one at a time: Node's own `recursive` never ends on a
 * file system that answers ENOENT to mkdir(2), as /proc does. Returns whether any was missing.
 *
 * @throws the error of mkdir(2)
 */
export function makeDirectory(path: string, mode?: number): boolean {
  return missingFolders(path)
    .map(folder => makeFolder(folder, mode))
    .includes(true);
}

/** From the outermost to `path` itself. */
function missingFolders(path: string): string[] {
  const parent = dirname(path);
  return existsSync(parent) ? [path] : [...missingFolders(parent), path];
}

function makeFolder(path: string, mode: number | undefined): boolean {
  try {
    mkdirSync(path, mode);
    return true;
  } catch (error) {
    if (errorCode(error) !== 'EEXIST' || !isDirectory(path)) throw error;
    return false;
  }
}

/** Another process may have made it meanwhile. */
function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
