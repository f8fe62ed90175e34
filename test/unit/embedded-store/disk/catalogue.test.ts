import { existsSync } from 'node:fs';
import { mkdtemp, rm, stat, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Catalogue } from '../../../../src/embedded-store/disk/catalogue.ts';
import { SpareRoom } from '../../../../src/embedded-store/disk/spare-room.ts';

const INSERT = 'INSERT INTO buckets (name, created_ms, settings) VALUES (?, 0, ?)';

let directory: string;
let spare: SpareRoom;
let catalogue: Catalogue;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'catalogue-'));
  spare = new SpareRoom(directory, () => catalogue.emptyLog());
  catalogue = new Catalogue(join(directory, 'catalogue.sqlite'), spare);
});
afterEach(async () => {
  catalogue.close();
  await rm(directory, { recursive: true });
});

const isKept = () => existsSync(join(directory, 'spare-room'));
const logBytes = async () => (await stat(join(directory, 'catalogue.sqlite-wal'))).size;
const names = () => catalogue.all('SELECT name FROM buckets').map(({ name }) => name);
const full = () => Object.assign(new Error('database or disk is full'), { errcode: 13 });

/** SQLite ends a transaction by itself then, so that there is nothing to roll back. */
it('says that there is no room, where SQLite has ended the transaction for want of it', () => {
  const [pages] = Object.values(catalogue.get('PRAGMA page_count') ?? {});
  catalogue.get(`PRAGMA max_page_count = ${Number(pages) + 2}`);
  const tooMuch = () => catalogue.transaction(() => catalogue.run(INSERT, 'large', 'x'.repeat(100_000)));
  expect(tooMuch).toThrow('database or disk is full');
  catalogue.transaction(() => catalogue.run(INSERT, 'small', ''));
  expect(names()).toEqual(['small']);
});

it('gives up the spare room and empties the log for a deletion that finds none', async () => {
  catalogue.transaction(() => catalogue.run(INSERT, 'gone', 'x'.repeat(200_000)));
  expect(await logBytes()).toBeGreaterThan(200_000);
  expect(isKept()).toBe(true);
  const freed = catalogue.deletion(() => {
    catalogue.run('DELETE FROM buckets');
    if (isKept()) throw full();
    return names();
  });
  expect(freed).toEqual([]);
  expect(names()).toEqual([]);
  expect(await logBytes()).toBeLessThan(100_000);
});

it('keeps the spare room from all else, and for what fails in another way', () => {
  const failing = (error: Error) => () => {
    throw error;
  };
  expect(() => catalogue.transaction(failing(full()))).toThrow('full');
  expect(() => catalogue.deletion(failing(new Error('other')))).toThrow('other');
  expect(isKept()).toBe(true);
});

it('makes the spare room again for what needs room, and what a crash has left of it whole', async () => {
  expect(spare.keep()).toBe(true);
  const path = join(directory, 'spare-room');
  const { size, blocks } = await stat(path);
  expect(blocks * 512).toBeGreaterThanOrEqual(size);
  spare.giveUp();
  catalogue.run(INSERT, 'more', '');
  expect((await stat(path)).size).toBe(size);
  // somebody else, who looked for room
  await rm(path);
  catalogue.transaction(() => catalogue.run(INSERT, 'removed', ''));
  expect((await stat(path)).size).toBe(size);
  await truncate(path, 1);
  catalogue.run(INSERT, 'shortened', '');
  expect((await stat(path)).size).toBe(size);
});

it('the log gives back its room before the spare room is made', async () => {
  catalogue.run(INSERT, 'large', 'x'.repeat(100_000));
  spare.giveUp();
  expect(await logBytes()).toBeGreaterThan(100_000);
  catalogue.run(INSERT, 'small', '');
  expect(await logBytes()).toBeLessThan(100_000);
  expect(names()).toEqual(['large', 'small']);
});

it('there is no spare room where the disk has none for what is in the log', () => {
  spare.giveUp();
  const failing = (error: Error) =>
    new SpareRoom(directory, () => {
      throw error;
    });
  expect(failing(full()).keep()).toBe(false);
  expect(() => failing(new Error('other')).keep()).toThrow('other');
  expect(isKept()).toBe(false);
});
