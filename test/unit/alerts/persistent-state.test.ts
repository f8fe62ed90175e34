import { spawnSync } from 'node:child_process';
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Outbox } from '../../../src/alerts/delivery/outbox.ts';
import { PersistentState, StateUnsavedError } from '../../../src/alerts/persistent-state.ts';
import { Silences } from '../../../src/alerts/silences/silences.ts';
import { openStateDatabase, StateDatabaseError } from '../../../src/alerts/state-database.ts';
import { createLogger } from '../../../src/base/logger.ts';
import { Metrics } from '../../../src/base/metrics.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { sampleNotification } from '../../support/notifications.ts';

let directory: string;
let clock: ManualClock;
let lines: string[];
let metrics: Metrics;
const opened: PersistentState[] = [];

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'tidegate-kept-'));
  clock = new ManualClock();
  lines = [];
});

afterEach(() => {
  for (const state of opened.splice(0)) state.close();
  rmSync(directory, { recursive: true, force: true });
});

function keep(open?: (directory: string) => DatabaseSync): PersistentState {
  const sink = { write: (line: string) => void lines.push(line), flush: () => undefined };
  const logger = createLogger({ level: 'info', sink });
  metrics = new Metrics();
  const state = new PersistentState({ directory, clock, logger, metrics, ...(open ? { open } : {}) });
  opened.push(state);
  return state;
}

/** Queues a card; gives what waits then. */
function queue(state: PersistentState, key: string): number {
  const outbox = new Outbox(state);
  outbox.enqueue(['c'], sampleNotification(key), clock.nowMs());
  return outbox.waiting('c').count;
}

/** The cards that a gateway would find that started now, as a crash would leave them. */
function cardsOnDisk(): readonly string[] {
  const copy = mkdtempSync(join(tmpdir(), 'tidegate-copy-'));
  // by another process: closing a second descriptor here would release the lock of the first
  spawnSync('cp', ['-a', `${directory}/.`, copy]);
  const database = openStateDatabase(copy);
  const keys = database.prepare('SELECT dedupe_key AS key FROM card ORDER BY id').all();
  database.close();
  rmSync(copy, { recursive: true });
  return keys.map(({ key }) => String(key));
}

const said = (text: string) => lines.filter(line => line.includes(text)).length;
const LOST = 'cannot be used: its content is kept in memory';
const BACK = 'can be used again';

async function usable(): Promise<number | undefined> {
  const snapshot = await metrics.snapshot();
  return snapshot.find(({ name }) => name === 'tidegate_state_usable')?.values[0]?.value;
}

it('has each transaction on disk when it returns', () => {
  const state = keep();
  queue(state, 'one');
  expect(cardsOnDisk()).toEqual(['one']);
});

it('holds what was on disk at the start, and gives out no id twice', () => {
  const first = keep();
  queue(first, 'one');
  first.exec("DELETE FROM card WHERE dedupe_key = 'one'");
  opened.splice(0);
  first.close();
  const second = keep();
  queue(second, 'two');
  expect(second.prepare('SELECT id FROM card').all()).toEqual([{ id: 2 }]);
});

it('refuses to start on a directory that cannot be used, or that is in use', () => {
  keep();
  expect(() => keep()).toThrow(/in use by another Tidegate/);
  const file = join(directory, 'file');
  writeFileSync(file, '');
  expect(
    () =>
      new PersistentState({
        directory: file,
        clock,
        logger: createLogger({ level: 'silent', sink: { write: () => undefined, flush: () => undefined } }),
        metrics,
      }),
  ).toThrow(StateDatabaseError);
});

