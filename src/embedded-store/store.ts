import { join } from 'node:path';
import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import { makeDirectory } from '../base/make-directory.ts';
import { BlobFiles } from './disk/blob-files.ts';
import { Buckets } from './disk/buckets.ts';
import { Catalogue } from './disk/catalogue.ts';
import { Pieces } from './disk/pieces.ts';
import { SpareRoom } from './disk/spare-room.ts';
import { Uploads } from './disk/uploads.ts';
import { Versions } from './disk/versions.ts';

export interface StoreOptions {
  /** Created when missing. Only one process at a time can have it open. */
  readonly directory: string;
  /** The 12-digit account that owns new buckets. */
  readonly ownerId: string;
  readonly region: string;
  /** How long a restore from the archive takes, in milliseconds. */
  readonly restoreDelayMs: number;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The parts that all operations use. */
export interface StoreParts {
  readonly ownerId: string;
  readonly region: string;
  readonly restoreDelayMs: number;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly catalogue: Catalogue;
  readonly buckets: Buckets;
  readonly versions: Versions;
  readonly pieces: Pieces;
  readonly uploads: Uploads;
  readonly blobs: BlobFiles;
  readonly spare: SpareRoom;
}

/** Opens the directory and recovers from a crash if necessary. @throws CatalogueError */
export async function openStore(options: StoreOptions): Promise<StoreParts> {
  const { directory, ownerId, region, restoreDelayMs, clock, logger } = options;
  makeDirectory(directory);
  const spare = new SpareRoom(directory, () => catalogue.emptyLog());
  const catalogue = new Catalogue(join(directory, 'catalogue.sqlite'), spare);
  const pieces = new Pieces(catalogue);
  const blobs = await BlobFiles.open(directory, spare, blobId => pieces.isReferred(blobId));
  if (!spare.keep()) logger.warn(spare.state(), 'the disk of the embedded store is full');
  return {
    ownerId,
    region,
    restoreDelayMs,
    clock,
    logger,
    catalogue,
    pieces,
    buckets: new Buckets(catalogue),
    versions: new Versions(catalogue),
    uploads: new Uploads(catalogue),
    blobs,
    spare,
  };
}
