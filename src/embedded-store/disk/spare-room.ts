import { randomBytes } from 'node:crypto';
import { rmSync, statfsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DiskFullError, isDiskFull } from './disk-full.ts';

/** SQLite moves its log of 1,000 pages of 4 KiB to the catalogue at once: so much may that grow before the log shrinks. */
const SPARE_BYTES = 4 * 1024 ** 2;

/**
 * A file that can be given up on a full disk, so that deletions still work: the catalogue needs some pages for each
 * change. What needs room is refused while the file is missing, and cannot use what it left.
 */
export class SpareRoom {
  readonly #directory: string;
  readonly #path: string;
  #isKept = false;

  constructor(directory: string) {
    this.#directory = directory;
    this.#path = join(directory, 'spare-room');
  }

  /** Makes the file if it is missing. Returns false where there is no room for it. */
  keep(): boolean {
    this.#isKept ||= this.#exists() || this.#make();
    return this.#isKept;
  }

  /** To be asked before anything that needs room. @throws DiskFullError */
  require(): void {
    if (!this.keep()) throw new DiskFullError();
  }

  /** To be asked while bytes arrive: those on their way have no part in what was given up. @throws DiskFullError */
  requireKept(): void {
    if (!this.#isKept) throw new DiskFullError();
  }

  giveUp(): void {
    this.#isKept = false;
    rmSync(this.#path, { force: true });
  }

  /** For the log. */
  state(): { readonly directory: string; readonly freeBytes: number } {
    return { directory: this.#directory, freeBytes: this.#freeBytes() };
  }

  #freeBytes(): number {
    const { bavail, bsize } = statfsSync(this.#directory);
    return bavail * bsize;
  }

  #exists(): boolean {
    return statSync(this.#path, { throwIfNoEntry: false })?.size === SPARE_BYTES;
  }

  #make(): boolean {
    // what a crash has left of it counts as free
    rmSync(this.#path, { force: true });
    if (this.#freeBytes() < SPARE_BYTES) return false;
    try {
      // neither zeros nor a hole, for which some file systems keep no room
      writeFileSync(this.#path, randomBytes(SPARE_BYTES));
      return true;
    } catch (error) {
      rmSync(this.#path, { force: true });
      if (isDiskFull(error)) return false;
      throw error;
    }
  }
}
