import { statSync } from 'node:fs';

/**
 * What tells the files of a state database from any others, and from themselves once somebody else has written to them.
 * An open file cannot tell: SQLite goes on writing to one that was removed, and reads from its memory what was overwritten.
 * Opening the file a second time to look would release the lock that SQLite holds on it.
 */
export function fileFingerprint(path: string): string {
  return [path, `${path}-wal`].map(describe).join(' ');
}

function describe(path: string): string {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found ? `${found.dev}:${found.ino}:${found.size}:${found.mtimeNs}` : 'missing';
}
