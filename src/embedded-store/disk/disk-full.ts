import { errorCode } from '../../base/error-code.ts';

/** SQLite's primary result code. */
const SQLITE_FULL = 13;

/** Something that needs room was refused: what is left is for what gives room. */
export class DiskFullError extends Error {
  readonly code = 'ENOSPC';

  constructor() {
    super('what is left of the disk is kept for deletions');
  }
}

/** Whether the system, SQLite or this store had no room on the disk. */
export function isDiskFull(error: unknown): error is Error {
  if (error instanceof Error && 'errcode' in error) return (Number(error.errcode) & 0xff) === SQLITE_FULL;
  return ['ENOSPC', 'EDQUOT'].includes(errorCode(error) ?? '');
}
