import { Readable } from 'node:stream';
import type { Digest } from '../checksum/checksum-algorithm.ts';
import type { BlobFiles } from './blob-files.ts';
import type { Piece } from './pieces.ts';
import { sealing, unsealing } from './seal.ts';

/** Bytes that have been synced to disk. */
export interface StoredContent {
  readonly blobId: string;
  readonly sizeBytes: number;
  readonly nonce?: Uint8Array;
}

/** Bytes being received. */
interface IncomingContent {
  readonly source: AsyncIterable<Uint8Array>;
  /** Each digest receives the unencrypted bytes in order. */
  readonly digests: readonly Digest[];
  /** Called when all bytes have been received, before they are kept; throws to refuse them. */
  accept?(sizeBytes: number): void;
}

/**
 * Writes content to a new blob at the speed of the disk, encrypted when there is a customer-provided key. Leaves
 * nothing behind on failure.
 */
export async function writeContent(
  blobs: BlobFiles,
  incoming: IncomingContent,
  sealKey?: Uint8Array,
): Promise<StoredContent> {
  const draft = await blobs.draft();
  const seal = sealKey && sealing(sealKey);
  let sizeBytes = 0;
  try {
    for await (const bytes of incoming.source) {
      sizeBytes += bytes.length;
      for (const digest of incoming.digests) digest.update(bytes);
      await draft.write(seal ? seal.cipher.update(bytes) : bytes);
    }
    incoming.accept?.(sizeBytes);
    await draft.commit();
  } catch (error) {
    await draft.abandon();
    throw error;
  }
  return { blobId: draft.id, sizeBytes, ...(seal && { nonce: seal.nonce }) };
}

/**
 * Reads the bytes `first` to `last` (inclusive) of an object stored in `pieces`, at the speed of the reader. The blobs
 * stay readable until the stream is closed, even if the object is overwritten meanwhile.
 */
export function readContent(
  blobs: BlobFiles,
  pieces: readonly Piece[],
  first: number,
  last: number,
  sealKey: Uint8Array | undefined,
): Readable {
  const release = blobs.retain(pieces.map(piece => piece.blobId));
  const [only, ...others] = pieces.map(piece => () => readPiece(blobs, piece, first, last, sealKey));
  const stream = only && others.length === 0 ? only() : Readable.from(inTurn(only ? [only, ...others] : []));
  return stream.once('close', release);
}

async function* inTurn(openings: readonly (() => Readable)[]): AsyncGenerator<Uint8Array> {
  for (const open of openings) yield* open();
}

function readPiece(
  blobs: BlobFiles,
  piece: Piece,
  first: number,
  last: number,
  sealKey: Uint8Array | undefined,
): Readable {
  const from = Math.max(0, first - piece.firstByte);
  const to = Math.min(piece.sizeBytes - 1, last - piece.firstByte);
  const bytes = blobs.read(piece.blobId, from, to);
  if (!piece.nonce || !sealKey) return bytes;
  const plain = unsealing(sealKey, piece.nonce, from);
  bytes.once('error', error => plain.destroy(error));
  plain.once('close', () => bytes.destroy());
  return bytes.pipe(plain);
}
