import { z } from 'zod';
import type { Catalogue, CatalogueRow } from './catalogue.ts';
import {
  type ObjectAttributes,
  objectAttributesSchema,
  type StorageClass,
  storageClasses,
} from './object-attributes.ts';
import type { Piece } from './pieces.ts';

/** The id of a version written without versioning. */
export const NULL_VERSION = 'null';

interface VersionIdentity {
  readonly bucket: string;
  readonly key: string;
  readonly versionId: string;
  readonly lastModifiedMs: number;
}

export interface ObjectContent {
  readonly sizeBytes: number;
  /** The entity tag without quotes. */
  readonly etag: string;
  readonly storageClass: StorageClass;
  readonly attributes: Readonly<ObjectAttributes>;
}

export type NewObject = VersionIdentity & ObjectContent & { readonly kind: 'object' };
type NewVersion = NewObject | (VersionIdentity & { readonly kind: 'marker' });

/** A version as stored in the catalogue. */
export type StoredVersion = NewVersion & { readonly rowId: number; readonly isLatest: boolean };
export type StoredObject = Extract<StoredVersion, { kind: 'object' }>;
export type DeleteMarker = Extract<StoredVersion, { kind: 'marker' }>;

/** The versions of objects: current ones, earlier ones and delete markers. */
export class Versions {
  readonly #catalogue: Catalogue;

  constructor(catalogue: Catalogue) {
    this.#catalogue = catalogue;
  }

  latest(bucket: string, key: string): StoredVersion | undefined {
    const sql = 'SELECT * FROM versions WHERE bucket = ? AND key = ? AND is_latest = 1';
    const row = this.#catalogue.get(sql, bucket, Buffer.from(key));
    return row && versionOf(row);
  }

  find(bucket: string, key: string, versionId: string): StoredVersion | undefined {
    const sql = 'SELECT * FROM versions WHERE bucket = ? AND key = ? AND version_id = ?';
    const row = this.#catalogue.get(sql, bucket, Buffer.from(key), versionId);
    return row && versionOf(row);
  }

  /**
   * Makes `version` the latest of its key; a null version replaces the previous null version. Returns the blobs that
   * are now unreferenced.
   */
  add(version: NewVersion, pieces: readonly Piece[]): readonly string[] {
    return this.#catalogue.transaction(() => {
      const { bucket, key, versionId } = version;
      const replaced = versionId === NULL_VERSION ? this.find(bucket, key, versionId) : undefined;
      const freed = replaced ? this.#delete(replaced) : [];
      this.#setLatest('UPDATE versions SET is_latest = 0 WHERE bucket = ? AND key = ?', bucket, key);
      this.#insertPieces(this.#insert(version), pieces);
      return freed;
    });
  }

  /**
   * Deletes one version permanently; the previous one becomes the latest. Returns the blobs that are now unreferenced.
   */
  remove(version: StoredVersion): readonly string[] {
    return this.#catalogue.deletion(() => {
      const freed = this.#delete(version);
      if (version.isLatest) {
        const newest = 'SELECT max(id) FROM versions WHERE bucket = ? AND key = ?';
        this.#setLatest(
          `UPDATE versions SET is_latest = 1 WHERE id = (${newest})`,
          version.bucket,
          version.key,
        );
      }
      return freed;
    });
  }

  /** Changes the attributes of an object; its bytes, tag and date stay (docs/semantics.md 178). */
  change(
    version: StoredObject,
    changes: Partial<ObjectAttributes>,
    storageClass: StorageClass = version.storageClass,
  ): void {
    const attributes = JSON.stringify({ ...version.attributes, ...changes });
    const sql = 'UPDATE versions SET attributes = ?, storage_class = ? WHERE id = ?';
    this.#catalogue.run(sql, attributes, storageClass, version.rowId);
  }

  #insert(version: NewVersion): number {
    const isObject = version.kind === 'object';
    return this.#catalogue.run(
      `INSERT INTO versions (bucket, key, version_id, is_latest, is_marker, last_modified_ms,
         size, etag, storage_class, attributes) VALUES (?, ?, ?, 1, ?, ?, ?, ?, ?, ?)`,
      version.bucket,
      Buffer.from(version.key),
      version.versionId,
      isObject ? 0 : 1,
      version.lastModifiedMs,
      isObject ? version.sizeBytes : 0,
      isObject ? version.etag : '',
      isObject ? version.storageClass : 'STANDARD',
      isObject ? JSON.stringify(version.attributes) : '',
    );
  }

  #insertPieces(version: number, pieces: readonly Piece[]): void {
    for (const piece of pieces) {
      this.#catalogue.run(
        `INSERT INTO pieces (version, part_number, first_byte, size, blob_id, nonce, checksum)
         VALUES (?, ?, ?, ?, ?, ?, ?)`,
        version,
        piece.partNumber,
        piece.firstByte,
        piece.sizeBytes,
        piece.blobId,
        piece.nonce ?? null,
        piece.checksum ?? null,
      );
    }
  }

  #delete(version: StoredVersion): string[] {
    const blobs = this.#catalogue.all('SELECT blob_id FROM pieces WHERE version = ?', version.rowId);
    this.#catalogue.run('DELETE FROM versions WHERE id = ?', version.rowId);
    return blobs.map(row => String(row.blob_id));
  }

  #setLatest(sql: string, bucket: string, key: string): void {
    this.#catalogue.run(sql, bucket, Buffer.from(key));
  }
}

const rowSchema = z.object({
  id: z.number(),
  bucket: z.string(),
  key: z.instanceof(Uint8Array),
  version_id: z.string(),
  is_latest: z.number(),
  is_marker: z.number(),
  last_modified_ms: z.number(),
  size: z.number(),
  etag: z.string(),
  storage_class: z.enum(storageClasses),
  attributes: z.string(),
});

/** Converts a row of the table `versions`. */
export function versionOf(row: CatalogueRow): StoredVersion {
  const columns = rowSchema.parse(row);
  const identity = {
    rowId: columns.id,
    isLatest: columns.is_latest === 1,
    bucket: columns.bucket,
    key: Buffer.from(columns.key).toString(),
    versionId: columns.version_id,
    lastModifiedMs: columns.last_modified_ms,
  };
  if (columns.is_marker === 1) return { ...identity, kind: 'marker' };
  return {
    ...identity,
    kind: 'object',
    sizeBytes: columns.size,
    etag: columns.etag,
    storageClass: columns.storage_class,
    attributes: objectAttributesSchema.parse(JSON.parse(columns.attributes)),
  };
}
