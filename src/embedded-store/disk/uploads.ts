import { z } from 'zod';
import { checksumAlgorithms } from '../checksum/checksum-algorithm.ts';
import type { Catalogue, CatalogueRow } from './catalogue.ts';
import { objectAttributesSchema, storageClasses } from './object-attributes.ts';

const planSchema = z.object({
  storageClass: z.enum(storageClasses),
  attributes: objectAttributesSchema,
  checksum: z.object({
    algorithm: z.enum(checksumAlgorithms),
    type: z.enum(['FULL_OBJECT', 'COMPOSITE']),
  }),
});

/** The properties of the finished object, as given at the start of the upload. */
export type UploadPlan = z.infer<typeof planSchema>;

export interface Upload {
  readonly id: string;
  readonly bucket: string;
  readonly key: string;
  readonly initiatedMs: number;
  readonly plan: UploadPlan;
}

export interface UploadedPart {
  readonly partNumber: number;
  readonly lastModifiedMs: number;
  readonly sizeBytes: number;
  /** Without quotes. */
  readonly etag: string;
  readonly blobId: string;
  readonly nonce?: Uint8Array;
  /** Base64. */
  readonly checksum: string;
}

/** Multipart uploads. */
export class Uploads {
  readonly #catalogue: Catalogue;

  constructor(catalogue: Catalogue) {
    this.#catalogue = catalogue;
  }

  begin({ id, bucket, key, initiatedMs, plan }: Upload): void {
    const sql = 'INSERT INTO uploads (id, bucket, key, initiated_ms, plan) VALUES (?, ?, ?, ?, ?)';
    this.#catalogue.run(sql, id, bucket, Buffer.from(key), initiatedMs, JSON.stringify(plan));
  }

  find(bucket: string, key: string, id: string): Upload | undefined {
    const sql = 'SELECT * FROM uploads WHERE bucket = ? AND key = ? AND id = ?';
    const row = this.#catalogue.get(sql, bucket, Buffer.from(key), id);
    return row && uploadOf(row);
  }

  /** At most `limit` uploads after the given key and id, in order. */
  list(bucket: string, prefix: string, after: { key: string; id: string }, limit: number): Upload[] {
    const sql = `SELECT * FROM uploads WHERE bucket = ?1 AND key >= ?2 AND key < ?3
                 AND (key > ?4 OR (key = ?4 AND id > ?5)) ORDER BY key, id LIMIT ?6`;
    const [start, marker] = [Buffer.from(prefix), Buffer.from(after.key)];
    const end = Buffer.concat([start, Buffer.from([0xff])]);
    return this.#catalogue.all(sql, bucket, start, end, marker, after.id, limit).map(uploadOf);
  }

  /** Stores a part, replacing an earlier one with its number. Returns the blobs that are now unreferenced. */
  putPart({ id }: Upload, part: UploadedPart): readonly string[] {
    return this.#catalogue.transaction(() => {
      const replaced = this.part(id, part.partNumber);
      this.#catalogue.run(
        `INSERT OR REPLACE INTO upload_parts
           (upload, part_number, last_modified_ms, size, etag, blob_id, nonce, checksum)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
        id,
        part.partNumber,
        part.lastModifiedMs,
        part.sizeBytes,
        part.etag,
        part.blobId,
        part.nonce ?? null,
        part.checksum,
      );
      return replaced ? [replaced.blobId] : [];
    });
  }

  part(id: string, partNumber: number): UploadedPart | undefined {
    const sql = 'SELECT * FROM upload_parts WHERE upload = ? AND part_number = ?';
    const row = this.#catalogue.get(sql, id, partNumber);
    return row && partOf(row);
  }

  /** At most `limit` parts with numbers above `after`. */
  parts(id: string, after = 0, limit = -1): UploadedPart[] {
    const sql =
      'SELECT * FROM upload_parts WHERE upload = ? AND part_number > ? ORDER BY part_number LIMIT ?';
    return this.#catalogue.all(sql, id, after, limit).map(partOf);
  }

  /** Deletes an upload and returns the blobs of its parts, which it no longer references. */
  end(id: string): readonly string[] {
    return this.#catalogue.deletion(() => {
      const blobs = this.parts(id).map(part => part.blobId);
      this.#catalogue.run('DELETE FROM uploads WHERE id = ?', id);
      return blobs;
    });
  }
}

const uploadRowSchema = z.object({
  id: z.string(),
  bucket: z.string(),
  key: z.instanceof(Uint8Array),
  initiated_ms: z.number(),
  plan: z.string(),
});

function uploadOf(row: CatalogueRow): Upload {
  const { id, bucket, key, initiated_ms: initiatedMs, plan } = uploadRowSchema.parse(row);
  const text = Buffer.from(key).toString();
  return { id, bucket, key: text, initiatedMs, plan: planSchema.parse(JSON.parse(plan)) };
}

const partRowSchema = z.object({
  part_number: z.number(),
  last_modified_ms: z.number(),
  size: z.number(),
  etag: z.string(),
  blob_id: z.string(),
  nonce: z.instanceof(Uint8Array).nullable(),
  checksum: z.string(),
});

function partOf(row: CatalogueRow): UploadedPart {
  const columns = partRowSchema.parse(row);
  return {
    partNumber: columns.part_number,
    lastModifiedMs: columns.last_modified_ms,
    sizeBytes: columns.size,
    etag: columns.etag,
    blobId: columns.blob_id,
    ...(columns.nonce && { nonce: columns.nonce }),
    checksum: columns.checksum,
  };
}
