import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, open, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { makeDirectory } from '../../base/make-directory.ts';
import type { SpareRoom } from './spare-room.ts';

/** A file being written; it becomes a blob when committed. */
interface BlobDraft {
  readonly id: string;
  write(bytes: Uint8Array): Promise<void>;
  /** Syncs the bytes to disk under the blob's name. */
  commit(): Promise<void>;
  /** Deletes what was written; has no effect after a commit. */
  abandon(): Promise<void>;
}

/**
 * Immutable byte sequences, stored as files with random names, so that keys never become paths. A blob appears
 * completely or not at all: it is written to a temporary file, synced and renamed, and the directory is synced. Files
 * left unreferenced by a crash are deleted at the next start.
 */
export class BlobFiles {
  readonly #directory: string;
  readonly #incoming: string;
  readonly #spare: SpareRoom;
  readonly #readers = new Map<string, number>();
  readonly #discarded = new Set<string>();

  private constructor(directory: string, spare: SpareRoom) {
    this.#spare = spare;
    this.#directory = join(directory, 'blobs');
    this.#incoming = join(directory, 'incoming');
  }

  /** Opens the files below `directory` and deletes those for which `isReferred` returns false. */
  static async open(
    directory: string,
    spare: SpareRoom,
    isReferred: (blobId: string) => boolean,
  ): Promise<BlobFiles> {
    const files = new BlobFiles(directory, spare);
    await rm(files.#incoming, { recursive: true, force: true });
    makeDirectory(files.#incoming);
    makeDirectory(files.#directory);
    await files.#sweep(isReferred);
    return files;
  }

  /** @throws DiskFullError, also while it is written: what is given up for a deletion is not for bytes on their way */
  async draft(): Promise<BlobDraft> {
    this.#spare.require();
    const id = randomUUID();
    const path = join(this.#incoming, id);
    const file = await open(path, 'wx');
    return {
      id,
      write: async bytes => {
        this.#spare.require();
        await writeAll(file, bytes);
      },
      commit: async () => {
        await file.sync();
        await file.close();
        const shelf = this.#shelf(id);
        const isNew = makeDirectory(shelf);
        await rename(path, join(shelf, id));
        await syncDirectory(shelf);
        if (isNew) await syncDirectory(this.#directory);
      },
      abandon: async () => {
        await file.close().catch(() => undefined);
        await rm(path, { force: true });
      },
    };
  }

  /** The bytes `first` to `last`, inclusive. */
  read(blobId: string, first: number, last: number): Readable {
    return createReadStream(join(this.#shelf(blobId), blobId), {
      start: first,
      end: last,
      highWaterMark: 256 * 1024,
    });
  }

  /** Keeps these blobs readable until the returned function is called, even if they are discarded meanwhile. */
  retain(blobIds: readonly string[]): () => void {
    for (const id of blobIds) this.#readers.set(id, (this.#readers.get(id) ?? 0) + 1);
    let isRetained = true;
    return () => {
      if (!isRetained) return;
      isRetained = false;
      for (const id of blobIds) this.#release(id);
    };
  }

  /** Deletes blobs that the catalogue no longer references, once they are no longer being read. */
  discard(blobIds: readonly string[]): void {
    for (const id of blobIds) {
      if (this.#readers.has(id)) this.#discarded.add(id);
      else this.#remove(id);
    }
  }

  #release(id: string): void {
    const readers = (this.#readers.get(id) ?? 1) - 1;
    if (readers > 0) {
      this.#readers.set(id, readers);
      return;
    }
    this.#readers.delete(id);
    if (this.#discarded.delete(id)) this.#remove(id);
  }

  /** Errors are ignored: a remaining file is deleted at the next start. */
  #remove(id: string): void {
    void rm(join(this.#shelf(id), id), { force: true }).catch(() => undefined);
  }

  async #sweep(isReferred: (blobId: string) => boolean): Promise<void> {
    for (const shelf of await readdir(this.#directory)) {
      for (const id of await readdir(join(this.#directory, shelf))) {
        if (!isReferred(id)) await rm(join(this.#directory, shelf, id), { force: true });
      }
    }
  }

  #shelf(id: string): string {
    return join(this.#directory, id.slice(0, 2));
  }
}

/** FileHandle.write may write only a part. */
async function writeAll(file: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let written = 0; written < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, written, bytes.length - written);
    written += bytesWritten;
  }
}

async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
