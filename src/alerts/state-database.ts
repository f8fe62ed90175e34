import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { migrations } from './state-schema.ts';

/** SQLite's result codes for a file that another connection holds. */
const SQLITE_BUSY = 5;
const SQLITE_LOCKED = 6;

/** Why the state directory cannot be used. */
export class StateDatabaseError extends Error {
  readonly code: 'STATE_IN_USE' | 'STATE_TOO_NEW' | 'STATE_UNUSABLE';

  constructor(code: StateDatabaseError['code'], message: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }
}

/**
 * Opens what alerts must remember over a restart, creating it where it is missing: `directory`/alerts.sqlite.
 * What was committed survives a crash of the machine. The file is held exclusively until it is closed, so that
 * two gateways never post from one outbox.
 * @throws StateDatabaseError if another instance holds it, a newer version wrote it, or it cannot be used
 */
export function openStateDatabase(directory: string): DatabaseSync {
  const path = join(directory, 'alerts.sqlite');
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    return prepared(new DatabaseSync(path), path);
  } catch (error) {
    throw error instanceof StateDatabaseError ? error : asStateDatabaseError(error, directory);
  }
}

/** Runs `work` in one transaction: all of it is kept, or, when it throws, nothing. */
export function inTransaction<Result>(database: DatabaseSync, work: () => Result): Result {
  database.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    database.exec('COMMIT');
    return result;
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}

function prepared(database: DatabaseSync, path: string): DatabaseSync {
  try {
    // exclusive before WAL: then SQLite keeps no shared-memory file, and the lock is held from the first write
    database.exec('PRAGMA locking_mode = EXCLUSIVE');
    database.exec('PRAGMA journal_mode = WAL');
    database.exec('PRAGMA synchronous = FULL');
    inTransaction(database, () => migrate(database, path));
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function migrate(database: DatabaseSync, path: string): void {
  const version = Number(database.prepare('PRAGMA user_version').get()?.user_version);
  if (version > migrations.length) {
    throw new StateDatabaseError('STATE_TOO_NEW', `${path} was written by a newer version of Tidegate`);
  }
  for (const migration of migrations.slice(version)) database.exec(migration);
  database.exec(`PRAGMA user_version = ${migrations.length}`);
}

function asStateDatabaseError(error: unknown, directory: string): StateDatabaseError {
  const result = error instanceof Error && 'errcode' in error ? Number(error.errcode) & 0xff : undefined;
  if (result === SQLITE_BUSY || result === SQLITE_LOCKED) {
    return new StateDatabaseError(
      'STATE_IN_USE',
      `the state directory ${directory} is in use by another Tidegate`,
      error,
    );
  }
  const reason = error instanceof Error ? error.message : String(error);
  return new StateDatabaseError(
    'STATE_UNUSABLE',
    `the state directory ${directory} cannot be used: ${reason}`,
    error,
  );
}
