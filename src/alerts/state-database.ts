import { closeSync, constants, openSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, type SQLInputValue, type SQLOutputValue } from 'node:sqlite';
import { errorCode } from '../base/error-code.ts';
import { makeDirectory } from '../base/make-directory.ts';
import { migrations } from './state-schema.ts';

/** SQLite result codes: locked by another connection, write errors, a file that cannot be opened, and no valid database. */
const SQLITE_BUSY = 5;
const SQLITE_LOCKED = 6;
const SQLITE_READONLY = 8;
const SQLITE_IOERR = 10;
const SQLITE_CORRUPT = 11;
const SQLITE_FULL = 13;
const SQLITE_CANTOPEN = 14;
const SQLITE_NOTADB = 26;

export type StateValue = SQLInputValue;
export type StateRow = Record<string, SQLOutputValue>;

/** The database for the state of alerts: a `DatabaseSync`, or an object with the same interface. */
export interface StateDatabase {
  readonly isTransaction: boolean;
  exec(sql: string): void;
  prepare(sql: string): StateStatement;
}

export interface StateStatement {
  run(...values: StateValue[]): {
    readonly changes: number | bigint;
    readonly lastInsertRowid: number | bigint;
  };
  get(...values: StateValue[]): StateRow | undefined;
  all(...values: StateValue[]): StateRow[];
}

/** Why the state directory is unusable. */
export class StateDatabaseError extends Error {
  readonly code: 'STATE_IN_USE' | 'STATE_TOO_NEW' | 'STATE_UNUSABLE';

  constructor(code: StateDatabaseError['code'], message: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }
}

/**
 * Opens the state of alerts, `directory`/alerts.sqlite, and creates it when missing. Committed changes survive a crash
 * of the machine. The file is locked until it is closed, so that two gateways never post from one outbox.
 * @throws StateDatabaseError if another instance holds it, a newer version wrote it, or it is unusable
 */
export function openStateDatabase(directory: string): DatabaseSync {
  const path = stateFile(directory);
  try {
    makeDirectory(directory, 0o700);
    return prepared(new DatabaseSync(path), path);
  } catch (error) {
    throw error instanceof StateDatabaseError ? error : asStateDatabaseError(error, directory);
  }
}

/** Opens a state database in memory only. */
export function openMemoryDatabase(): DatabaseSync {
  const database = new DatabaseSync(':memory:');
  for (const migration of migrations) database.exec(migration);
  return database;
}

/** The path of the state file in a directory. */
export function stateFile(directory: string): string {
  return join(directory, 'alerts.sqlite');
}

/** Whether SQLite found that the file is not a valid database. */
export function isDamage(error: unknown): boolean {
  if (error instanceof StateDatabaseError) return isDamage(error.cause);
  const result = resultOf(error);
  return result === SQLITE_CORRUPT || result === SQLITE_NOTADB;
}

/** Whether the disk is full, read-only or broken. */
export function isDiskTrouble(error: unknown): boolean {
  if (error instanceof StateDatabaseError) return isDiskTrouble(error.cause);
  const result = resultOf(error);
  if (result === SQLITE_FULL || result === SQLITE_READONLY || result === SQLITE_IOERR) return true;
  return ['ENOSPC', 'EDQUOT', 'EROFS', 'EIO'].includes(errorCode(error) ?? '');
}

/** Whether the state file of `directory` exists and is not empty. */
export function holdsState(directory: string): boolean {
  return (statSync(stateFile(directory), { throwIfNoEntry: false })?.size ?? 0) > 0;
}

/** Replaces the content of `to` with that of `from`. @throws the error of SQLite; `to` is unchanged then */
export function copyState(from: StateDatabase, to: StateDatabase): void {
  const tables = from
    .prepare(`SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`)
    .all()
    .map(({ name }) => String(name));
  inTransaction(to, () => {
    // last, the counters of AUTOINCREMENT ids
    for (const table of [...tables, 'sqlite_sequence']) {
      to.exec(`DELETE FROM ${table}`);
      for (const row of from.prepare(`SELECT * FROM ${table}`).all()) insertRow(to, table, row);
    }
  });
}

function insertRow(database: StateDatabase, table: string, row: StateRow): void {
  const columns = Object.keys(row);
  const places = columns.map(() => '?').join(', ');
  database
    .prepare(`INSERT INTO ${table} (${columns.join(', ')}) VALUES (${places})`)
    .run(...Object.values(row));
}

/** Runs `work` in a transaction, which is rolled back when it throws. */
export function inTransaction<Result>(database: StateDatabase, work: () => Result): Result {
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
    // EXCLUSIVE must be set before WAL: then SQLite needs no shared-memory file, and holds the lock from the first
    // write
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
  // avoid unnecessary writes, so that the state can be read from a full disk
  if (version === migrations.length) return;
  for (const migration of migrations.slice(version)) database.exec(migration);
  database.exec(`PRAGMA user_version = ${migrations.length}`);
}

/** SQLite's primary result code. */
function resultOf(error: unknown): number | undefined {
  return error instanceof Error && 'errcode' in error ? Number(error.errcode) & 0xff : undefined;
}

export function asStateDatabaseError(error: unknown, directory: string): StateDatabaseError {
  const result = resultOf(error);
  if (result === SQLITE_BUSY || result === SQLITE_LOCKED) {
    return new StateDatabaseError(
      'STATE_IN_USE',
      `the state directory ${directory} is in use by another Tidegate`,
      error,
    );
  }
  const said = error instanceof Error ? error.message : String(error);
  const why = result === SQLITE_CANTOPEN ? whyUnopenable(directory) : undefined;
  const reason = why === undefined ? said : `${said}: ${why}`;
  return new StateDatabaseError(
    'STATE_UNUSABLE',
    `the state directory ${directory} (state.directory) cannot be used: ${reason}`,
    error,
  );
}

/** SQLite does not say why it cannot open a file, so it is opened in the same way. */
function whyUnopenable(directory: string): string | undefined {
  try {
    closeSync(openSync(stateFile(directory), constants.O_RDWR | constants.O_CREAT));
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