it.each([
  ['the file was removed', () => rmSync(join(directory, 'alerts.sqlite'))],
  ['what SQLite writes ahead was removed', () => rmSync(join(directory, 'alerts.sqlite-wal'))],
  ['everything in it was removed', () => spawnSync('sh', ['-c', `rm -rf ${directory}/*`])],
  ['the directory was removed', () => rmSync(directory, { recursive: true })],
  [
    'the file was overwritten',
    () => writeFileSync(join(directory, 'alerts.sqlite'), 'garbage '.repeat(5_000)),
  ],
  ['the file was cut to nothing', () => writeFileSync(join(directory, 'alerts.sqlite'), '')],
  [
    'another file was put in its place',
    () => {
      const other = join(directory, 'other');
      writeFileSync(other, 'garbage');
      renameSync(other, join(directory, 'alerts.sqlite'));
    },
  ],
])('writes everything anew when %s: at the next transaction, or at the next check', (_, harm) => {
  for (const notice of ['transaction', 'check']) {
    const state = keep();
    queue(state, `before ${notice}`);
    lines = [];
    harm();
    if (notice === 'check') clock.advance(5_000);
    else queue(state, 'after');
    expect(said(LOST), lines.join('')).toBe(1);
    expect(said(BACK), lines.join('')).toBe(1);
    expect(cardsOnDisk()).toContain(`before ${notice}`);
    expect(cardsOnDisk().includes('after')).toBe(notice === 'transaction');
    state.close();
    opened.splice(0);
    rmSync(directory, { recursive: true });
  }
});

it('puts a file aside that somebody has written to, however sound it looks', () => {
  const state = keep();
  queue(state, 'one');
  const path = join(directory, 'alerts.sqlite');
  const descriptor = openSync(path, 'a');
  writeSync(descriptor, 'garbage'.repeat(1_000));
  closeSync(descriptor);
  clock.advance(5_000);
  expect(existsSync(`${path}.unusable`)).toBe(true);
  expect(cardsOnDisk()).toEqual(['one']);
});

it('keeps cards in memory while a file stands in place of the directory, says so once, and comes back', async () => {
  const state = keep();
  queue(state, 'one');
  rmSync(directory, { recursive: true });
  writeFileSync(directory, '');
  expect(queue(state, 'two')).toBe(2);
  expect(queue(state, 'three')).toBe(3);
  clock.advance(60_000);
  // that it was removed, and that it cannot be made again
  expect(said(LOST), lines.join('')).toBe(2);
  expect(said(BACK)).toBe(0);
  expect(await usable()).toBe(0);
  rmSync(directory);
  clock.advance(5_000);
  expect(said(BACK)).toBe(1);
  expect(await usable()).toBe(1);
  expect(cardsOnDisk()).toEqual(['one', 'two', 'three']);
});

it('makes no silence that cannot be kept, and ends none', () => {
  const state = keep();
  const book = new Silences(state, clock, work => state.saved(work));
  const request = { labels: {}, untilMs: clock.nowMs() + 3_600_000, by: 'ann', why: 'known' };
  const kept = book.add(request);
  rmSync(directory, { recursive: true });
  writeFileSync(directory, '');
  expect(() => book.add(request)).toThrow(StateUnsavedError);
  expect(() => book.remove(kept.id)).toThrow(StateUnsavedError);
  expect(book.active()).toEqual([kept]);
  expect(queue(state, 'one')).toBe(1);
  rmSync(directory);
  // whoever asks need not wait for the next check
  expect(book.remove(kept.id)).toEqual(kept);
  expect(cardsOnDisk()).toEqual(['one']);
});

it('leaves a file alone that another instance has taken meanwhile', () => {
  const state = keep();
  queue(state, 'ours');
  rmSync(directory, { recursive: true });
  mkdirSync(directory);
  const theirs = openStateDatabase(directory);
  queue(state, 'more');
  clock.advance(30_000);
  expect(lines.join('')).toContain('in use by another Tidegate');
  expect(said(BACK)).toBe(0);
  expect(existsSync(join(directory, 'alerts.sqlite.unusable'))).toBe(false);
  new Outbox(theirs).enqueue(['c'], sampleNotification('theirs'), clock.nowMs());
  expect(cardsOnDisk()).toEqual(['theirs']);
  theirs.close();
});

it('a full disk: goes on in memory and writes everything when there is room again', () => {
  const full = { now: false };
  const state = keep(at => limited(openStateDatabase(at), full));
  queue(state, 'one');
  full.now = true;
  expect(queue(state, 'two')).toBe(2);
  clock.advance(30_000);
  expect(said(LOST), lines.join('')).toBe(1);
  expect(cardsOnDisk()).toEqual(['one']);
  full.now = false;
  clock.advance(5_000);
  expect(cardsOnDisk()).toEqual(['one', 'two']);
});

