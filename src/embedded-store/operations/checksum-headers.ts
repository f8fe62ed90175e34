import type { StoredChecksum } from '../disk/object-attributes.ts';
import type { StoredObject } from '../disk/versions.ts';
import type { SelectedBytes } from './selection.ts';

/**
 * The checksum header for the bytes of a response, without prefix: the object's for the whole object, the part's if it
 * has one, otherwise none (docs/semantics.md 5 to 8, 38, 39, 47 to 50).
 */
export function checksumHeaders(object: StoredObject, selection: SelectedBytes): Record<string, string> {
  const { checksum } = object.attributes;
  if (!checksum) return {};
  const { part } = selection;
  if (part && checksum.type === 'COMPOSITE') {
    return part.checksum === undefined ? {} : named(checksum, part.checksum);
  }
  return isWhole(object, selection) ? named(checksum, checksum.value) : {};
}

function named({ algorithm, type }: StoredChecksum, value: string): Record<string, string> {
  return { [`checksum-${algorithm.toLowerCase()}`]: value, 'checksum-type': type };
}

function isWhole(object: StoredObject, selection: SelectedBytes): boolean {
  return selection.kind === 'whole' || (selection.first === 0 && selection.last === object.sizeBytes - 1);
}
