import { z } from 'zod';
import type { Catalogue, CatalogueRow } from './catalogue.ts';

/** A part of an object's bytes in one blob: the whole object, or the part with that number. */
export interface Piece {
  readonly partNumber: number;
  readonly firstByte: number;
  readonly sizeBytes: number;
  readonly blobId: string;
  /** Present when the blob is encrypted. */
  readonly nonce?: Uint8Array;
  /** The part's own checksum, base64. */
  readonly checksum?: string;
}

/** The locations of the bytes of versions. */
export class Pieces {
  readonly #catalogue: Catalogue;

  constructor(catalogue: Catalogue) {
    this.#catalogue = catalogue;
  }

  /** The pieces with the bytes `first` to `last` (inclusive) of a version, in order. */
  within(versionRowId: number, first: number, last: number): Piece[] {
    const sql = `SELECT * FROM pieces WHERE version = ? AND first_byte <= ? AND first_byte + size > ?
                 ORDER BY part_number`;
    return this.#catalogue.all(sql, versionRowId, last, first).map(pieceOf);
  }

  part(versionRowId: number, partNumber: number): Piece | undefined {
    const sql = 'SELECT * FROM pieces WHERE version = ? AND part_number = ?';
    const row = this.#catalogue.get(sql, versionRowId, partNumber);
    return row && pieceOf(row);
  }

  /** Whether an object or an unfinished upload references the blob. */
  isReferred(blobId: string): boolean {
    const sql = `SELECT 1 FROM pieces WHERE blob_id = ?1
                 UNION ALL SELECT 1 FROM upload_parts WHERE blob_id = ?1 LIMIT 1`;
    return this.#catalogue.get(sql, blobId) !== undefined;
  }
}

const rowSchema = z.object({
  part_number: z.number(),
  first_byte: z.number(),
  size: z.number(),
  blob_id: z.string(),
  nonce: z.instanceof(Uint8Array).nullable(),
  checksum: z.string().nullable(),
});

function pieceOf(row: CatalogueRow): Piece {
  const columns = rowSchema.parse(row);
  return {
    partNumber: columns.part_number,
    firstByte: columns.first_byte,
    sizeBytes: columns.size,
    blobId: columns.blob_id,
    ...(columns.nonce && { nonce: columns.nonce }),
    ...(columns.checksum !== null && { checksum: columns.checksum }),
  };
}
