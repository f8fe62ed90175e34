import type { StoredObject } from '../disk/versions.ts';
import { evaluateRange } from '../protocol/byte-range.ts';
import { isSameAsInIfRange } from '../protocol/conditions.ts';
import { OperationError } from '../protocol/operation-error.ts';
import type { ReadOptions } from '../protocol/read-options.ts';
import type { ObjectCall } from './operation.ts';

/** The part of an object in a response; both ends of a span are inclusive. */
export type SelectedBytes =
  | { readonly kind: 'whole'; readonly part?: SelectedPart }
  | { readonly kind: 'span'; readonly first: number; readonly last: number; readonly part?: SelectedPart };

/** Set when a part number was requested of an object uploaded in parts. */
interface SelectedPart {
  readonly partsCount: number;
  /** The part's own checksum, base64. */
  readonly checksum?: string | undefined;
}

/** @throws InvalidRange (docs/semantics.md 9, 10, 24) and InvalidPartNumber (40, 41) */
export function selectBytes(call: ObjectCall, read: ReadOptions, object: StoredObject): SelectedBytes {
  if (read.partNumber !== undefined) return selectPart(call, read.partNumber, object);
  if (!isSameAsInIfRange(call.request, object, call.store.clock.nowMs())) return { kind: 'whole' };
  const verdict = evaluateRange(read.ranges, object.sizeBytes);
  if (verdict.kind !== 'unsatisfiable') return verdict;
  throw new OperationError('InvalidRange', {
    fields: { RangeRequested: read.ranges.join(','), ActualObjectSize: object.sizeBytes },
    headers: { 'content-range': `bytes */${object.sizeBytes}` },
  });
}

function selectPart(call: ObjectCall, partNumber: number, object: StoredObject): SelectedBytes {
  const { partsCount } = object.attributes;
  const piece = call.store.pieces.part(object.rowId, partNumber);
  if (!piece) {
    throw new OperationError('InvalidPartNumber', {
      fields: { ActualPartCount: partsCount ?? 1, PartNumberRequested: partNumber },
    });
  }
  const part = partsCount === undefined ? {} : { part: { partsCount, checksum: piece.checksum } };
  // a Content-Range cannot describe an empty object (docs/semantics.md 47)
  if (piece.sizeBytes === 0) return { kind: 'whole', ...part };
  return { kind: 'span', first: piece.firstByte, last: piece.firstByte + piece.sizeBytes - 1, ...part };
}