it('starts in memory on a full disk that holds nothing, says so, and writes everything when there is room', async () => {
  const full = { now: true };
  const state = keep(at => {
    if (full.now) throw Object.assign(new Error('database or disk is full'), { errcode: 13 });
    return openStateDatabase(at);
  });
  expect(queue(state, 'one')).toBe(1);
  expect(said(LOST), lines.join('')).toBe(1);
  expect(await usable()).toBe(0);
  full.now = false;
  clock.advance(5_000);
  expect(await usable()).toBe(1);
  expect(cardsOnDisk()).toEqual(['one']);
});

it('does not start where a disk holds state and does not let it be read: it would be written over', () => {
  queue(keep(), 'one');
  opened.splice(0)[0]?.close();
  const broken = () => {
    throw Object.assign(new Error('disk I/O error'), { errcode: 10 });
  };
  expect(() => keep(broken)).toThrow(/disk I\/O error/);
  expect(cardsOnDisk()).toEqual(['one']);
});

it('writes nothing to read what is there, so that a full disk can be started on', () => {
  queue(keep(), 'one');
  opened.splice(0)[0]?.close();
  const before = readFileSync(join(directory, 'alerts.sqlite'));
  const state = keep();
  const log = statSync(join(directory, 'alerts.sqlite-wal'), { throwIfNoEntry: false });
  expect([log?.size ?? 0, said(LOST)]).toEqual([0, 0]);
  expect(readFileSync(join(directory, 'alerts.sqlite')).equals(before)).toBe(true);
  expect(queue(state, 'two')).toBe(2);
});

it('notices a disk that became full or read-only although nothing has to be written', () => {
  const full = { now: false };
  keep(at => limited(openStateDatabase(at), full));
  full.now = true;
  clock.advance(30_000);
  expect(said(LOST)).toBe(1);
});

it('whatever fails and when: memory holds all that was done, and the file too as soon as it works', () => {
  const step = fc.record({ works: fc.boolean(), op: fc.constantFrom('queue', 'bury', 'fail', 'check') });
  const property = fc.property(fc.array(step, { maxLength: 25 }), steps => {
    rmSync(directory, { recursive: true, force: true });
    const full = { now: false };
    const state = keep(at => limited(openStateDatabase(at), full));
    const outbox = new Outbox(state);
    let keys: string[] = [];
    for (const [index, { works, op }] of steps.entries()) {
      full.now = !works;
      if (op === 'queue') {
        queue(state, `k${index}`);
        keys.push(`k${index}`);
      } else if (op === 'bury') {
        const next = outbox.next('c', false);
        if (next) outbox.markDead(next.id, clock.nowMs(), 'planted');
        keys = keys.filter(key => key !== next?.notification.dedupeKey);
      } else if (op === 'fail') {
        const failing = () =>
          state.saved(() => {
            state.exec('DELETE FROM card');
            throw new RangeError('half way');
          });
        expect(failing).toThrow('half way');
      } else clock.advance(5_000);
      const waiting = state
        .prepare(`SELECT dedupe_key AS key FROM card WHERE state = 'waiting' ORDER BY id`)
        .all();
      expect(waiting.map(({ key }) => key)).toEqual(keys);
    }
    full.now = false;
    clock.advance(5_000);
    const inMemory = state.prepare('SELECT * FROM card ORDER BY id').all();
    state.close();
    opened.splice(0);
    const onDisk = openStateDatabase(directory);
    expect(onDisk.prepare('SELECT * FROM card ORDER BY id').all()).toEqual(inMemory);
    onDisk.close();
  });
  fc.assert(property, { numRuns: 40 });
});

/** A database on a disk that is full while `full.now` says so: nothing can be committed. */
function limited(database: DatabaseSync, full: { readonly now: boolean }): DatabaseSync {
  return new Proxy(database, {
    get(target, name) {
      if (name === 'exec') {
        return (sql: string) => {
          if (full.now && sql === 'COMMIT')
            throw Object.assign(new Error('database or disk is full'), { errcode: 13 });
          target.exec(sql);
        };
      }
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
