import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { inTransaction, openStateDatabase, StateDatabaseError } from '../../../src/alerts/state-database.ts';

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'tidegate-state-'));
});

afterEach(() => rmSync(directory, { recursive: true, force: true }));

function refusal(open: () => unknown): StateDatabaseError {
  try {
    open();
  } catch (error) {
    if (error instanceof StateDatabaseError) return error;
    throw error;
  }
  throw new Error('it was opened');
}

const addSilence = "INSERT INTO silence VALUES ('s1', NULL, '{}', 1, 0, 'ann', 'known')";

it('creates the directory and keeps what was written', () => {
  const nested = join(directory, 'a', 'b');
  const first = openStateDatabase(nested);
  first.exec(addSilence);
  first.close();
  const second = openStateDatabase(nested);
  expect(second.prepare('SELECT id FROM silence').all()).toEqual([{ id: 's1' }]);
  second.close();
});

it('survives every crash: it writes ahead and waits for the disk', () => {
  const database = openStateDatabase(directory);
  expect(database.prepare('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'wal' });
  expect(database.prepare('PRAGMA synchronous').get()).toEqual({ synchronous: 2 });
  database.close();
});

it('refuses a second instance on the same directory with one clear line, and lets it in afterwards', () => {
  const first = openStateDatabase(directory);
  const error = refusal(() => openStateDatabase(directory));
  expect(error.code).toBe('STATE_IN_USE');
  expect(error.message).toBe(`the state directory ${directory} is in use by another Tidegate`);
  first.close();
  openStateDatabase(directory).close();
});

it('refuses a file of a newer version instead of guessing', () => {
  const newer = openStateDatabase(directory);
  newer.exec('PRAGMA user_version = 1000');
  newer.close();
  expect(refusal(() => openStateDatabase(directory)).code).toBe('STATE_TOO_NEW');
});

it('says why a directory is unusable', () => {
  writeFileSync(
    join(directory, 'alerts.sqlite'),
    'not a database, but long enough to have a header'.repeat(10),
  );
  const error = refusal(() => openStateDatabase(directory));
  expect(error.code).toBe('STATE_UNUSABLE');
  expect(error.message).toBe(
    `the state directory ${directory} (state.directory) cannot be used: file is not a database`,
  );
});

it('says why the file cannot be opened, which SQLite does not', () => {
  const file = join(directory, 'alerts.sqlite');
  const why = () => refusal(() => withoutRoot(() => openStateDatabase(directory))).message;
  const cannotOpen = `the state directory ${directory} (state.directory) cannot be used: unable to open database file`;
  chmodSync(directory, 0o555);
  expect(why()).toBe(`${cannotOpen}: EACCES: permission denied, open '${file}'`);
  chmodSync(directory, 0o755);
  mkdirSync(file);
  expect(why()).toMatch(`${cannotOpen}: EISDIR: `);
});

/** Root has all rights, whatever modes say. */
function withoutRoot<Result>(work: () => Result): Result {
  if (process.geteuid?.() !== 0) return work();
  process.seteuid?.(65_534);
  try {
    return work();
  } finally {
    process.seteuid?.(0);
  }
}

it('keeps nothing of a transaction that throws', () => {
  const database = openStateDatabase(directory);
  const failing = () =>
    inTransaction(database, () => {
      database.exec(addSilence);
      throw new RangeError('half way');
    });
  expect(failing).toThrow('half way');
  expect(database.prepare('SELECT count(*) AS n FROM silence').get()).toEqual({ n: 0 });
  database.close();
});
