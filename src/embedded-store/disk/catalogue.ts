import { DatabaseSync, type SQLInputValue, type SQLOutputValue, type StatementSync } from 'node:sqlite';
import { isDiskFull } from './disk-full.ts';
import { SCHEMA } from './schema.ts';
import type { SpareRoom } from './spare-room.ts';

export type CatalogueRow = Readonly<Record<string, SQLOutputValue>>;

/** The directory is in use by another process, or its catalogue cannot be read. */
export class CatalogueError extends Error {
  readonly code: 'DIRECTORY_IN_USE' | 'CATALOGUE_UNREADABLE';

  constructor(code: CatalogueError['code'], path: string, cause: unknown) {
    const reason = code === 'DIRECTORY_IN_USE' ? 'is in use by another process' : 'cannot be opened';
    super(`the store's catalogue ${path} ${reason}`, { cause });
    this.code = code;
  }
}

/**
 * All metadata of the store, in one SQLite file. Committed transactions are on disk (synchronous = FULL); others are
 * rolled back after a crash. The file is locked while it is open. Changes need room on the disk, which a full one has for
 * deletions alone.
 */
export class Catalogue {
  readonly #database: DatabaseSync;
  readonly #spare: Pick<SpareRoom, 'require' | 'giveUp'>;
  readonly #statements = new Map<string, StatementSync>();

  /** @throws CatalogueError */
  constructor(path: string, spare: Pick<SpareRoom, 'require' | 'giveUp'>) {
    this.#spare = spare;
    try {
      this.#database = new DatabaseSync(path);
      this.#database.exec(`
        PRAGMA locking_mode = EXCLUSIVE;
        PRAGMA journal_mode = WAL;
        PRAGMA synchronous = FULL;
        PRAGMA foreign_keys = ON;
        ${SCHEMA}`);
    } catch (cause) {
      const isLocked = cause instanceof Error && /\blocked\b/.test(cause.message);
      throw new CatalogueError(isLocked ? 'DIRECTORY_IN_USE' : 'CATALOGUE_UNREADABLE', path, cause);
    }
  }

  get(sql: string, ...values: SQLInputValue[]): CatalogueRow | undefined {
    return this.#statement(sql).get(...values);
  }

  all(sql: string, ...values: SQLInputValue[]): CatalogueRow[] {
    return this.#statement(sql).all(...values);
  }

  /** Returns the row id of an insertion. @throws DiskFullError outside of a transaction */
  run(sql: string, ...values: SQLInputValue[]): number {
    if (!this.#database.isTransaction) this.#spare.require();
    return Number(this.#statement(sql).run(...values).lastInsertRowid);
  }

  /** Runs `work` in a transaction; nested calls join the outer one. @throws DiskFullError */
  transaction<Result>(work: () => Result): Result {
    if (this.#database.isTransaction) return work();
    this.#spare.require();
    return this.#transact(work);
  }

  /** A transaction that gives room on the disk: a full one has some for it. `work` may run twice. */
  deletion<Result>(work: () => Result): Result {
    if (this.#database.isTransaction) return work();
    try {
      return this.#transact(work);
    } catch (error) {
      if (!isDiskFull(error)) throw error;
      this.#spare.giveUp();
      // what the log has taken is enough for what follows
      this.emptyLog();
      return this.#transact(work);
    }
  }

  /** Moves the log to the catalogue, and gives the room that it has taken back to the disk. */
  emptyLog(): void {
    this.#database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  }

  #transact<Result>(work: () => Result): Result {
    this.#database.exec('BEGIN IMMEDIATE');
    try {
      const result = work();
      this.#database.exec('COMMIT');
      return result;
    } catch (error) {
      // SQLite has done so itself where the disk is full
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
      throw error;
    }
  }

  close(): void {
    this.#database.close();
  }

  #statement(sql: string): StatementSync {
    const known = this.#statements.get(sql);
    if (known) return known;
    const statement = this.#database.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }
}
