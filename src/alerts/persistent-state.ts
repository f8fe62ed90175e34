import { existsSync, renameSync, rmSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import type { Clock, Timer } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import type { CounterCell, GaugeCell, Metrics } from '../base/metrics.ts';
import {
  asStateDatabaseError,
  copyState,
  holdsState,
  inTransaction,
  isDamage,
  isDiskTrouble,
  openMemoryDatabase,
  openStateDatabase,
  type StateDatabase,
  StateDatabaseError,
  type StateStatement,
  type StateValue,
  stateFile,
} from './state-database.ts';
import { fileFingerprint } from './state-fingerprint.ts';
import { migrations } from './state-schema.ts';

interface PersistentStateOptions {
  readonly directory: string;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Opens the state file; replaced only in tests. */
  readonly open?: (directory: string) => DatabaseSync;
}

/** The change could not be stored on disk and was not made. */
export class StateUnsavedError extends Error {
  readonly code = 'STATE_UNSAVED';
}

const CHECK_INTERVAL_MS = 5_000;
/** Every this many checks a write is made: a full or read-only disk is noticed only then. */
const CHECKS_PER_PROBE = 6;

type Write = { readonly sql: string; readonly values: readonly StateValue[] };
type Saving = 'must' | 'should';

/**
 * The state of alerts: completely in memory, and each transaction also on disk before it completes. While the directory
 * is overwritten, removed, full or read-only, work continues in memory; the file is written again as soon as possible.
 */
export class PersistentState implements StateDatabase {
  readonly #options: PersistentStateOptions;
  readonly #open: (directory: string) => DatabaseSync;
  readonly #memory = openMemoryDatabase();
  readonly #usable: GaugeCell;
  readonly #failures: CounterCell;
  #file: DatabaseSync | undefined;
  #fingerprint = '';
  /** Why the file is unusable; undefined while it is usable. */
  #trouble: StateDatabaseError | undefined;
  /** Another process has written to the file: it may be inconsistent. */
  #isSuspect = false;
  #writes: Write[] = [];
  #saving: Saving = 'should';
  #checks = 0;
  #timer: Timer | undefined;

  /** @throws StateDatabaseError when the directory is unusable; not for a full disk without any state on it */
  constructor(options: PersistentStateOptions) {
    const { directory, metrics, open = openStateDatabase } = options;
    this.#options = options;
    this.#open = open;
    const trouble = this.#readFile();
    this.#fingerprint = fileFingerprint(stateFile(directory));
    this.#usable = metrics
      .gauge('tidegate_state_usable', 'Whether the state directory can be used (1) or not (0).')
      .cell();
    this.#usable.set(1);
    this.#failures = metrics
      .counter('tidegate_state_failures_total', 'How often the state directory became unusable.')
      .cell();
    if (trouble) this.#lose(trouble);
    this.#scheduleCheck();
  }

  get isTransaction(): boolean {
    return this.#memory.isTransaction;
  }

  /** `BEGIN`, `COMMIT` and `ROLLBACK` as issued by `inTransaction`, or a change. */
  exec(sql: string): void {
    if (sql === 'COMMIT') {
      this.#commit();
    } else if (sql === 'ROLLBACK' || sql.startsWith('BEGIN')) {
      this.#memory.exec(sql);
      this.#writes = [];
    } else {
      this.#change({ sql, values: [] }, () => this.#memory.exec(sql));
    }
  }

  prepare(sql: string): StateStatement {
    const statement = this.#memory.prepare(sql);
    return {
      get: (...values) => statement.get(...values),
      all: (...values) => statement.all(...values),
      run: (...values) => this.#change({ sql, values }, () => statement.run(...values)),
    };
  }

  /**
   * Runs a transaction that is on disk when this returns.
   * @throws StateUnsavedError when it cannot be stored; it is rolled back then
   */
  saved<Result>(work: () => Result): Result {
    this.#saving = 'must';
    try {
      return inTransaction(this, work);
    } finally {
      this.#saving = 'should';
    }
  }

  /** Checks that the file is still ours, and tries to recover when it is not. */
  check(): void {
    if (this.#file) {
      this.#checks++;
      this.#save(this.#checks % CHECKS_PER_PROBE === 0 ? [probe] : []);
    } else {
      this.#recover();
    }
  }

  close(): void {
    this.#timer?.cancel();
    if (this.#trouble) {
      const { directory, logger } = this.#options;
      logger.error({ directory, err: this.#trouble }, 'state that could not be written to disk is lost');
    }
    this.#closeFile();
    this.#memory.close();
  }

  /** Loads the content of the file; returns the error when it has none. */
  #readFile(): StateDatabaseError | undefined {
    const { directory } = this.#options;
    const isHeld = holdsState(directory);
    let file: DatabaseSync | undefined;
    try {
      file = this.#open(directory);
      copyState(file, this.#memory);
      this.#file = file;
      return undefined;
    } catch (error) {
      file?.close();
      const trouble = error instanceof StateDatabaseError ? error : asStateDatabaseError(error, directory);
      if (isHeld || !isDiskTrouble(trouble)) throw trouble;
      // a partly created file would look like state at the next start
      for (const end of ['', '-wal', '-journal']) rmSync(`${stateFile(directory)}${end}`, { force: true });
      return trouble;
    }
  }

  #scheduleCheck(): void {
    this.#timer = this.#options.clock.after(CHECK_INTERVAL_MS, () => {
      this.check();
      this.#scheduleCheck();
    });
  }

  /** Makes the change in memory and records it for the file; in its own transaction if none is running. */
  #change<Result>(write: Write, work: () => Result): Result {
    if (!this.isTransaction) return inTransaction(this, () => this.#change(write, work));
    const result = work();
    this.#writes.push(write);
    return result;
  }

  #commit(): void {
    const writes = this.#writes;
    this.#writes = [];
    if (this.#file) this.#save(writes);
    // the caller needs it on disk, which justifies another attempt
    else if (this.#saving === 'must') this.#recover();
    if (this.#trouble && this.#saving === 'must') {
      // `inTransaction` rolls back
      throw new StateUnsavedError(`it cannot be saved: ${this.#trouble.message}`, { cause: this.#trouble });
    }
    this.#memory.exec('COMMIT');
  }

  /** Applies the changes to the file. If that fails, the file is replaced, or given up until the next check. */
  #save(writes: readonly Write[]): void {
    const { directory } = this.#options;
    const file = this.#file;
    if (!file) return;
    try {
      if (fileFingerprint(stateFile(directory)) !== this.#fingerprint)
        throw new ForeignChangeError(directory);
      if (writes.length === 0) return;
      inTransaction(file, () => {
        for (const { sql, values } of writes) file.prepare(sql).run(...values);
      });
      this.#fingerprint = fileFingerprint(stateFile(directory));
    } catch (error) {
      this.#lose(error);
      this.#recover();
    }
  }

  #lose(error: unknown): void {
    this.#usable.set(0);
    this.#failures.add();
    this.#isSuspect = error instanceof ForeignChangeError;
    this.#reportTrouble(error);
  }

  /** Logs why the file is unusable, once per reason. */
  #reportTrouble(error: unknown): void {
    const { directory, logger } = this.#options;
    const err = error instanceof StateDatabaseError ? error : asStateDatabaseError(error, directory);
    const isNews = err.message !== this.#trouble?.message;
    this.#trouble = err;
    this.#isSuspect ||= isDamage(err);
    if (isNews)
      logger.error({ directory, err }, 'the state directory cannot be used: its content is kept in memory');
  }

  /** Opens the file again and writes the whole state to it, including the changes of the running transaction. */
  #recover(): void {
    const { directory, logger } = this.#options;
    try {
      this.#closeFile();
      this.#file = this.#writeAnew();
      this.#fingerprint = fileFingerprint(stateFile(directory));
      this.#trouble = undefined;
      this.#isSuspect = false;
      this.#usable.set(1);
      logger.warn({ directory }, 'the state directory can be used again: everything is written to it');
    } catch (error) {
      this.#closeFile();
      this.#reportTrouble(error);
    }
  }

  #writeAnew(): DatabaseSync {
    const file = this.#openUsable();
    try {
      copyState(this.#memory, file);
      return file;
    } catch (error) {
      file.close();
      throw error;
    }
  }

  /** A file that another instance holds, or that a newer version wrote, is left unchanged. */
  #openUsable(): DatabaseSync {
    const { directory } = this.#options;
    const path = stateFile(directory);
    if (!existsSync(path)) return this.#open(directory);
    try {
      const file = this.#open(directory);
      if (!this.#isSuspect) return file;
      file.close();
    } catch (error) {
      if (!isDamage(error)) throw error;
    }
    putAside(path);
    return this.#open(directory);
  }

  /** SQLite does not touch another file that has replaced its own. */
  #closeFile(): void {
    const file = this.#file;
    this.#file = undefined;
    try {
      file?.close();
    } catch {
      // already unusable
    }
  }
}

/** Changes nothing but is written anyway. */
const probe: Write = { sql: `PRAGMA user_version = ${migrations.length}`, values: [] };

class ForeignChangeError extends Error {
  readonly code = 'STATE_FILE_CHANGED';

  constructor(directory: string) {
    super(`somebody else has changed or removed ${stateFile(directory)}`);
  }
}

/** Keeps the old file for analysis; only the latest one. */
function putAside(path: string): void {
  rmSync(`${path}-wal`, { force: true });
  rmSync(`${path}.unusable`, { force: true });
  renameSync(path, `${path}.unusable`);
}
