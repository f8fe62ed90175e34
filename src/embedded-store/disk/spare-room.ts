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
  readonly #makeRoom: () => void;

  /** `makeRoom` is called before the file is made, and gives back to the disk what it can. */
  constructor(directory: string, makeRoom: () => void) {
    this.#directory = directory;
    this.#path = join(directory, 'spare-room');
    this.#makeRoom = makeRoom;
  }

  /** Makes the file if it is missing. Returns false where there is no room for it. */
  keep(): boolean {
    // looks each time: whoever finds the disk full may have removed it
    return this.#exists() || this.#make();
  }

  /** To be asked before anything that needs room, and while bytes arrive. @throws DiskFullError */
  require(): void {
    if (!this.keep()) throw new DiskFullError();
  }

  giveUp(): void {
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
    try {
      this.#makeRoom();
      if (this.#freeBytes() < SPARE_BYTES) return false;
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
