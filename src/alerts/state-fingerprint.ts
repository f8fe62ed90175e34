import { statSync } from 'node:fs';

/**
 * Identifies the files of a state database, to detect that they were replaced or written by another process. The open
 * connection cannot tell: SQLite keeps writing to a deleted file and reads overwritten pages from its cache. Opening
 * the file a second time would release SQLite's lock on it.
 */
export function fileFingerprint(path: string): string {
  return [path, `${path}-wal`].map(describe).join(' ');
}

function describe(path: string): string {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found ? `${found.dev}:${found.ino}:${found.size}:${found.mtimeNs}` : 'missing';
}
